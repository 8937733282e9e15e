// SPDX-License-Identifier: Apache-2.0
// Every day in every form in which it is written; and no day that does not exist, whatever is
// written.
#include "text/dates.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/moment.h"

namespace spinneret::text {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

struct Day {
  explicit Day(sys_days when) {
    const year_month_day date(when);
    year = static_cast<int>(date.year());
    month = static_cast<unsigned>(date.month());
    day = static_cast<unsigned>(date.day());
    iso = utc_text(std::chrono::seconds(when.time_since_epoch()).count()).substr(0, 10);
  }
  int year;
  unsigned month, day;
  std::string iso;
};

constexpr const char* kEnglish[] = {"January",   "February", "March",    "April",
                                    "May",       "June",     "July",     "August",
                                    "September", "October",  "November", "December"};

std::string ordinal(unsigned day) {
  const unsigned last = day % 10;
  const bool teens = day / 10 == 1;
  return std::to_string(day) + (teens || last == 0 || last > 3 ? "th"
                                : last == 1                    ? "st"
                                : last == 2                    ? "nd"
                                                               : "rd");
}

TEST(Dates, EveryDayInEveryForm) {
  for (sys_days when = sys_days(std::chrono::January / 1 / 1990);
       when <= sys_days(std::chrono::December / 31 / 2100); when += days(1)) {
    const Day day(when);
    const std::string y = std::to_string(day.year), m = std::to_string(day.month),
                      d = std::to_string(day.day), name = kEnglish[day.month - 1];
    const std::string forms[] = {
        day.iso,
        day.iso + "T01:02:03Z",
        "/" + y + "/" + m + "/" + d + "/x",
        y + "." + m + "." + d,
        name + " " + d + ", " + y,
        d + " " + name + " " + y,
        name.substr(0, 3) + ". " + d + ", " + y,
        ordinal(day.day) + " of " + name + ", " + y,
        y + " " + name + " " + d,
        d + "." + m + "." + y,
        y + "\u5E74" + m + "\u6708" + d + "\u65E5",
    };
    for (const std::string& form : forms) ASSERT_EQ(find_date(form), day.iso) << form;
    ASSERT_EQ(find_date(m + "/" + d + "/" + y, false), day.iso);
    ASSERT_EQ(find_date(d + "/" + m + "/" + y, true), day.iso);
  }
}

TEST(Dates, BugDaysThatThereAreNotWereDates) {
  for (const char* const none :
       {"2025-02-29", "2024-02-30", "2023-04-31", "31 June 2020", "February 30, 2020", "31.9.2021",
        "2100-02-29", "1989-12-31", "2101-01-01", "2025-00-10", "2025-10-00", "2025-10-32"})
    EXPECT_EQ(find_date(none), "") << none;
  EXPECT_EQ(find_date("2024-02-29"), "2024-02-29");
  // The text behind such a date is read all the same.
  EXPECT_EQ(find_date("2025-02-31, 2025-03-01"), "2025-03-01");
}

TEST(Dates, BugADateAtTheEndOfWhatIsLookedAtBecameAnother) {
  for (const std::string& date :
       {std::string("2025-03-14"), std::string("14.3.2025"), std::string("March 14, 2025")}) {
    for (std::size_t before = 380; before <= 410; ++before) {
      const std::string found = find_date(std::string(before, ' ') + date);
      EXPECT_TRUE(found.empty() || found == "2025-03-14") << before << " " << found;
      EXPECT_EQ(found.empty(), before + date.size() > 400) << before;
    }
  }
}

TEST(Dates, OfSoupIsADayOrNothing) {
  constexpr std::string_view kParts[] = {"2025", "1999", "3",      "12",     "31",      "0",
                                         "-",    "/",    ".",      " ",      ", ",      "March",
                                         "mai",  "th",   "\u5E74", "\u6708", "\xFF",    "\xC3",
                                         "the",  "of",   "99999",  "T",      "February"};
  std::mt19937 random(1);
  int found = 0;
  for (int round = 0; round != 50'000; ++round) {
    std::string text;
    for (std::size_t parts = random() % 12; parts != 0; --parts)
      text += kParts[random() % std::size(kParts)];
    const std::string date = find_date(text, random() % 2 == 0);
    if (date.empty()) continue;
    ++found;
    const auto ms = parse_day_ms(date);
    ASSERT_TRUE(ms && utc_text(*ms / 1000).substr(0, 10) == date) << text << ": " << date;
    ASSERT_NE(text.find(date.substr(0, 4)), text.npos) << text;
  }
  EXPECT_GT(found, 500);
}

TEST(Dates, NumbersBeginWhereAByline) {
  EXPECT_EQ(find_number("By Jo 3 May"), 6U);
  EXPECT_EQ(find_number("By Jo Mar. 3"), 6U);
  EXPECT_EQ(find_number("Mar 3"), 0U);
  EXPECT_EQ(find_number("By Jo4 x5"), std::string_view::npos);
  EXPECT_EQ(find_number("Mar"), std::string_view::npos);
  EXPECT_EQ(find_number(""), std::string_view::npos);
}

}  // namespace
}  // namespace spinneret::text
