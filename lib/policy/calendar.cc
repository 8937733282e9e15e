// SPDX-License-Identifier: Apache-2.0
#include "policy/calendar.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/ascii.h"
#include "base/number.h"
#include "url/params.h"

namespace spinneret::policy {
namespace {

// How surely a URL is about a calendar. Numbers of other things look like dates, too:
// /thread/2045/2 is the second page of a thread, /10.3390/12 a publication. So without a calendar
// word only dates written in full count, and only those of our time; with one, everything that can
// be read as a date counts.
enum Hint { kNoHint, kWeakHint, kStrongHint };

constexpr std::string_view kStrongWords[] = {
    "calendar", "kalender", "calendrier", "calendario", "cal",  "month", "week", "day",
    "monat",    "woche",    "mois",       "semaine",    "date", "year",  "jahr"};
constexpr std::string_view kWeakWords[] = {"events",  "event",           "agenda",
                                           "termine", "veranstaltungen", "schedule"};
constexpr std::string_view kYearKeys[] = {"year", "yr",   "yyyy",  "jahr", "annee",
                                          "ano",  "anno", "tyear", "cyear"};
constexpr std::string_view kMonthKeys[] = {"month", "m", "mo", "mm", "mon", "monat", "mois", "mes"};

// The years around today that a date may have where no calendar word is near it.
constexpr int kYearsBack = 200;
constexpr int kYearsAhead = 100;

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

// Returns the run of digits that begins at `at`.
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
  std::size_t end = 0;  // offset after the date
  // Month and day have two digits, or there is a day: hardly anything but a date.
  bool in_full = false;
};

// Reads "2031-05-17", "2031/05" or "2031-W20", with the year at `at`.
bool read_year_first(std::string_view text, std::size_t at, Found& out) {
  const std::string_view year = digits_at(text, at);
  std::size_t next = at + 4;
  if (year.size() != 4 || next + 1 >= text.size() || !is_separator(text[next])) return false;
  const bool is_doi = at >= 3 && text.substr(at - 3, 3) == "10.";
  const char separator = text[next++];
  if (is_doi) return false;
  if (to_lower(text[next]) == 'w') {
    const std::string_view week = digits_at(text, next + 1);
    if (week.size() != 2 || number(week) > 53) return false;
    out = {number(year), std::clamp(number(week) / 4, 1, 12), next + 3, true};
    return true;
  }
  const std::string_view month = digits_at(text, next);
  if (!is_month(month)) return false;
  out = {number(year), number(month), next + month.size(), month.size() == 2};
  if (out.end < text.size() && text[out.end] == separator) {
    const std::string_view day = digits_at(text, out.end + 1);
    if (is_day(day)) out.end += 1 + day.size();
  }
  return true;
}

// Reads "17/05/2031" or "05-2031", with the first number at `at`. "10.1000" is not a month and
// year, and the end of 10.1.1.27.2113 is not a date.
bool read_year_last(std::string_view text, std::size_t at, Found& out) {
  if (at > 0 && text[at - 1] == '.') return false;
  const std::string_view first = digits_at(text, at);
  std::size_t next = at + first.size();
  if (!is_day(first) || next + 1 >= text.size() || !is_separator(text[next])) return false;
  const char separator = text[next];
  const std::string_view second = digits_at(text, ++next);
  if (second.size() == 4 && is_month(first) && separator != '.') {
    out = {number(second), number(first), next + 4, first.size() == 2};
    return true;
  }
  next += second.size();
  if (!is_day(second) || next + 1 >= text.size() || text[next] != separator) return false;
  const std::string_view third = digits_at(text, next + 1);
  if (third.size() != 4) return false;
  const int month = number(second) <= 12 ? number(second) : number(first);
  out = {number(third), std::clamp(month, 1, 12), next + 5, true};
  return true;
}

// Reads "20310517" or "203105", which is a date only next to a calendar word.
bool read_packed(std::string_view text, std::size_t at, Hint hint, Found& out) {
  const std::string_view digits = digits_at(text, at);
  if (hint == kNoHint || (digits.size() != 8 && digits.size() != 6)) return false;
  if (!is_month(digits.substr(4, 2))) return false;
  if (digits.size() == 8 && !is_day(digits.substr(6, 2))) return false;
  out = {number(digits.substr(0, 4)), number(digits.substr(4, 2)), at + digits.size(),
         digits.size() == 8};
  return true;
}

class Search {
 public:
  explicit Search(int today_year) : today_year_(today_year) {}

  // Finds dates anywhere in `text`, a path or a parameter's value.
  void scan(std::string_view text, Hint hint, bool is_path) {
    for (std::size_t at = 0; at < text.size();) {
      if (!is_digit(text[at])) {
        ++at;
        continue;
      }
      Found found;
      const bool alone = at == 0 || !is_alnum(text[at - 1]);
      const std::size_t behind = at + digits_at(text, at).size();
      if (alone && (read_year_first(text, at, found) || read_year_last(text, at, found) ||
                    read_packed(text, at, hint, found))) {
        const bool cut_off = found.end < text.size() && is_alnum(text[found.end]);
        if (!cut_off) take(found, hint, is_path && at_end(text.substr(found.end)));
        at = cut_off ? behind : found.end;
      } else {
        at = behind;
      }
    }
  }

  void take(const Found& found, Hint hint, bool at_end) {
    const bool of_our_time =
        found.year >= today_year_ - kYearsBack && found.year <= today_year_ + kYearsAhead;
    if (hint == kNoHint && !found.in_full) return;
    if (hint != kStrongHint && !of_our_time) return;
    if (found.year < 1000) return;
    date_.calendar |= hint != kNoHint;
    const bool farther =
        date_.year == 0 || std::abs(found.year - today_year_) > std::abs(date_.year - today_year_);
    const bool finer = found.year == date_.year && date_.month == 0;
    if (!farther && !finer) return;
    date_.year = found.year;
    date_.month = found.month;
    date_.at_end = at_end;
  }

  UrlDate& date() { return date_; }

 private:
  // Returns whether `rest` may follow a date that ends a path: nothing, a slash, "index.html",
  // ".html".
  static bool at_end(std::string_view rest) {
    return rest.empty() || rest == "/" || rest.starts_with("/index.") ||
           (rest.starts_with('.') && rest.find('/') == std::string_view::npos);
  }

  int today_year_;
  UrlDate date_;
};

// Returns whether there is a run of four digits, without which there is no date. Such a run covers
// a byte whose offset is 3, 7, 11 ..., so only these are examined.
bool has_year(std::string_view text) {
  for (std::size_t at = 3; at < text.size(); at += 4) {
    if (!is_digit(text[at])) continue;
    std::size_t begin = at;
    while (begin > 0 && is_digit(text[begin - 1])) --begin;
    if (digits_at(text, begin).size() >= 4) return true;
  }
  return false;
}

Hint hint_of(std::string_view word) {
  if (is_one_of(kStrongWords, word) || is_one_of(kYearKeys, word)) return kStrongHint;
  return is_one_of(kWeakWords, word) ? kWeakHint : kNoHint;
}

// Scans the segments of a path, without what follows a dot. Returns the strongest hint, and takes a
// year that follows a hint ("/calendar/2031", "/cal.php/2031"). A word inside a longer name means
// nothing: /2013/06/save-the-date.
Hint scan_segments(std::string_view path, Search& search) {
  Hint strongest = kNoHint;
  Hint previous = kNoHint;
  while (!path.empty()) {
    const std::string_view segment = cut(path, '/');
    const std::string_view stem = segment.substr(0, segment.find('.'));
    if (previous == kStrongHint && stem.size() == 4 && digits_at(stem, 0).size() == 4) {
      search.take({number(stem), 0, 0, true}, previous, path.empty());
    }
    previous = stem.empty() ? kNoHint : hint_of(stem);
    strongest = std::max(strongest, previous);
  }
  return strongest;
}

void scan_query(std::string_view query, Hint path_hint, Search& search) {
  bool has_month = false;
  for_each_param(query, [&](std::string_view param) {
    has_month |= is_one_of(kMonthKeys, raw_param_name(param));
  });
  for_each_param(query, [&](std::string_view param) {
    if (param.empty()) return;
    const std::string_view name = raw_param_name(param);
    const std::string_view value = param.substr(std::min(param.size(), name.size() + 1));
    // A lone y is a coordinate on a map; together with a month it is a year.
    const bool is_year = is_one_of(kYearKeys, name) || (has_month && equals_ignore_case(name, "y"));
    if (is_year && value.size() == 4 && digits_at(value, 0).size() == 4) {
      search.take({number(value), 0, 0, true}, kStrongHint, false);
    } else {
      const Hint own = is_one_of(kMonthKeys, name) ? kStrongHint : hint_of(name);
      search.scan(value, std::max(own, path_hint), false);
    }
  });
}

}  // namespace

UrlDate find_date(std::string_view path, std::string_view query, int today_year) {
  Search search(today_year);
  const bool in_path = has_year(path);
  const bool in_query = has_year(query);
  if (!in_path && !in_query) return search.date();
  const Hint hint = scan_segments(path, search);
  if (in_path) search.scan(path, hint, true);
  if (in_query) scan_query(query, hint, search);
  return search.date();
}

CalendarLimits calendar_today(std::int64_t unix_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> now{std::chrono::milliseconds(unix_ms)};
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  return {static_cast<int>(today.year()), static_cast<int>(static_cast<unsigned>(today.month()))};
}

bool is_far_date(const UrlDate& date, const CalendarLimits& today, std::uint32_t past_years,
                 std::uint32_t future_years) {
  constexpr std::uint32_t kNoLimit = UINT32_MAX - 1;
  constexpr std::int64_t kArchiveFactor = 5;
  if (date.year == 0) return false;
  // A date without a month counts as this month of its year.
  const std::int64_t month = date.month == 0 ? today.month : date.month;
  const std::int64_t ahead = (date.year - today.year) * std::int64_t{12} + month - today.month;
  if (future_years < kNoLimit && ahead > std::int64_t{future_years} * 12) return true;
  if (past_years >= kNoLimit) return false;
  const std::int64_t past = std::int64_t{past_years} * 12;
  if (date.calendar) return -ahead > past;
  return date.at_end && -ahead > past * kArchiveFactor;
}

}  // namespace spinneret::policy
