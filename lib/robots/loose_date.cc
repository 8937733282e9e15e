// SPDX-License-Identifier: Apache-2.0
// Dates as people write them: the tokens of a date in any order, as in RFC 6265, section 5.1.1; ISO
// 8601 is tried first.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "robots/page_directives.h"

namespace spinneret::robots {
namespace {

struct DateParts {
  int year = -1;
  int month = -1;
  int day = -1;
  int seconds = 0;  // of the day
  bool has_time = false;
  int zone_minutes = 0;
};

// Takes the digits at the front; returns -1 where there are fewer than `low` or more than `high`.
int take_digits(std::string_view& text, std::size_t low, std::size_t high) {
  std::size_t count = 0;
  int value = 0;
  while (count < text.size() && count < high && is_digit(text[count])) {
    value = value * 10 + (text[count++] - '0');
  }
  if (count < low || (count < text.size() && is_digit(text[count]))) return -1;
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

int month_of(std::string_view word) {
  constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (word.size() < 3) return -1;
  const char name[3] = {to_lower(word[0]), to_lower(word[1]), to_lower(word[2])};
  for (std::size_t at = 0; at < kMonths.size(); at += 3) {
    if (kMonths.substr(at, 3) == std::string_view(name, 3)) return static_cast<int>(at / 3) + 1;
  }
  return -1;
}

// Takes "15:00", "15:00:30" or "15:00:30.5".
bool take_time(std::string_view& text, DateParts& parts) {
  const int hour = take_digits(text, 1, 2);
  if (hour < 0 || hour > 24 || !take_char(text, ':')) return false;
  const int minute = take_digits(text, 2, 2);
  if (minute < 0 || minute > 59) return false;
  int second = 0;
  if (take_char(text, ':')) {
    second = take_digits(text, 2, 2);
    if (second < 0 || second > 60) return false;
    if (take_char(text, '.')) {
      while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
    }
  }
  parts.seconds = hour * 3600 + minute * 60 + second;
  parts.has_time = true;
  return true;
}

// Takes "Z", "GMT", "PST", "+01:00" or "-0800". Returns false where there is no zone.
bool take_zone(std::string_view& text, DateParts& parts) {
  struct Zone {
    std::string_view name;
    int hours;
  };
  static constexpr std::array<Zone, 12> kZones{{{"gmt", 0},
                                                {"utc", 0},
                                                {"ut", 0},
                                                {"z", 0},
                                                {"est", -5},
                                                {"edt", -4},
                                                {"cst", -6},
                                                {"cdt", -5},
                                                {"mst", -7},
                                                {"mdt", -6},
                                                {"pst", -8},
                                                {"pdt", -7}}};
  std::string_view rest = text;
  std::size_t letters = 0;
  while (letters < rest.size() && is_alpha(rest[letters])) ++letters;
  for (const Zone& zone : kZones) {
    if (equals_ignore_case(rest.substr(0, letters), zone.name)) {
      parts.zone_minutes = zone.hours * 60;
      text.remove_prefix(letters);
      return true;
    }
  }
  if (rest.empty() || (rest.front() != '+' && rest.front() != '-')) return false;
  const int sign = rest.front() == '-' ? -1 : 1;
  rest.remove_prefix(1);
  if (rest.size() < 4 || !is_digit(rest[0]) || !is_digit(rest[1])) return false;
  const int hours = (rest[0] - '0') * 10 + (rest[1] - '0');
  rest.remove_prefix(2);
  take_char(rest, ':');
  const int minutes = take_digits(rest, 2, 2);
  if (hours > 14 || minutes < 0 || minutes > 59) return false;
  parts.zone_minutes = sign * (hours * 60 + minutes);
  text = rest;
  return true;
}

// Parses "2026-11-20", optionally followed by "T15:00:00Z" or by a space and the same time.
bool parse_iso(std::string_view text, DateParts& parts) {
  parts.year = take_digits(text, 4, 4);
  if (parts.year < 0 || !take_char(text, '-')) return false;
  parts.month = take_digits(text, 2, 2);
  if (!take_char(text, '-')) return false;
  parts.day = take_digits(text, 2, 2);
  if (text.empty()) return true;
  if (!take_char(text, 'T') && !take_char(text, 't') && !take_char(text, ' ')) return false;
  if (!take_time(text, parts)) return false;
  text = trim(text);
  return text.empty() || (take_zone(text, parts) && text.empty());
}

int full_year(int year, std::size_t digits) {
  if (digits != 2) return year;
  return year + (year < 70 ? 2000 : 1900);
}

// Takes a number: the day first, then the year ("25 Jun 2010", "25-Jun-10", "Jun 25 15:00:00
// 2010").
bool take_number(std::string_view& text, DateParts& parts) {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  const int value = take_digits(text, 1, 4);
  if (value < 0) return false;
  if (digits <= 2 && parts.day < 0) {
    parts.day = value;
  } else if (parts.year < 0 && digits != 1 && digits != 3) {
    parts.year = full_year(value, digits);
  } else {
    return false;
  }
  return true;
}

bool parse_words(std::string_view text, DateParts& parts) {
  while (!text.empty()) {
    const char c = text.front();
    std::string_view ahead = text;
    if (is_digit(c)) {
      DateParts time;
      if (!parts.has_time && take_time(ahead, time)) {
        parts.seconds = time.seconds;
        parts.has_time = true;
        text = ahead;
      } else if (!take_number(text, parts)) {
        return false;
      }
    } else if (parts.has_time && take_zone(text, parts)) {
      continue;
    } else if (is_alpha(c)) {
      std::size_t letters = 0;
      while (letters < text.size() && is_alpha(text[letters])) ++letters;
      if (const int month = month_of(text.substr(0, letters)); month > 0 && parts.month < 0) {
        parts.month = month;
      }
      text.remove_prefix(letters);
    } else {
      text.remove_prefix(1);
    }
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> parse_loose_date(std::string_view text) {
  text = trim(text);
  if (text.size() > 64) return std::nullopt;
  DateParts parts;
  if (!parse_iso(text, parts)) {
    parts = DateParts();
    if (!parse_words(text, parts)) return std::nullopt;
  }
  if (parts.year < 0 || parts.month < 1 || parts.day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(parts.year),
                                         std::chrono::month(static_cast<unsigned>(parts.month)),
                                         std::chrono::day(static_cast<unsigned>(parts.day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * 86400 + parts.seconds - parts.zone_minutes * 60;
}

}  // namespace spinneret::robots
