// SPDX-License-Identifier: Apache-2.0
#include "url/parts.h"

#include <algorithm>

#include "base/excerpt.h"
#include "base/number.h"
#include "url/host.h"
#include "url/idna.h"
#include "url/params.h"
#include "url/percent.h"
#include "url/surt.h"

namespace spinneret {
namespace {

constexpr std::string_view kQueryPrefix = "query:";
constexpr std::string_view kQueryAllPrefix = "query-all:";
constexpr std::string_view kPathPrefix = "path:";
constexpr std::size_t kMaxSegment = 9999;

constexpr PartInfo kParts[] = {
    {"url", "the canonical URL"},
    {"scheme", "https"},
    {"user", "user name, percent-encoded"},
    {"password", "password, percent-encoded"},
    {"host", "host name or address"},
    {"host:unicode", "host with its IDNA labels as they are read"},
    {"domain", "registrable domain, by the public suffix list"},
    {"subdomain", "what stands before the registrable domain"},
    {"suffix", "public suffix: co.uk"},
    {"port", "port that a connection uses: 443 where none is given"},
    {"origin", "https://host:port, of a blob that of its URL, else null"},
    {"path", "path, percent-encoded"},
    {"path:decoded", "path, escapes undone"},
    {"dir", "path up to its last slash"},
    {"file", "path behind its last slash"},
    {"extension", "file behind its last dot"},
    {"query", "query without ?"},
    {"keys", "decoded names of the parameters, each once, between commas"},
    {"fragment", "fragment without # (see --keep-fragment)"},
    {"surt", "sort key: com,example)/path"},
    {"cdx", "key of CDX indexes: com,example)/path"},
};

// A part must not break the line that it stands in.
void append_line_safe(std::string& out, std::string_view text) {
  constexpr std::string_view kBytes("\t\n\r\0\\", 5);
  for (const char c : text) {
    const std::size_t at = kBytes.find(c);
    if (at == std::string_view::npos) {
      out += c;
    } else {
      out += '\\';
      out += "tnr0\\"[at];
    }
  }
}

std::string_view file_of(const Url& url) {
  const std::string_view path = url.path();
  return url.has_opaque_path() ? std::string_view() : path.substr(path.rfind('/') + 1);
}

std::string_view extension_of(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : file.substr(dot + 1);
}

// The segment of that number, from 1.
std::string_view segment_of(const Url& url, std::size_t number) {
  std::string_view rest = url.path();
  if (url.has_opaque_path() || !rest.starts_with('/')) return {};
  for (; number > 0; --number) {
    if (rest.empty()) return {};
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    if (number == 1) return rest.substr(0, end);
    rest.remove_prefix(end);
  }
  return {};
}

std::string_view subdomain_of(std::string_view host, DomainFinder domain) {
  const std::string_view found = domain(host);
  return found.size() < host.size() ? host.substr(0, host.size() - found.size() - 1)
                                    : std::string_view();
}

// Of what is a suffix itself any name below it is a registrable domain.
std::string_view suffix_of(std::string_view host, DomainFinder domain) {
  if (host.empty() || is_ip_address(host)) return {};
  const std::string below = "a." + std::string(host);
  if (domain(below).size() == below.size()) return host;
  const std::string_view found = domain(host);
  return found.substr(std::min(found.find('.') + 1, found.size()));
}

// URL Standard, section 4.7, serialised.
void append_origin(std::string& out, const Url& url) {
  Url inner;
  if (url.scheme() == "blob" && parse(url.path(), inner) && inner.is_http()) {
    out += inner.origin();
  } else {
    out += url.is_special() && url.scheme() != "file" ? url.origin() : "null";
  }
}

void append_list(std::string& out, const std::vector<std::string>& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    append_without_controls(out, list[i]);
  }
}

}  // namespace

std::span<const PartInfo> all_parts() { return kParts; }

std::string unknown_part(std::string_view name) {
  std::string message = "no part is called " + excerpt(name) + "; there are";
  for (const PartInfo& part : kParts) {
    message += ' ';
    message += part.name;
  }
  return message;
}

bool is_part(std::string_view name) {
  if (name.starts_with(kQueryPrefix)) return name.size() > kQueryPrefix.size();
  if (name.starts_with(kQueryAllPrefix)) return name.size() > kQueryAllPrefix.size();
  if (name.starts_with(kPathPrefix)) {
    const auto number = parse_unsigned(name.substr(kPathPrefix.size()));
    if (number) return *number > 0 && *number <= kMaxSegment;
  }
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [name](const PartInfo& part) { return part.name == name; });
}

void append_part(std::string& out, std::string_view name, const Url& url, DomainFinder domain) {
  if (name == "url") out += url.href();
  if (name == "scheme") out += url.scheme();
  if (name == "user") out += url.username();
  if (name == "password") out += url.password();
  if (name == "host") out += url.host();
  if (name == "domain" && domain != nullptr) out += domain(url.host());
  if (name == "port" && url.has_host() && url.effective_port() >= 0) {
    append_unsigned(out, static_cast<std::uint64_t>(url.effective_port()));
  }
  if (name == "host:unicode") {
    std::string text;
    append_unicode_domain(text, url.host());
    append_without_controls(out, text);
  }
  if (name == "subdomain" && domain != nullptr) out += subdomain_of(url.host(), domain);
  if (name == "suffix" && domain != nullptr) out += suffix_of(url.host(), domain);
  if (name == "origin") append_origin(out, url);
  if (name == "path:decoded") {
    std::string decoded;
    append_percent_decoded(decoded, url.path());
    append_without_controls(out, decoded);
  }
  if (name == "dir") out += url.path().substr(0, url.path().size() - file_of(url).size());
  if (name == "file") out += file_of(url);
  if (name == "extension") out += extension_of(file_of(url));
  if (name == "keys") append_list(out, param_names(url.query()));
  if (name == "path") out += url.path();
  if (name == "query") out += url.query();
  if (name == "fragment") out += url.fragment();
  if (name == "surt") append_surt(out, url);
  if (name == "cdx") append_cdx_key(out, url);
  if (name.starts_with(kPathPrefix)) {
    const auto number = parse_unsigned(name.substr(kPathPrefix.size()));
    if (number) out += segment_of(url, static_cast<std::size_t>(*number));
  }
  if (name.starts_with(kQueryAllPrefix))
    append_list(out, find_params(url.query(), name.substr(kQueryAllPrefix.size())));
  if (name.starts_with(kQueryPrefix)) {
    const auto value = find_param(url.query(), name.substr(kQueryPrefix.size()));
    if (value) append_without_controls(out, *value);
  }
}

Result<PartFormat> PartFormat::compile(std::string_view format) {
  PartFormat result;
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    const char next = i + 1 < format.size() ? format[i + 1] : '\0';
    if ((c == '{' || c == '}') && next == c) {
      text += c;
      ++i;
    } else if (c == '\\' && (next == 't' || next == 'n' || next == '\\')) {
      text += next == 't' ? '\t' : next == 'n' ? '\n' : '\\';
      ++i;
    } else if (c == '{') {
      const std::size_t end = format.find('}', i);
      if (end == std::string_view::npos) return Error{"a { without its }; {{ is a brace"};
      const std::string_view name = format.substr(i + 1, end - i - 1);
      if (!is_part(name)) return Error{unknown_part(name) + " query:NAME query-all:NAME path:N"};
      result.pieces_.push_back({false, std::move(text)});
      result.pieces_.push_back({true, std::string(name)});
      text.clear();
      i = end;
    } else {
      text += c;
    }
  }
  result.pieces_.push_back({false, std::move(text)});
  return result;
}

void PartFormat::append_empty(std::string& out) const {
  for (const Piece& piece : pieces_) {
    if (!piece.is_part) out += piece.text;
  }
}

void PartFormat::append(std::string& out, const Url& url, DomainFinder domain) const {
  std::string part;
  for (const Piece& piece : pieces_) {
    if (!piece.is_part) {
      out += piece.text;
      continue;
    }
    part.clear();
    append_part(part, piece.text, url, domain);
    append_line_safe(out, part);
  }
}

}  // namespace spinneret
