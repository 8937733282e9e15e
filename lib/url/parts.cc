// SPDX-License-Identifier: Apache-2.0
#include "url/parts.h"

#include <algorithm>

#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "url/host.h"
#include "url/idna.h"
#include "url/params.h"
#include "url/percent.h"
#include "url/surt.h"

namespace spinneret {

struct PartInfo {
  std::string_view name;
  // `argument` is the text after a name that ends in a colon.
  std::string_view (*get)(const Url& url, DomainFinder find, std::string_view argument,
                          std::string& text);
};

namespace {

constexpr std::size_t kMaxSegment = 9999;

// Escapes the bytes of a part that would break its line.
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

// Returns the segment with that number, counted from 1.
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

std::string_view domain_of(std::string_view host, DomainFinder domain) {
  return domain == nullptr ? std::string_view() : domain(host);
}

std::string_view subdomain_of(std::string_view host, DomainFinder domain) {
  if (domain == nullptr) return {};
  const std::string_view found = domain(host);
  return found.size() < host.size() ? host.substr(0, host.size() - found.size() - 1)
                                    : std::string_view();
}

// A host is a public suffix if a name directly below it is a registrable domain.
std::string_view suffix_of(std::string_view host, DomainFinder domain) {
  if (domain == nullptr || host.empty() || is_ip_address(host)) return {};
  const std::string below = "a." + std::string(host);
  if (domain(below).size() == below.size()) return host;
  const std::string_view found = domain(host);
  return found.substr(std::min(found.find('.') + 1, found.size()));
}

// Returns the serialised origin (URL Standard, section 4.7).
std::string origin_of(const Url& url) {
  Url inner;
  if (url.scheme() == "blob" && parse(url.path(), inner) && inner.is_http()) return inner.origin();
  return url.is_special() && url.scheme() != "file" ? url.origin() : "null";
}

// Escapes what may act on a terminal.
std::string_view clean(std::string& text, std::string_view value) {
  text.clear();
  append_without_controls(text, value);
  return text;
}

std::string_view list_of(std::string& text, const std::vector<std::string>& values) {
  text.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    append_without_controls(text, values[i]);
  }
  return text;
}

std::string_view unicode_host_of(const Url& url, std::string& text) {
  std::string host;
  append_unicode_domain(host, url.host());
  return clean(text, host);
}

std::string_view decoded_path_of(const Url& url, std::string& text) {
  std::string decoded;
  append_percent_decoded(decoded, url.path());
  return clean(text, decoded);
}

std::string_view port_of(const Url& url, std::string& text) {
  if (url.has_port()) return url.port_text();
  text.clear();
  if (url.has_host() && url.effective_port() >= 0)
    append_unsigned(text, static_cast<std::uint64_t>(url.effective_port()));
  return text;
}

template <auto kAppend>
std::string_view appended(const Url& url, std::string& text) {
  text.clear();
  kAppend(text, url);
  return text;
}

void append_cdx(std::string& out, const Url& url) { append_cdx_key(out, url); }

// The functions take the URL, the finder of domains, the text after the colon of the name, and a
// buffer. url-normalize(1) says what each part is.
#define GET(EXPRESSION)                                                                        \
  [](const Url& u, [[maybe_unused]] DomainFinder find, [[maybe_unused]] std::string_view name, \
     [[maybe_unused]] std::string& text) -> std::string_view { return EXPRESSION; }

constexpr PartInfo kParts[] = {
    {"url", GET(u.href())},
    {"scheme", GET(u.scheme())},
    {"user", GET(u.username())},
    {"password", GET(u.password())},
    {"host", GET(u.host())},
    {"host:unicode", GET(unicode_host_of(u, text))},
    {"domain", GET(domain_of(u.host(), find))},
    {"subdomain", GET(subdomain_of(u.host(), find))},
    {"suffix", GET(suffix_of(u.host(), find))},
    {"port", GET(port_of(u, text))},
    {"origin", GET(text = origin_of(u))},
    {"path", GET(u.path())},
    {"path:decoded", GET(decoded_path_of(u, text))},
    {"dir", GET(u.path().substr(0, u.path().size() - file_of(u).size()))},
    {"file", GET(file_of(u))},
    {"extension", GET(extension_of(file_of(u)))},
    {"query", GET(u.query())},
    {"keys", GET(list_of(text, param_names(u.query())))},
    {"fragment", GET(u.fragment())},
    {"surt", GET(appended<append_surt>(u, text))},
    {"cdx", GET(appended<append_cdx>(u, text))},
};

// The parts that take a name or a number.
constexpr PartInfo kPartsOf[] = {
    {"path:", GET(segment_of(u, static_cast<std::size_t>(parse_unsigned(name).value_or(0))))},
    {"query-all:", GET(list_of(text, find_params(u.query(), name)))},
    {"query:", GET(clean(text, find_param(u.query(), name).value_or("")))},
};
#undef GET

}  // namespace

std::string unknown_part(std::string_view name) {
  std::string message = "no part is called " + excerpt(name);
  std::vector<std::string_view> names;
  for (const PartInfo& part : kParts) names.push_back(part.name);
  const std::string meant = did_you_mean(name, names);
  message += meant.empty() ? "; there are" : meant + " There are";
  for (const std::string_view part : names) message.append(" ").append(part);
  return message;
}

std::optional<Part> Part::named(std::string_view name) {
  Part part;
  part.name_ = name;
  for (const PartInfo& info : kParts) {
    if (info.name != name) continue;
    part.info_ = &info;
    return part;
  }
  for (const PartInfo& info : kPartsOf) {
    if (!name.starts_with(info.name) || name.size() == info.name.size()) continue;
    part.info_ = &info;
    part.argument_ = info.name.size();
    if (info.name != "path:") return part;
    const auto number = parse_unsigned(name.substr(part.argument_));
    if (number && *number > 0 && *number <= kMaxSegment) return part;
  }
  return std::nullopt;
}

std::string_view Part::of(const Url& url, DomainFinder domain, std::string& text) const {
  return info_->get(url, domain, std::string_view(name_).substr(argument_), text);
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
      std::optional<Part> part = Part::named(name);
      if (!part) return Error{unknown_part(name) + " query:NAME query-all:NAME path:N"};
      result.pieces_.push_back({std::move(text), std::move(part)});
      text.clear();
      i = end;
    } else {
      text += c;
    }
  }
  result.pieces_.push_back({std::move(text), std::nullopt});
  return result;
}

void PartFormat::append_empty(std::string& out) const {
  for (const Piece& piece : pieces_) out += piece.text;
}

void PartFormat::append(std::string& out, const Url& url, DomainFinder domain) const {
  std::string text;
  for (const Piece& piece : pieces_) {
    out += piece.text;
    if (piece.part) append_line_safe(out, piece.part->of(url, domain, text));
  }
}

}  // namespace spinneret
