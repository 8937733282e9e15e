// SPDX-License-Identifier: Apache-2.0
#include "policy/calendar.h"

#include <algorithm>
#include <cstdlib>

#include "base/ascii.h"
#include "base/number.h"
#include "policy/query_policy.h"

namespace spinneret::policy {
namespace {

constexpr std::string_view kCalendarWords[] = {
    "calendar", "kalender", "calendrier", "calendario", "cal",   "events", "event", "agenda",
    "month",    "week",     "day",        "termine",    "monat", "woche",  "tag",   "date"};
constexpr std::string_view kYearKeys[] = {"year", "y",   "yr",   "yyyy",  "jahr",
                                          "annee", "ano", "anno", "tyear", "cyear"};
constexpr std::string_view kMonthKeys[] = {"month", "m", "mo", "mm", "mon", "monat", "mois", "mes"};

template <std::size_t N>
bool is_one_of(const std::string_view (&words)[N], std::string_view text) {
  return std::any_of(std::begin(words), std::end(words),
                     [text](std::string_view word) { return equals_ignore_case(word, text); });
}

constexpr bool is_separator(char c) { return c == '/' || c == '-' || c == '.' || c == '_'; }

int number(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

// A run of digits that has no letter beside it, from `at` on.
std::string_view digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(at, end - at);
}

bool is_month(std::string_view digits) {
  return (digits.size() == 1 || digits.size() == 2) && number(digits) >= 1 && number(digits) <= 12;
}
bool is_day(std::string_view digits) {
  return (digits.size() == 1 || digits.size() == 2) && number(digits) >= 1 && number(digits) <= 31;
}

struct Found {
  int year = 0;
  int month = 0;
  std::size_t end = 0;  // behind the date
};

// "2031-05-17", "2031/05", "2031-W20", with the year at `at`.
bool read_year_first(std::string_view text, std::size_t at, Found& out) {
  const std::string_view year = digits_at(text, at);
  std::size_t next = at + 4;
  if (year.size() != 4 || next + 1 >= text.size() || !is_separator(text[next])) return false;
  const char separator = text[next++];
  if (to_lower(text[next]) == 'w') {
    const std::string_view week = digits_at(text, next + 1);
    if (week.size() != 2 || number(week) > 53) return false;
    out = {number(year), std::clamp(number(week) / 4, 1, 12), next + 3};
    return true;
  }
  const std::string_view month = digits_at(text, next);
  if (!is_month(month)) return false;
  out = {number(year), number(month), next + month.size()};
  if (out.end < text.size() && text[out.end] == separator) {
    const std::string_view day = digits_at(text, out.end + 1);
    if (is_day(day)) out.end += 1 + day.size();
  }
  return true;
}

// "17/05/2031", "05-2031", with the first number at `at`.
bool read_year_last(std::string_view text, std::size_t at, Found& out) {
  const std::string_view first = digits_at(text, at);
  std::size_t next = at + first.size();
  if (!is_day(first) || next + 1 >= text.size() || !is_separator(text[next])) return false;
  const char separator = text[next];
  const std::string_view second = digits_at(text, ++next);
  if (second.size() == 4 && is_month(first)) {
    out = {number(second), number(first), next + 4};
    return true;
  }
  next += second.size();
  if (!is_day(second) || next + 1 >= text.size() || text[next] != separator) return false;
  const std::string_view third = digits_at(text, next + 1);
  if (third.size() != 4) return false;
  const int month = number(second) <= 12 ? number(second) : number(first);
  out = {number(third), std::clamp(month, 1, 12), next + 5};
  return true;
}

// "20310517"
bool read_packed(std::string_view text, std::size_t at, Found& out) {
  const std::string_view digits = digits_at(text, at);
  if (digits.size() != 8 || !is_month(digits.substr(4, 2)) || !is_day(digits.substr(6, 2))) {
    return false;
  }
  out = {number(digits.substr(0, 4)), number(digits.substr(4, 2)), at + 8};
  return true;
}

class Search {
 public:
  explicit Search(int today_year) : today_year_(today_year) {}

  // Dates anywhere in `text`, a path or a parameter's value.
  void scan(std::string_view text, bool is_path) {
    for (std::size_t at = 0; at < text.size();) {
      if (!is_digit(text[at])) {
        ++at;
        continue;
      }
      Found found;
      const bool alone = at == 0 || !is_alnum(text[at - 1]);
      const std::size_t behind = at + digits_at(text, at).size();
      if (alone && (read_year_first(text, at, found) || read_year_last(text, at, found) ||
                    read_packed(text, at, found))) {
        const bool cut_off = found.end < text.size() && is_alnum(text[found.end]);
        if (!cut_off) take(found, is_path && at_end(text.substr(found.end)));
        at = cut_off ? behind : found.end;
      } else {
        at = behind;
      }
    }
  }

  void take(const Found& found, bool at_end) {
    if (found.year < 1000) return;
    const bool farther =
        date_.year == 0 || std::abs(found.year - today_year_) > std::abs(date_.year - today_year_);
    if (!farther) return;
    date_.year = found.year;
    date_.month = found.month;
    date_.at_end = at_end;
  }

  UrlDate& date() { return date_; }

 private:
  // What may stand behind a date that ends a path: nothing, a slash, "index.html", ".html".
  static bool at_end(std::string_view rest) {
    return rest.empty() || rest == "/" || rest.starts_with("/index.") ||
           (rest.starts_with('.') && rest.find('/') == std::string_view::npos);
  }

  int today_year_;
  UrlDate date_;
};

// Words of a path, between anything that is no letter or digit; a year that follows a word of calendars.
void scan_words(std::string_view path, Search& search) {
  std::string_view previous;
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = at;
    while (end < path.size() && is_alnum(path[end])) ++end;
    const std::string_view word = path.substr(at, end - at);
    if (is_one_of(kCalendarWords, word) || is_one_of(kYearKeys, word)) {
      search.date().calendar |= !equals_ignore_case(word, "y");
    } else if (word.size() == 4 && digits_at(word, 0).size() == 4 && !previous.empty() &&
               (is_one_of(kYearKeys, previous) || is_one_of(kCalendarWords, previous))) {
      search.take({number(word), 0, end}, true);
    }
    previous = word;
    at = end + 1;
  }
}

}  // namespace

UrlDate find_date(std::string_view path, std::string_view query, int today_year) {
  Search search(today_year);
  // A year has four digits: most URLs have no such run and are done here.
  const auto has_year = [](std::string_view text) {
    std::size_t run = 0;
    for (const char c : text) {
      run = is_digit(c) ? run + 1 : 0;
      if (run == 4) return true;
    }
    return false;
  };
  const bool in_path = has_year(path);
  const bool in_query = has_year(query);
  if (!in_path && !in_query) return search.date();
  if (in_path) search.scan(path, true);
  scan_words(path, search);
  for_each_parameter(query, [&](std::string_view parameter, std::string_view name) {
    const std::string_view value = parameter.substr(std::min(parameter.size(), name.size() + 1));
    if (is_one_of(kCalendarWords, name) || is_one_of(kMonthKeys, name)) search.date().calendar = true;
    if (is_one_of(kYearKeys, name) && value.size() == 4 && digits_at(value, 0).size() == 4) {
      search.take({number(value), 0, 0}, false);
      if (number(value) >= 1000) search.date().calendar = true;
    } else {
      search.scan(value, false);
    }
    return true;
  });
  return search.date();
}

CalendarLimits calendar_today(std::int64_t unix_ms) {
  // Days to a date in the proleptic Gregorian calendar, by 400-year eras from 0000-03-01.
  const std::int64_t days = unix_ms / 86'400'000 + 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const std::int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return {static_cast<int>(year), static_cast<int>(month)};
}

std::optional<std::int64_t> parse_day_ms(std::string_view text) {
  constexpr std::uint64_t kMostSeconds = 1'000'000'000'000;  // 33,658 AD
  if (const auto seconds = parse_unsigned(text)) {
    if (*seconds > kMostSeconds) return std::nullopt;
    return static_cast<std::int64_t>(*seconds) * 1000;
  }
  Found found;
  if (text.size() != 10 || !read_year_first(text, 0, found) || found.end != 10) return std::nullopt;
  // Days from 1970 to the date: the inverse of calendar_today.
  const std::int64_t day = number(text.substr(8));
  const std::int64_t year = found.month <= 2 ? found.year - 1 : found.year;
  const std::int64_t era = year / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t shifted_month = found.month > 2 ? found.month - 3 : found.month + 9;
  const std::int64_t day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return (era * 146'097 + day_of_era - 719'468) * 86'400'000;
}

bool is_far_date(const UrlDate& date, const CalendarLimits& today, std::uint32_t past_years,
                 std::uint32_t future_years) {
  constexpr std::uint32_t kNoLimit = UINT32_MAX - 1;
  constexpr std::int64_t kArchiveFactor = 5;
  if (date.year == 0) return false;
  // A date without month counts as this month of its year.
  const std::int64_t month = date.month == 0 ? today.month : date.month;
  const std::int64_t ahead = (date.year - today.year) * std::int64_t{12} + month - today.month;
  if (future_years < kNoLimit && ahead > std::int64_t{future_years} * 12) return true;
  if (past_years >= kNoLimit) return false;
  const std::int64_t past = std::int64_t{past_years} * 12;
  if (date.calendar) return -ahead > past;
  return date.at_end && -ahead > past * kArchiveFactor;
}

}  // namespace spinneret::policy
