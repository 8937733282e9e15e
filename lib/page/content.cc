// SPDX-License-Identifier: Apache-2.0
#include "page/content.h"

#include <algorithm>

#include "base/ascii.h"
#include "body/reader.h"
#include "feed/feed.h"
#include "html/charset.h"
#include "html/encoding.h"
#include "page/link.h"
#include "url/percent.h"

namespace spinneret::page {
namespace {

constexpr std::size_t kMaxBase = 2048;
constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;

// Finds the type of a feed. XML in UTF-16 must be converted first, because its bytes alone would
// tell nothing.
feed::FeedType feed_type(std::string_view body, std::string_view charset_label, bool sitemap) {
  constexpr std::size_t kHead = std::size_t{64} << 10;
  const auto type_of = sitemap ? feed::sitemap_type : feed::feed_type;
  const html::Charset charset = html::find_xml_charset(body, charset_label);
  if (charset.encoding->ascii_compatible()) return type_of(body);
  std::string head;
  charset.encoding->decode(body.substr(charset.bom, kHead), head);
  return type_of(head);
}

// Whether it is a sitemap, a feed or OPML, which have roots that no page has.
bool is_list_of_links(feed::FeedType type) {
  using enum feed::FeedType;
  return type != kNone && type != kHtml && type != kSvg && type != kXml;
}

bool is_script(std::string_view type) {
  return type == "text/javascript" || type == "application/javascript" ||
         type == "application/x-javascript" || type == "application/ecmascript" ||
         type == "text/ecmascript";
}

bool is_json(std::string_view type) {
  return type == "application/json" || type == "text/json" || type.ends_with("+json");
}

// Whether a body of unknown type is in a format that no reader of text can read.
bool is_known_binary(std::string_view body) {
  constexpr std::string_view kMagics[] = {
      "%PDF-",   "\x89PNG\r\n", "GIF87a", "GIF89a",   "\xFF\xD8\xFF", "PK\x03\x04",
      "\177ELF", "wOFF",        "wOF2",   "Rar!\x1A", "7z\xBC\xAF",   "\xD0\xCF\x11\xE0"};
  return std::any_of(std::begin(kMagics), std::end(kMagics),
                     [body](std::string_view magic) { return body.starts_with(magic); });
}

// MIME Sniffing, 7.1, for a body of unknown type: if it does not begin with a tag, it is text only
// without bytes that text never has. Archives and programs contain pages, but the links in these
// lead nowhere.
bool looks_binary(std::string_view body) {
  constexpr std::size_t kHead = 1445;
  if (body.starts_with("\xFE\xFF") || body.starts_with("\xFF\xFE")) return false;  // UTF-16
  const std::string_view head = body.substr(0, kHead);
  if (const std::size_t begin = head.find_first_not_of(std::string_view(" \t\r\n\f\0", 6));
      begin != std::string_view::npos && (head[begin] == '<' || head.starts_with("\xEF\xBB\xBF"))) {
    return false;
  }
  return std::any_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\f' && byte != '\r' &&
           byte != 0x1B;
  });
}

// What the name of a type tells before its content does.
struct KnownType {
  KnownType(std::string_view type, bool sitemap)
      : name(to_lower_copy(trim(type.substr(0, type.find(';'))))),
        text(name == "text/plain"),
        xml(name.find("xml") != std::string::npos),
        // MIME Sniffing, 7: three names mean that the type is unknown.
        unknown(name.empty() || name == "*/*" || name == "unknown/unknown" ||
                name == "application/unknown" || name == "application/octet-stream" ||
                name.find("gzip") != std::string::npos || (sitemap && !xml && !text)) {}
  bool may_be_read() const {
    return text || xml || unknown || name == "text/html" || name == "text/css" || is_script(name) ||
           is_json(name);
  }
  std::string name;
  bool text;
  bool xml;
  bool unknown;
};

struct NamedType {
  std::string_view extension;
  std::string_view type;
};
constexpr NamedType kNamedTypes[] = {
    {".xhtml", "application/xhtml+xml"},
    {".xht", "application/xhtml+xml"},
    {".svg", "image/svg+xml"},
    {".css", "text/css"},
    {".js", "text/javascript"},
    {".mjs", "text/javascript"},
    {".json", "application/json"},
    {".jsonld", "application/ld+json"},
    {".webmanifest", "application/manifest+json"},
};

}  // namespace

bool is_xml_type(std::string_view type) {
  return to_lower_copy(type.substr(0, type.find(';'))).find("xml") != std::string::npos;
}

std::string_view type_of_name(std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  for (const auto& [extension, type] : kNamedTypes) {
    if (path.size() > extension.size() &&
        equals_ignore_case(path.substr(path.size() - extension.size()), extension)) {
      return type;
    }
  }
  return {};
}

Content content_of(std::string_view type, std::string_view charset, bool sitemap,
                   std::string_view body) {
  const KnownType known(type, sitemap);
  if (!known.may_be_read()) return Content::kNone;
  // MIME Sniffing, 7.3: a program that writes a sitemap or feed often leaves the type that its
  // server gives to pages. What was requested as a sitemap may also come with the type of a file
  // with an unknown extension, or with that of JSON.
  if (known.name == "text/html" || sitemap) {
    const feed::FeedType root = feed_type(body, charset, sitemap);
    if (is_list_of_links(root)) return Content::kXml;
    if (known.name == "text/html")
      return sitemap && root == feed::FeedType::kNone ? Content::kText : Content::kHtml;
  }
  if (known.name == "text/css") return Content::kCss;
  if (is_script(known.name)) return Content::kScript;
  if (is_json(known.name)) return Content::kJson;
  if (known.text && !sitemap) return Content::kText;
  if (known.unknown && is_known_binary(body)) return Content::kNone;
  switch (feed_type(body, charset, sitemap)) {
    case feed::FeedType::kNone:
      if ((known.xml && !sitemap) || (charset.empty() && looks_binary(body))) return Content::kNone;
      return sitemap ? Content::kText : Content::kHtml;
    case feed::FeedType::kHtml: return Content::kHtml;
    case feed::FeedType::kSvg: return known.xml ? Content::kSvg : Content::kHtml;
    case feed::FeedType::kXml: return known.xml ? Content::kXml : Content::kHtml;
    default: return Content::kXml;
  }
}

bool may_be_read(std::string_view type, bool sitemap) {
  return KnownType(type, sitemap).may_be_read();
}

std::string_view BodyUnpacker::open(std::string_view body, bool& broken) {
  broken = false;
  if (bytes_.capacity() > kKeepAtMost) std::string().swap(bytes_);
  if (!body::is_gzip(body)) return body;
  broken = !body::gunzip(body, kMaxBytes, bytes_);
  return bytes_;
}

std::string id_list(std::string_view ids) {
  std::string out;
  for (const char c : ids) {
    // Bytes from 0x80 on are escaped, too, whether or not char is signed.
    if (c == '\0') {
      out += ' ';
    } else if (c <= ' ' || c >= '\x7F' || c == '%' || c == '\\') {
      append_escape(out, c);
    } else {
      out += c;
    }
  }
  if (!out.empty()) out.pop_back();
  return out;
}

bool next_id(std::string_view& list, std::string& out) {
  out.clear();
  if (list.empty()) return false;
  append_percent_decoded(out, cut(list, ' '));
  return true;
}

void find_base(const Url& page, bool has_declared, std::string_view declared, Url& base) {
  if (!has_declared || !resolve(declared, page, base) || base.scheme() == "data" ||
      base.scheme() == "javascript" || base.href().size() > kMaxBase) {
    base = page;
  }
}

}  // namespace spinneret::page
