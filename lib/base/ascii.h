// SPDX-License-Identifier: Apache-2.0
// ASCII classes and comparisons over bytes. They use no locale: a byte above 0x7F is in no class
// and is never changed. All are constexpr or inline, and only to_lower_copy() allocates.
#ifndef SPINNERET_BASE_ASCII_H_
#define SPINNERET_BASE_ASCII_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_alpha(char c) { return is_lower(static_cast<char>(c | 0x20)); }
constexpr bool is_alnum(char c) { return is_alpha(c) || is_digit(c); }
// HTML and CSS white space: tab, LF, FF, CR, space.
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

constexpr char to_lower(char c) { return is_upper(c) ? static_cast<char>(c | 0x20) : c; }
constexpr char to_upper(char c) { return is_lower(c) ? static_cast<char>(c & ~0x20) : c; }

// Returns 0..15, or -1 where c is no hexadecimal digit.
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}
constexpr bool is_hex(char c) { return hex_value(c) >= 0; }
constexpr char kHexUpper[] = "0123456789ABCDEF";
constexpr char kHexLower[] = "0123456789abcdef";

constexpr bool is_digits(std::string_view text) {
  for (const char c : text) {
    if (!is_digit(c)) return false;
  }
  return !text.empty();
}

constexpr bool equals_ignore_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

constexpr bool starts_with_ignore_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equals_ignore_case(text.substr(0, prefix.size()), prefix);
}

// Returns `text` without the white space (is_space) at both ends, as a view into `text`.
constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

inline void make_lower(std::string& text) {
  for (char& c : text) c = to_lower(c);
}

inline std::string to_lower_copy(std::string_view text) {
  std::string out(text);
  make_lower(out);
  return out;
}

// Cuts `text` at the first `separator`: returns what stands before it and leaves the rest in
// `text`. Without a separator the whole text is returned and `text` is left empty.
constexpr std::string_view cut(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return head;
}

// Cuts the next word, a run of bytes that are not white space (is_space), off `text`. Returns an
// empty view if no word is left.
constexpr std::string_view cut_word(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_space(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_space(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

}  // namespace spinneret

#endif  // SPINNERET_BASE_ASCII_H_
