// SPDX-License-Identifier: Apache-2.0
#include "policy/calendar.h"

#include <gtest/gtest.h>

#include <string>

#include "base/moment.h"

namespace spinneret::policy {
namespace {

struct DateRow {
  const char* path;
  const char* query;
  int year;
  int month;
  bool calendar;
  bool at_end;
};

constexpr DateRow kDates[] = {
    {"/2031/05", "", 2031, 5, false, true},
    {"/2031/05/17/", "", 2031, 5, false, true},
    {"/2031-05-17", "", 2031, 5, false, true},
    {"/2031.05.html", "", 2031, 5, false, true},
    {"/17/05/2031", "", 2031, 5, false, true},
    {"/5.5.2031", "", 2031, 5, false, true},
    {"/05-2031", "", 2031, 5, false, true},
    {"/2031-W20", "", 2031, 5, false, true},
    {"/2009/05/a-story", "", 2009, 5, false, false},
    {"/2009/05/17/a-story.html", "", 2009, 5, false, false},
    {"/", "when=2031-05-17", 2031, 5, false, false},
    {"/calendar/2031/5", "", 2031, 5, true, true},
    {"/calendar/20310517", "", 2031, 5, true, true},
    {"/calendar/9031/5", "", 9031, 5, true, true},
    {"/events/2031-05/list", "", 2031, 5, true, false},
    {"/events/2031/5", "", 2031, 5, true, true},
    {"/calendar/2031", "", 2031, 0, true, true},
    {"/year/2031", "", 2031, 0, true, true},
    {"/", "year=2031&month=5", 2031, 0, true, false},
    {"/", "y=1803&m=7", 1803, 0, true, false},
    {"/", "month=2031-05", 2031, 5, true, false},
    {"/", "m=203105", 2031, 5, true, false},
    {"/", "date=20310517", 2031, 5, true, false},
    {"/cal.php", "d=17.05.2031", 2031, 5, true, false},
    {"/2013/06/save-the-date", "", 2013, 6, false, false},  // no hint inside a name
    {"/photos-of-the-day/2013/07/18/x", "", 2013, 7, false, false},
    {"/day/2013/7/18", "", 2013, 7, true, true},
    {"/2026/11/20/2040/01", "", 2040, 1, false, true},  // the date farther away counts
    // no dates
    {"/", "", 0, 0, false, false},
    {"/", "doi=10.1.1.27.2113", 0, 0, false, false},
    {"/item/2031", "", 0, 0, false, false},
    {"/item/20310517", "", 0, 0, false, false},
    {"/thread/2045/2", "", 0, 0, false, false},
    {"/thread/4500/12", "", 0, 0, false, false},
    {"/event/4500/12", "", 0, 0, false, false},
    {"/map", "x=1920&y=2045", 0, 0, false, false},
    {"/v2031/05x", "", 0, 0, false, false},
    {"/2031/13", "", 0, 0, false, false},
    {"/20311399", "", 0, 0, false, false},
    {"/203105", "", 0, 0, false, false},
    {"/120310517", "", 0, 0, false, false},
    {"/a2031-05", "", 0, 0, false, false},
    {"/1920x1080", "", 0, 0, false, false},
    {"/10.2045/11", "", 0, 0, false, false},
    {"/doi/10.2045/su11", "", 0, 0, false, false},
};

TEST(FindDate, ByTheFormsThatCalendarsUse) {
  for (const DateRow& row : kDates) {
    const UrlDate date = find_date(row.path, row.query, 2026);
    const std::string name = std::string(row.path) + "?" + row.query;
    EXPECT_EQ(date.year, row.year) << name;
    if (row.year == 0) continue;
    EXPECT_EQ(date.month, row.month) << name;
    EXPECT_EQ(date.calendar, row.calendar) << name;
    EXPECT_EQ(date.at_end, row.at_end) << name;
  }
}

TEST(FindDate, OddInputIsNoTrouble) {
  for (const char* path : {"/1234", "/1234/", "/1234-", "/12", "/1/1/", "1234-1", "/9999/12/31/",
                           "/0000/00/00", "/99999999999999999999/1/1", "//1234//1"}) {
    find_date(path, path, 2026);
  }
}

TEST(Today, IsTheDayOfTheClock) {
  const auto check = [](const char* day, int year, int month) {
    const auto ms = parse_day_ms(day);
    ASSERT_TRUE(ms.has_value()) << day;
    EXPECT_EQ(calendar_today(*ms).year, year) << day;
    EXPECT_EQ(calendar_today(*ms).month, month) << day;
  };
  check("1970-01-01", 1970, 1);
  check("2000-02-29", 2000, 2);
  check("2000-03-01", 2000, 3);
  check("2026-11-20", 2026, 11);
  check("2026-12-31", 2026, 12);
  check("1795132800", 2026, 11);
}

bool far(const char* path, const char* query = "", std::uint32_t past = 10,
         std::uint32_t future = 2) {
  return is_far_date(find_date(path, query, 2026), {2026, 11}, past, future);
}

TEST(FarDate, FutureOfAnyUrlPastOfCalendars) {
  EXPECT_FALSE(far("/2026/12"));
  EXPECT_FALSE(far("/2028/11"));
  EXPECT_TRUE(far("/2028/12"));
  EXPECT_TRUE(far("/2029/01/a-story"));
  EXPECT_FALSE(far("/calendar/2016/11"));
  EXPECT_TRUE(far("/calendar/2016/10"));
  EXPECT_TRUE(far("/", "year=2015&month=1"));
}

TEST(FarDate, ArchivesAreLetBe) {
  EXPECT_FALSE(far("/2009/05/"));
  EXPECT_FALSE(far("/1977/01/"));
  EXPECT_TRUE(far("/1976/10/"));  // after 50 years nobody archives by month
  // A path that goes on behind its date is an article.
  EXPECT_FALSE(far("/1923/05/a-story"));
}

TEST(FarDate, EitherSideCanBeSwitchedOff) {
  EXPECT_FALSE(far("/9999/12", "", 10, UINT32_MAX - 1));
  EXPECT_FALSE(far("/calendar/1000/01", "", UINT32_MAX - 1, 2));
  EXPECT_TRUE(far("/2026/12", "", 10, 0));
}

// The purpose of all this: a crawl of a calendar with links to the next and the previous month
// ends.
TEST(FarDate, AnEndlessCalendarEnds) {
  const auto steps = [](int direction) {
    int year = 2026;
    int month = 11;
    int count = 0;
    while (!far(("/cal/" + std::to_string(year) + "/" + std::to_string(month)).c_str())) {
      month += direction;
      if (month == 0 || month == 13) {
        year += direction;
        month = direction > 0 ? 1 : 12;
      }
      if (++count > 10'000) break;
    }
    return count;
  };
  EXPECT_EQ(steps(1), 25);
  EXPECT_EQ(steps(-1), 121);
}

}  // namespace
}  // namespace spinneret::policy
