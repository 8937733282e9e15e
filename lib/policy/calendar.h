// SPDX-License-Identifier: Apache-2.0
// Finds dates in URLs, to tell an archive from a calendar that has a page for every day of all
// time.
//
// A date is a year of four digits that stands alone, next to its month, with month and day in two
// digits, and lies in the last 200 or the next 100 years:
//
//   /2031/05  /2031-05-17  /17/05/2031  2031-W20
//
// In a URL that mentions a calendar (by a segment or key calendar, month, date ...) these count,
// too:
//
//   /calendar/2031  /calendar/2031/5  ?month=203105  ?date=20310517  ?year=2031  ?y=2031&m=5
//
// Identifiers are not taken for dates: /thread/2045/2, 10.3390/12, /item/20310517, ?x=1920&y=2045.
// These are pure functions.
#ifndef SPINNERET_POLICY_CALENDAR_H_
#define SPINNERET_POLICY_CALENDAR_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace spinneret::policy {

struct UrlDate {
  int year = 0;           // 0: no date
  int month = 0;          // 1 to 12; 0: not known
  bool calendar = false;  // the URL also mentions a calendar
  bool at_end = false;    // the path ends with the date
};

// Returns the date farthest from `today_year`, since pages of a calendar also contain today's date.
UrlDate find_date(std::string_view path, std::string_view query, int today_year);

struct CalendarLimits {
  int year = 1970;
  int month = 1;
};
CalendarLimits calendar_today(std::int64_t unix_ms);

// Returns whether the date is more than `future_years` ahead of today, or belongs to a calendar and
// is more than `past_years` back. For a URL that ends in its date without mentioning a calendar, as
// archives do, the limit for the past is 5 times as high. For a URL that continues after its date,
// as articles do, there is no such limit. UINT32_MAX - 1 and above mean no limit.
bool is_far_date(const UrlDate& date, const CalendarLimits& today, std::uint32_t past_years,
                 std::uint32_t future_years);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_CALENDAR_H_
