// SPDX-License-Identifier: Apache-2.0
#include "text/dates.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/ascii.h"

namespace spinneret::text {
namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};

// Months of other languages, as whole names and common abbreviations, since a word that begins like
// a month may be another word there.
struct MonthName {
  std::string_view name;
  int month;
};
constexpr MonthName kForeign[] = {{"janvier", 1},       {"janv", 1},
                                  {"f\u00E9vrier", 2},  {"f\u00E9vr", 2},
                                  {"mars", 3},          {"avril", 4},
                                  {"mai", 5},           {"juin", 6},
                                  {"juillet", 7},       {"ao\u00FBt", 8},
                                  {"septembre", 9},     {"octobre", 10},
                                  {"novembre", 11},     {"d\u00E9cembre", 12},
                                  {"d\u00E9c", 12},     {"januar", 1},
                                  {"j\u00E4nner", 1},   {"februar", 2},
                                  {"m\u00E4rz", 3},     {"juni", 6},
                                  {"juli", 7},          {"oktober", 10},
                                  {"okt", 10},          {"dezember", 12},
                                  {"dez", 12},          {"enero", 1},
                                  {"ene", 1},           {"febrero", 2},
                                  {"marzo", 3},         {"abril", 4},
                                  {"abr", 4},           {"mayo", 5},
                                  {"junio", 6},         {"julio", 7},
                                  {"agosto", 8},        {"ago", 8},
                                  {"septiembre", 9},    {"setiembre", 9},
                                  {"octubre", 10},      {"noviembre", 11},
                                  {"diciembre", 12},    {"dic", 12},
                                  {"gennaio", 1},       {"genn", 1},
                                  {"febbraio", 2},      {"aprile", 4},
                                  {"maggio", 5},        {"giugno", 6},
                                  {"luglio", 7},        {"settembre", 9},
                                  {"ottobre", 10},      {"dicembre", 12},
                                  {"janeiro", 1},       {"fevereiro", 2},
                                  {"mar\u00E7o", 3},    {"maio", 5},
                                  {"junho", 6},         {"julho", 7},
                                  {"setembro", 9},      {"outubro", 10},
                                  {"novembro", 11},     {"dezembro", 12},
                                  {"januari", 1},       {"februari", 2},
                                  {"maart", 3},         {"mei", 5},
                                  {"augustus", 8},      {"augusti", 8},
                                  {"maj", 5},           {"marts", 3},
                                  {"stycznia", 1},      {"lutego", 2},
                                  {"marca", 3},         {"kwietnia", 4},
                                  {"maja", 5},          {"czerwca", 6},
                                  {"lipca", 7},         {"sierpnia", 8},
                                  {"wrze\u015Bnia", 9}, {"pa\u017Adziernika", 10},
                                  {"listopada", 11},    {"grudnia", 12}};

std::string iso(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (year < 1990 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31 || !date.ok())
    return {};
  const auto two = [](int value) {
    std::string out = std::to_string(value);
    return out.size() < 2 ? "0" + out : out;
  };
  return std::to_string(year) + "-" + two(month) + "-" + two(day);
}

struct DateToken {
  int number = -1;  // -1 unless the token is digits, at most four
  int digits = 0;
  int month = 0;  // 0 unless the token is the name of a month
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Returns the size of the letter at `at` in bytes: 1 for ASCII, 2 from U+00C0 on, 0 if it is not a
// letter.
std::size_t letter_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return is_alpha(text[at]) ? 1 : 0;
  return byte >= 0xC3 && byte < 0xE0 && at + 1 < text.size() ? 2 : 0;
}

int month_of(std::string_view word) {
  if (word.size() < 3 || word.size() > 14) return 0;
  const std::string_view start = word.substr(0, 3);
  for (std::size_t m = 0; m < 12 && word.size() <= 9; ++m) {
    if (equals_ignore_case(start, kMonths[m])) return static_cast<int>(m) + 1;
  }
  for (const MonthName& foreign : kForeign) {
    if (equals_ignore_case(word, foreign.name)) return foreign.month;
  }
  return 0;
}

// Returns the size of the sign for year, month or day that stands behind a number in Chinese,
// Japanese and Korean. Each has three bytes.
std::size_t east_asian_sign(std::string_view text) {
  for (const std::string_view sign : {"\u5E74", "\u6708", "\u65E5", "\uB144", "\uC6D4", "\uC77C"}) {
    if (text.starts_with(sign)) return sign.size();
  }
  return 0;
}

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
    } else if (const std::size_t sign = east_asian_sign(text.substr(i)); sign != 0) {
      i += sign;
    } else if (letter_at(text, i) != 0) {
      while (const std::size_t size = letter_at(text, i)) i += size;
      const std::string_view word = text.substr(token.begin, i - token.begin);
      token.month = month_of(word);
      token.end = i;
      if (token.month != 0 || (word.size() > 2 && !equals_ignore_case(word, "the")))
        out.push_back(token);
    } else {
      ++i;
      while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) ++i;
    }
  }
  return out;
}

bool joined(std::string_view text, const DateToken& a, const DateToken& b, std::string_view marks) {
  return b.begin == a.end + 1 && marks.find(text[a.end]) != std::string_view::npos;
}

std::string date_of(std::string_view text, const DateToken& a, const DateToken& b,
                    const DateToken& c, bool day_first) {
  if (a.month != 0 && b.digits > 0 && b.digits <= 2 && c.digits == 4)
    return iso(c.number, a.month, b.number);
  if (a.digits > 0 && a.digits <= 2 && b.month != 0 && c.digits == 4)
    return iso(c.number, b.month, a.number);
  if (a.digits == 4 && b.month != 0 && c.digits > 0) return iso(a.number, b.month, c.number);
  if (a.digits == 4 && b.digits > 0 && b.digits <= 2 && c.digits > 0 && c.digits <= 2 &&
      ((joined(text, a, b, "-/.") && joined(text, b, c, "-/.")) ||
       (east_asian_sign(text.substr(a.end)) != 0 && east_asian_sign(text.substr(b.end)) != 0)))
    return iso(a.number, b.number, c.number);
  if (a.digits > 0 && a.digits <= 2 && b.digits > 0 && b.digits <= 2 && c.digits == 4) {
    if (joined(text, a, b, ".") && joined(text, b, c, "."))
      return iso(c.number, b.number, a.number);
    if (joined(text, a, b, "/-") && joined(text, b, c, "/-")) {
      return a.number > 12 || (day_first && b.number <= 12) ? iso(c.number, b.number, a.number)
                                                            : iso(c.number, a.number, b.number);
    }
  }
  return {};
}

// Whether four digits stand together, as in every date.
bool has_year(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    if (is_digit(c)) {
      ++digits;
    } else if (digits == 4) {
      return true;
    } else {
      digits = 0;
    }
  }
  return digits == 4;
}

}  // namespace

std::string find_date(std::string_view text, bool day_first) {
  constexpr std::size_t kLooked = 400;
  const bool is_cut = text.size() > kLooked && is_digit(text[kLooked]);
  text = text.substr(0, kLooked);
  // The cut may have halved a number, which would then be another one.
  while (is_cut && !text.empty() && is_digit(text.back())) text.remove_suffix(1);
  if (!has_year(text)) return {};
  const std::vector<DateToken> tokens = date_tokens(text);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    std::string date = date_of(text, tokens[i], tokens[i + 1], tokens[i + 2], day_first);
    if (!date.empty()) return date;
  }
  return {};
}

bool writes_day_first(std::string_view text, std::string_view language) {
  const auto number = [text](std::size_t at, std::size_t most) {
    int value = 0;
    std::size_t size = 0;
    for (; at + size < text.size() && size < most && is_digit(text[at + size]); ++size)
      value = value * 10 + (text[at + size] - '0');
    return std::pair(size == 0 ? -1 : value, size);
  };
  int days = 0, months = 0, tries = 0;
  for (std::size_t at = text.find('/'); at != std::string_view::npos && tries < 2000;
       at = text.find('/', at + 1), ++tries) {
    if (at < 1 || !is_digit(text[at - 1])) continue;
    const std::size_t begin = at >= 2 && is_digit(text[at - 2]) ? at - 2 : at - 1;
    if (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '/')) continue;
    const auto [first, size] = number(begin, 2);
    const auto [second, width] = number(at + 1, 2);
    if (second < 1 || at + 1 + width >= text.size() || text[at + 1 + width] != '/') continue;
    if (number(at + 2 + width, 4).second != 4) continue;
    days += first > 12 && first <= 31 && second <= 12;
    months += first >= 1 && first <= 12 && second > 12 && second <= 31;
  }
  if (days != months) return days > months;
  const std::string_view place = language.size() >= 5 ? language.substr(3) : std::string_view();
  const std::string_view own = language.substr(0, 2);
  if (own.size() < 2) return false;
  for (const std::string_view other : {"en", "zh", "ja", "ko"}) {
    if (!equals_ignore_case(own, other)) continue;
    for (const std::string_view where : {"gb", "uk", "au", "nz", "ie", "in", "za", "sg", "hk"}) {
      if (equals_ignore_case(place, where)) return true;
    }
    return false;
  }
  return true;
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
