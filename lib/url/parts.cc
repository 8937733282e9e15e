// SPDX-License-Identifier: Apache-2.0
#include "url/parts.h"

#include <algorithm>

#include "base/excerpt.h"
#include "base/number.h"
#include "url/params.h"
#include "url/percent.h"
#include "url/surt.h"

namespace spinneret {
namespace {

constexpr std::string_view kQueryPrefix = "query:";

constexpr PartInfo kParts[] = {
    {"url", "the canonical URL"},
    {"scheme", "https"},
    {"user", "user name, percent-encoded"},
    {"password", "password, percent-encoded"},
    {"host", "host name or address"},
    {"domain", "registrable domain, by the public suffix list"},
    {"port", "port that a connection uses: 443 where none is given"},
    {"origin", "https://host:port; the port where it is not the scheme's"},
    {"path", "path, percent-encoded"},
    {"query", "query without ?"},
    {"fragment", "fragment without # (see --keep-fragment)"},
    {"surt", "sort key: com,example)/path"},
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
  if (name == "origin") out += url.origin();
  if (name == "path") out += url.path();
  if (name == "query") out += url.query();
  if (name == "fragment") out += url.fragment();
  if (name == "surt") append_surt(out, url);
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
      if (!is_part(name)) return Error{unknown_part(name) + " query:NAME"};
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
