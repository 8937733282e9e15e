// SPDX-License-Identifier: Apache-2.0
#include "http/http_date.h"

#include <array>
#include <chrono>
#include <vector>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret::http {
namespace {

struct Parts {
  std::optional<unsigned> day, month, hour, minute, second;
  std::optional<int> year;
};

std::optional<unsigned> month_of(std::string_view word) {
  static constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (word.size() != 3) return std::nullopt;
  const std::string low = to_lower_copy(word);
  for (unsigned i = 0; i < 12; ++i) {
    if (kMonths.substr(std::size_t{i} * 3, 3) == low) return i + 1;
  }
  return std::nullopt;
}

int whole_year(unsigned two_digits, std::int64_t now_seconds) {
  using namespace std::chrono;
  const year_month_day today{floor<days>(sys_seconds{seconds{now_seconds}})};
  const int now_year = static_cast<int>(today.year());
  int year = now_year - now_year % 100 + static_cast<int>(two_digits);
  if (year > now_year + 50) year -= 100;
  if (year <= now_year - 50) year += 100;
  return year;
}

bool take_time(std::string_view word, Parts& parts) {
  const auto hour = parse_unsigned(cut(word, ':'));
  const auto minute = parse_unsigned(cut(word, ':'));
  const auto second = parse_unsigned(word);
  // 60 is a leap second.
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return false;
  parts.hour = static_cast<unsigned>(*hour);
  parts.minute = static_cast<unsigned>(*minute);
  parts.second = static_cast<unsigned>(*second);
  return true;
}

bool take_number(std::string_view word, std::int64_t now_seconds, Parts& parts) {
  const auto value = parse_unsigned(word);
  if (!value) return false;
  if (!parts.day && word.size() <= 2) {
    parts.day = static_cast<unsigned>(*value);
  } else if (!parts.year && word.size() == 4) {
    parts.year = static_cast<int>(*value);
  } else if (!parts.year && word.size() == 2) {
    parts.year = whole_year(static_cast<unsigned>(*value), now_seconds);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now_seconds) {
  using namespace std::chrono;
  if (text.size() > 64) return std::nullopt;
  Parts parts;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == ',' || text[at] == '-') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" ,-", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (word.find(':') != std::string_view::npos) {
      if (!take_time(word, parts)) return std::nullopt;
    } else if (is_digit(word.front())) {
      if (!take_number(word, now_seconds, parts)) return std::nullopt;
    } else if (!parts.month) {
      parts.month = month_of(word);  // or the name of a day
    }
  }
  if (!parts.day || !parts.month || !parts.year || !parts.hour) return std::nullopt;
  const year_month_day date{year{*parts.year}, month{*parts.month}, day{*parts.day}};
  if (!date.ok()) return std::nullopt;
  const sys_seconds at_second =
      sys_days{date} + hours{*parts.hour} + minutes{*parts.minute} + seconds{*parts.second};
  return at_second.time_since_epoch().count();
}

}  // namespace spinneret::http
