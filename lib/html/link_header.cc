// SPDX-License-Identifier: Apache-2.0
#include "html/link_header.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret::html {
namespace {

void skip_space(std::string_view& rest) {
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
}

// Takes a token, or a quoted string with its escapes undone.
void take_value(std::string_view& rest, std::string& out) {
  out.clear();
  if (!rest.starts_with('"')) {
    const std::string_view token = rest.substr(0, rest.find_first_of(";, \t"));
    out = token;
    rest.remove_prefix(token.size());
    return;
  }
  rest.remove_prefix(1);
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\' && rest.size() > 1) rest.remove_prefix(1);
    out += rest.front();
    rest.remove_prefix(1);
  }
  if (!rest.empty()) rest.remove_prefix(1);
}

// Takes one ";name=value". Returns false at the link's end.
bool take_parameter(std::string_view& rest, HeaderLink& link) {
  skip_space(rest);
  if (!rest.starts_with(';')) return false;
  rest.remove_prefix(1);
  skip_space(rest);
  const std::string_view name = rest.substr(0, rest.find_first_of("=;, \t"));
  rest.remove_prefix(name.size());
  skip_space(rest);
  std::string value;
  if (rest.starts_with('=')) {
    rest.remove_prefix(1);
    skip_space(rest);
    take_value(rest, value);
  }
  // If there are several, the first one counts (3.3).
  if (equals_ignore_case(name, "rel") && link.rel.empty()) link.rel = value;
  if (equals_ignore_case(name, "type") && link.type.empty()) link.type = value;
  if (equals_ignore_case(name, "hreflang") && link.hreflang.empty()) link.hreflang = value;
  if (equals_ignore_case(name, "anchor") && !link.has_anchor) {
    link.anchor = value;
    link.has_anchor = true;
  }
  return true;
}

}  // namespace

bool next_header_link(std::string_view& rest, HeaderLink& link) {
  while (true) {
    while (!rest.empty() && (is_space(rest.front()) || rest.front() == ',')) rest.remove_prefix(1);
    if (rest.empty()) return false;
    if (rest.front() == '<') {
      const std::size_t close = rest.find('>');
      if (close == std::string_view::npos) return false;
      link.target = trim(rest.substr(1, close - 1));
      rest.remove_prefix(close + 1);
      break;
    }
    rest.remove_prefix(std::min(rest.find(','), rest.size()));
  }
  link.rel.clear();
  link.type.clear();
  link.hreflang.clear();
  link.anchor.clear();
  link.has_anchor = false;
  while (take_parameter(rest, link)) {
  }
  rest.remove_prefix(std::min(rest.find(','), rest.size()));
  return true;
}

}  // namespace spinneret::html
