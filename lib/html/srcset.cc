// SPDX-License-Identifier: Apache-2.0
#include "html/srcset.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret::html {
namespace {

std::string_view take_while(std::string_view& rest, bool (*wanted)(char)) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), wanted);
  const auto size = static_cast<std::size_t>(end - rest.begin());
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(size);
  return taken;
}

bool is_space_or_comma(char c) { return is_space(c) || c == ','; }
bool is_no_space(char c) { return !is_space(c); }
bool is_time(char c) { return is_digit(c) || c == '.'; }

// Takes a descriptor, which ends at a comma outside of parentheses.
std::string_view take_descriptor(std::string_view& rest) {
  bool in_parentheses = false;
  std::size_t at = 0;
  for (; at < rest.size(); ++at) {
    const char c = rest[at];
    if (c == '(') in_parentheses = true;
    if (c == ')') in_parentheses = false;
    if (c == ',' && !in_parentheses) break;
  }
  const std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(std::min(rest.size(), at + 1));
  return trim(taken);
}

}  // namespace

bool next_srcset_candidate(std::string_view& rest, std::string_view& url,
                           std::string_view& descriptor) {
  take_while(rest, is_space_or_comma);
  if (rest.empty()) return false;
  url = take_while(rest, is_no_space);
  descriptor = {};
  if (url.ends_with(',')) {
    while (url.ends_with(',')) url.remove_suffix(1);
  } else {
    descriptor = take_descriptor(rest);
  }
  return true;
}

bool parse_refresh(std::string_view content, std::string_view& url) {
  url = {};
  std::string_view rest = content;
  take_while(rest, is_space);
  if (take_while(rest, is_digit).empty() && !rest.starts_with('.')) return false;
  take_while(rest, is_time);
  if (rest.empty()) return true;
  if (rest.front() != ';' && rest.front() != ',' && !is_space(rest.front())) return false;
  take_while(rest, is_space);
  if (rest.starts_with(';') || rest.starts_with(',')) rest.remove_prefix(1);
  take_while(rest, is_space);
  // The URL is the text behind "url", white space and "=", or else the whole rest.
  std::string_view candidate = rest;
  if (starts_with_ignore_case(rest, "url")) {
    std::string_view behind = rest.substr(3);
    take_while(behind, is_space);
    if (behind.starts_with('=')) {
      behind.remove_prefix(1);
      take_while(behind, is_space);
      candidate = behind;
    }
  }
  if (candidate.starts_with('"') || candidate.starts_with('\'')) {
    const char quote = candidate.front();
    candidate.remove_prefix(1);
    candidate = candidate.substr(0, candidate.find(quote));
  }
  url = candidate;
  return true;
}

}  // namespace spinneret::html
