// SPDX-License-Identifier: Apache-2.0
// extract-links: pages in, their links out, then the page's own record without its body.
#include <fcntl.h>
#include <unistd.h>

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "base/outcome.h"
#include "cli/tool.h"
#include "extract_body.h"
#include "extract_output.h"
#include "extract_settings.h"
#include "feed/feed.h"
#include "html/extractor.h"
#include "html/link_header.h"
#include "html/srcset.h"
#include "io/record.h"
#include "robots/page_directives.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

class Extraction {
 public:
  explicit Extraction(cli::Tool& tool)
      : tool_(tool),
        settings_(extract_settings(tool.options())),
        extractor_(settings_.extract),
        writer_(tool, settings_),
        directives_(settings_.agent) {}

  const ExtractSettings& settings() const { return settings_; }
  void record_line(std::string_view line);
  void document(std::string_view bytes);

 private:
  bool wants_pass(std::string_view body);
  void page_record(std::string_view body);
  void read_headers();
  void read_body(std::string_view body, std::string_view type);
  void read_html(std::string_view body);
  void read_other(const html::Page& page, std::string_view body);
  void read_feed(std::string_view body);
  void emit_header_links(std::string_view value);
  void emit_header_url(std::string_view value, std::string_view field, html::LinkKind kind);
  void emit(const html::Link& link, const html::Charset& charset);
  void emit(const feed::FeedLink& link);
  void emit_feed();
  bool follows() const { return settings_.ignore_nofollow || !directives_.nofollow(); }
  void note_canonical(std::string_view value, const Url& base);
  void judge();
  void add_about(const html::Page& page);

  cli::Tool& tool_;
  ExtractSettings settings_;
  html::LinkExtractor extractor_;
  feed::FeedPage feed_;
  LinkWriter writer_;
  PageDirectives directives_;
  BodyReader bodies_;
  Record record_;
  Url page_url_;
  Url base_;
  Url scratch_url_;
  UrlError why_;
  std::string canonical_;   // elsewhere, or empty
  std::string unpacked_;
  std::string transcoded_;
  std::string charset_;
};

// --- types ---

enum class Content { kNone, kHtml, kCss, kXml, kText };

bool is_media_type(std::string_view type, std::string_view wanted) {
  return equals_ignore_case(trim(type.substr(0, type.find(';'))), wanted);
}

Content content_of(std::string_view type, std::string_view body) {
  type = trim(type.substr(0, type.find(';')));
  if (equals_ignore_case(type, "text/html")) return Content::kHtml;
  if (equals_ignore_case(type, "text/css")) return Content::kCss;
  if (equals_ignore_case(type, "text/plain")) return Content::kText;
  const bool xml = type.find("xml") != std::string_view::npos;
  const bool unknown = type.empty() || equals_ignore_case(type, "application/octet-stream") ||
                       type.find("gzip") != std::string_view::npos;
  if (!xml && !unknown) return Content::kNone;
  switch (feed::feed_type(body)) {
    case feed::FeedType::kNone: return xml ? Content::kNone : Content::kHtml;
    case feed::FeedType::kHtml: return Content::kHtml;
    case feed::FeedType::kXml: return xml ? Content::kXml : Content::kHtml;
    default: return Content::kXml;
  }
}

bool holds_page(std::string_view outcome) {
  return outcome == "ok" || outcome == "duplicate" || outcome == "noindex" ||
         outcome == "non-canonical";
}

// --- links of each kind of document ---

void Extraction::emit(const html::Link& link, const html::Charset& charset) {
  OutLink out;
  out.value = link.value;
  out.element = link.element;
  out.attribute = link.attribute;
  out.rel = link.rel;
  out.hreflang = link.hreflang;
  out.type = link.type;
  out.method = link.method;
  out.text = link.text;
  out.context = html::to_string(link.context);
  out.offset = link.offset;
  out.has_offset = true;
  writer_.write(out, base_, charset.encoding->query_encoder());
}

void Extraction::note_canonical(std::string_view value, const Url& base) {
  if (!resolve(value, base, scratch_url_) || !scratch_url_.is_http()) return;
  if (scratch_url_.href_without_fragment() == page_url_.href_without_fragment()) return;
  canonical_ = scratch_url_.href();
}

void Extraction::read_html(std::string_view body) {
  const html::Page& page = extractor_.extract(body, charset_);
  for (const html::Meta& meta : page.metas) directives_.add_meta(meta.name, meta.content);
  // A base that is no URL, or whose scheme cannot be one's, leaves the document's own.
  if (!page.has_base || !resolve(page.base, page_url_, base_) || base_.scheme() == "data" ||
      base_.scheme() == "javascript") {
    base_ = page_url_;
  }
  if (page.has_canonical) note_canonical(page.canonical, base_);
  if (settings_.about) add_about(page);
  if (follows()) read_other(page, body);
}

void Extraction::read_other(const html::Page& page, std::string_view body) {
  writer_.set_document(body.substr(std::min(body.size(), page.charset.bom)), page.charset.bom);
  for (const html::Link& link : page.links) emit(link, page.charset);
}

void Extraction::add_about(const html::Page& page) {
  if (!page.title.empty()) record_.set("title", page.title);
  if (!page.lang.empty()) record_.set("lang", page.lang);
  for (const html::Meta& meta : page.metas) {
    if (!equals_ignore_case(meta.name, "description")) continue;
    record_.set("description", meta.content);
    break;
  }
}

void Extraction::emit(const feed::FeedLink& link) {
  using feed::FeedLinkKind;
  const bool index = link.kind == FeedLinkKind::kSitemap;
  html::Link known;
  known.element = std::string_view(link.tag).substr(0, link.tag.find('@'));
  known.attribute = std::string_view(link.tag).substr(link.tag.find('@') + 1);
  known.rel = link.rel;
  known.kind = link.kind == FeedLinkKind::kResource ? html::LinkKind::kResource
               : link.kind == FeedLinkKind::kMeta   ? html::LinkKind::kMetadata
               : link.kind == FeedLinkKind::kPage   ? html::LinkKind::kPage
                                                    : html::LinkKind::kFeed;
  // The sitemaps of an index are what it is read for; a robots.txt is not read for its sitemaps.
  const html::LinkSelection& selection = settings_.extract.selection;
  if (!selection.wants(known)) {
    if (!index || known.element == "robots") return;
    known.kind = html::LinkKind::kPage;
    if (!selection.wants(known)) return;
  }
  base_ = page_url_;
  if (!link.base.empty() && resolve(link.base, page_url_, scratch_url_)) base_ = scratch_url_;
  // An index that names itself would never end.
  if (index && resolve(link.value, base_, scratch_url_) && scratch_url_.href() == page_url_.href()) return;
  OutLink out;
  out.value = link.value;
  out.element = known.element;
  out.attribute = known.attribute;
  out.rel = link.rel;
  out.hreflang = link.hreflang;
  out.type = link.type;
  out.text = link.text;
  out.lastmod = link.lastmod;
  out.changefreq = link.changefreq;
  out.priority = link.priority;
  if (index) out.purpose = "sitemap";
  out.offset = link.offset;
  out.has_offset = true;
  writer_.write(out, base_, nullptr);
}

void Extraction::emit_feed() {
  if (!follows()) return;
  for (const feed::FeedLink& link : feed_.links) emit(link);
}

void Extraction::read_feed(std::string_view body) {
  const html::Charset charset = html::find_xml_charset(body, charset_);
  body.remove_prefix(charset.bom);
  if (!charset.encoding->is_utf8()) {
    transcoded_.clear();
    charset.encoding->append_utf8(body, transcoded_);
    body = transcoded_;
  }
  feed::read_feed(body, feed_);
  if (settings_.about && !feed_.title.empty()) record_.set("title", feed_.title);
  writer_.set_document(body, charset.bom);
  emit_feed();
}

void Extraction::read_body(std::string_view body, std::string_view type) {
  if (is_gzip(body)) {
    if (!gunzip(body, BodyReader::kMaxBytes, unpacked_)) {
      tool_.refuse("gzip body is broken or over 1 GiB: read as far as it goes", record_.url());
    }
    body = unpacked_;
  }
  base_ = page_url_;
  const bool sitemap = record_.raw("purpose") == "sitemap";
  switch (content_of(type, body)) {
    case Content::kHtml: return read_html(body);
    case Content::kCss:
      if (follows()) read_other(extractor_.extract_css(body, charset_), body);
      return;
    case Content::kXml: return read_feed(body);
    case Content::kText:
      if (sitemap) {
        feed::read_text_sitemap(body, feed_);
        writer_.set_document(body, 0);
        emit_feed();
      } else if (follows() && settings_.extract.plain_text) {
        read_other(extractor_.extract_text(body, charset_), body);
      }
      return;
    case Content::kNone: return;
  }
}

// --- headers ---

void Extraction::emit_header_url(std::string_view value, std::string_view field, html::LinkKind kind) {
  html::Link link;
  link.value = value;
  link.element = "header";
  link.attribute = field;
  link.kind = kind;
  if (!settings_.extract.selection.wants(link)) return;
  OutLink out;
  out.value = value;
  out.element = link.element;
  out.attribute = field;
  writer_.write(out, page_url_, nullptr);
}

void Extraction::emit_header_links(std::string_view value) {
  html::HeaderLink found;
  while (html::next_header_link(value, found)) {
    html::Link link;
    link.value = found.target;
    link.element = "header";
    link.attribute = "link";
    link.rel = found.rel;
    link.kind = html::link_kind(found.rel, found.type);
    if (!found.has_anchor && html::has_rel_token(found.rel, "canonical") && canonical_.empty()) {
      note_canonical(found.target, page_url_);
    }
    if (!follows() || !settings_.extract.selection.wants(link)) continue;
    OutLink out;
    out.value = found.target;
    out.element = link.element;
    out.attribute = link.attribute;
    out.rel = found.rel;
    out.hreflang = found.hreflang;
    out.type = found.type;
    writer_.write(out, page_url_, nullptr);
  }
}

// X-Robots-Tag first: it decides about the links of the others.
void Extraction::read_headers() {
  std::string value;
  const auto unescape = [&value](std::string_view raw) {
    value.clear();
    append_unescaped(value, raw);
  };
  for (const Record::Field& field : record_.fields()) {
    if (field.key != "x-robots-tag") continue;
    unescape(field.raw);
    directives_.add_header(value);
  }
  for (const Record::Field& field : record_.fields()) {
    unescape(field.key == "link" || field.key == "refresh" || field.key == "content-location"
                 ? field.raw
                 : std::string_view());
    std::string_view url;
    if (field.key == "link") emit_header_links(value);
    if (!follows()) continue;
    if (field.key == "refresh" && html::parse_refresh(value, url) && !url.empty()) {
      emit_header_url(url, "refresh", html::LinkKind::kPage);
    }
    if (field.key == "content-location") {
      emit_header_url(value, "content-location", html::LinkKind::kMetadata);
    }
  }
}

// --- records ---

// The outcome that the page's own words ask for.
void Extraction::judge() {
  if (record_.raw("outcome") != to_string(Outcome::kOk)) return;
  const std::int64_t now = static_cast<std::int64_t>(std::time(nullptr));
  if (directives_.noindex(now)) {
    if (settings_.explain && !directives_.rules().empty()) {
      const PageDirectives::Rule& rule = directives_.rules().front();
      record_.set("rule", rule.source + ": " + rule.name + (rule.value.empty() ? "" : ": " + rule.value));
    }
    record_.set_outcome(to_string(Outcome::kNoindex));
  } else if (!canonical_.empty()) {
    if (settings_.explain) record_.set("rule", "canonical: " + canonical_);
    record_.set_outcome(to_string(Outcome::kNonCanonical));
  }
}

void Extraction::page_record(std::string_view body) {
  canonical_.clear();
  directives_.clear();
  std::string depth;
  append_unsigned(depth, parse_unsigned(record_.raw("depth")).value_or(0) + 1);
  writer_.begin_page(record_.url(), depth, body);
  if (const auto location = record_.get("location")) {
    OutLink out;
    out.value = *location;
    out.element = "location";
    writer_.write(out, page_url_, nullptr);
  }
  if (record_.raw("purpose") == "robots") {
    feed::read_robots_sitemaps(body, feed_);
    for (const feed::FeedLink& link : feed_.links) emit(link);
    return;
  }
  if (!holds_page(record_.raw("outcome"))) return;
  read_headers();
  const std::string type(record_.get("type").value_or(""));
  charset_ = record_.get("charset").value_or("");
  if (!body.empty()) read_body(body, type);
  judge();
}

// Whether there is nothing in the record for us.
bool Extraction::wants_pass(std::string_view body) {
  const bool robots = record_.raw("purpose") == "robots";
  if (robots) return !settings_.extract.selection.wants_kind(html::LinkKind::kFeed);
  return body.empty() && !record_.has("body") && !record_.has("location") && !record_.has("link") &&
         !record_.has("x-robots-tag") && !record_.has("refresh") && !record_.has("content-location");
}

void Extraction::record_line(std::string_view line) {
  if (!is_settled(line)) return tool_.writer().write_line(line);
  record_.parse(line);
  const auto body = bodies_.read(record_);
  if (!body.ok()) return tool_.refuse(body.message() + ": record dropped", record_.url());
  if (wants_pass(*body)) return tool_.writer().write_line(line);
  if (parse(record_.url(), page_url_, &why_)) {
    page_record(*body);
    if (writer_.bad_links() != 0) record_.set_unsigned("bad-links", writer_.bad_links());
  } else {
    tool_.refuse("page's URL: " + why_.message, record_.url());
  }
  if (record_.raw("purpose") != "robots") record_.remove("body");
  tool_.writer().write(record_);
}

// --- documents that come without a record ---

void Extraction::document(std::string_view bytes) {
  if (!parse(settings_.base, page_url_, &why_)) {
    tool_.options().usage_error("--base takes an absolute URL: " + why_.message + ": " +
                                excerpt(settings_.base));
  }
  canonical_.clear();
  directives_.clear();
  charset_ = settings_.charset;
  record_.reset(page_url_.href());
  if (is_media_type(settings_.type, "text/plain")) record_.set("purpose", "sitemap");
  writer_.begin_page(page_url_.href(), {}, bytes);
  read_body(bytes, settings_.type);
  record_.remove("purpose");
  if (writer_.bad_links() != 0) record_.set_unsigned("bad-links", writer_.bad_links());
  if (settings_.about) tool_.writer().write(record_);
}

void run_documents(cli::Tool& tool, Extraction& extraction) {
  std::vector<std::string> operands = tool.options().operands();
  if (operands.empty()) operands.emplace_back("-");
  std::string bytes;
  for (const std::string& operand : operands) {
    if (tool.stopped()) return;
    if (cli::is_url_operand(operand)) {
      tool.options().usage_error("with --base operands are files, not " + excerpt(operand) +
                                 " (fetch it first: fetch URL | extract-links)");
    }
    auto file = operand == "-" ? Result<Fd>(Fd()) : open_file(operand, O_RDONLY);
    const Status read = file.ok() ? read_all(*file ? file->get() : STDIN_FILENO, operand, bytes)
                                  : Status(file.error());
    if (!read.ok()) {
      tool.trouble(read.message());
      continue;
    }
    extraction.document(bytes);
  }
}

int run(cli::Tool& tool) {
  Extraction extraction(tool);
  if (!extraction.settings().base.empty()) {
    run_documents(tool, extraction);
    return tool.status();
  }
  std::string_view line;
  while (tool.next(line)) extraction.record_line(line);
  return tool.status();
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kExtractLinks, argc, argv, run); }
