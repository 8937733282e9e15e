// SPDX-License-Identifier: Apache-2.0
#include "text/dates.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/ascii.h"

namespace spinneret::text {
namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};

std::string iso(int year, int month, int day) {
  if (year < 1990 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31) return {};
  const auto two = [](int value) {
    std::string out = std::to_string(value);
    return out.size() < 2 ? "0" + out : out;
  };
  return std::to_string(year) + "-" + two(month) + "-" + two(day);
}

struct DateToken {
  int number = -1;  // of digits
  int digits = 0;
  int month = 0;  // of a word
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<DateToken> date_tokens(std::string_view text) {
  std::vector<DateToken> out;
  for (std::size_t i = 0; i < text.size() && out.size() < 64;) {
    DateToken token;
    token.begin = i;
    if (is_digit(text[i])) {
      while (i < text.size() && is_digit(text[i])) ++i;
      token.digits = static_cast<int>(i - token.begin);
      token.number = token.digits <= 4
                         ? std::atoi(std::string(text.substr(token.begin, i - token.begin)).c_str())
                         : -1;
      token.end = i;
      const std::string_view suffix = text.substr(i, 2);
      if (equals_ignore_case(suffix, "st") || equals_ignore_case(suffix, "nd") ||
          equals_ignore_case(suffix, "rd") || equals_ignore_case(suffix, "th"))
        i += 2;
      out.push_back(token);
    } else if ((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z') {
      while (i < text.size() && (text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z') ++i;
      const std::string_view word = text.substr(token.begin, i - token.begin);
      for (std::size_t m = 0; m < 12 && word.size() >= 3 && word.size() <= 9; ++m) {
        if (equals_ignore_case(word.substr(0, 3), kMonths[m]))
          token.month = static_cast<int>(m) + 1;
      }
      token.end = i;
      if (token.month != 0 || (word.size() > 2 && !equals_ignore_case(word, "the")))
        out.push_back(token);
    } else {
      ++i;
    }
  }
  return out;
}

bool joined(std::string_view text, const DateToken& a, const DateToken& b, std::string_view marks) {
  return b.begin == a.end + 1 && marks.find(text[a.end]) != std::string_view::npos;
}

std::string date_of(std::string_view text, const DateToken& a, const DateToken& b,
                    const DateToken& c) {
  if (a.month != 0 && b.digits > 0 && b.digits <= 2 && c.digits == 4)
    return iso(c.number, a.month, b.number);
  if (a.digits > 0 && a.digits <= 2 && b.month != 0 && c.digits == 4)
    return iso(c.number, b.month, a.number);
  if (a.digits == 4 && b.month != 0 && c.digits > 0) return iso(a.number, b.month, c.number);
  if (a.digits == 4 && b.digits > 0 && b.digits <= 2 && c.digits > 0 && c.digits <= 2 &&
      joined(text, a, b, "-/.") && joined(text, b, c, "-/."))
    return iso(a.number, b.number, c.number);
  if (a.digits > 0 && a.digits <= 2 && b.digits > 0 && b.digits <= 2 && c.digits == 4) {
    if (joined(text, a, b, ".") && joined(text, b, c, "."))
      return iso(c.number, b.number, a.number);
    if (joined(text, a, b, "/-") && joined(text, b, c, "/-")) {
      return a.number > 12 ? iso(c.number, b.number, a.number) : iso(c.number, a.number, b.number);
    }
  }
  return {};
}

}  // namespace

std::string find_date(std::string_view text) {
  text = text.substr(0, 400);
  if (std::none_of(text.begin(), text.end(), is_digit)) return {};
  const std::vector<DateToken> tokens = date_tokens(text);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    std::string date = date_of(text, tokens[i], tokens[i + 1], tokens[i + 2]);
    if (!date.empty()) return date;
  }
  return {};
}

std::size_t find_number(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i]) && (i == 0 || !is_alnum(text[i - 1]))) return i;
    if (i != 0 && text[i - 1] != ' ') continue;
    for (const std::string_view month : kMonths) {
      std::size_t end = i;
      while (end < text.size() && is_alpha(text[end])) ++end;
      const std::size_t digit = end + (end < text.size() && text[end] == '.');
      if (end - i >= 3 && equals_ignore_case(text.substr(i, 3), month) && digit + 1 < text.size() &&
          text[digit] == ' ' && is_digit(text[digit + 1]))
        return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace spinneret::text
