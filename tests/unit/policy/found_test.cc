// SPDX-License-Identifier: Apache-2.0
// Earlier errors in verdicts. Each test has the bug's name.
#include <gtest/gtest.h>

#include "unit/policy/policy_fixture.h"

namespace spinneret::policy {
namespace {

int passing(Court& court, const std::string& begin, int urls) {
  int passed = 0;
  for (int i = 0; i < urls; ++i) {
    // The names are letters, because numbers have a budget of their own.
    const std::string name = {static_cast<char>('a' + i / 26), static_cast<char>('a' + i % 26)};
    passed += court.passes(begin + name) ? 1 : 0;
  }
  return passed;
}

TEST(Found, ABudgetOfAPatternInASectionDidNotReplaceTheGlobalOne) {
  Court court(
      "budget /a 1\nbudget /b 1\n[.h.example]\nbudget /a 3\n[off.h.example]\nbudget /a off\n"
      "[twice.h.example]\nbudget /a 5\nbudget /a 2\n");
  EXPECT_EQ(passing(court, "https://h.example/a", 9), 3);
  EXPECT_EQ(passing(court, "https://h.example/b", 9), 1);
  EXPECT_EQ(passing(court, "https://other.example/a", 9), 1);
  EXPECT_EQ(passing(court, "https://off.h.example/a", 9), 9);
  EXPECT_EQ(passing(court, "https://twice.h.example/a", 9), 2);
}

TEST(Found, TrapsDefaultTookAUrlTwiceOffItsCalendarBudget) {
  Court court("traps default\n");
  EXPECT_EQ(passing(court, "https://h.example/calendar/cal/x", 620), 620);
  EXPECT_EQ(passing(court, "https://h.example/cal/x", 620), 380);
}

TEST(Found, ACalendarBudgetCouldNotBeSetForASection) {
  const std::string pattern = R"((?i)[/?&=]cal([/?&=.]|$))";
  Court court("traps default\nbudget " + pattern + " 7\n[h.example]\nbudget " + pattern + " off\n");
  EXPECT_EQ(passing(court, "https://h.example/cal/x", 600), 600);
  EXPECT_EQ(passing(court, "https://other.example/cal/x", 600), 7);
}

TEST(Found, ALineOfSeveralTestsCountedAUrlMoreThanOnce) {
  Court court("traps default\n");
  court.state().count_all();
  EXPECT_FALSE(court.passes("https://h.example/a/a/a/a/a/a/a/a"));
  EXPECT_TRUE(court.passes("https://h.example/b"));
  EXPECT_TRUE(court.passes("https://h.example/calendar/cal/?sid=0123456789abcdef"));
  EXPECT_EQ(court.state().counts()[0].matched, 2U);
  EXPECT_EQ(court.state().counts()[0].decided, 1U);
}

TEST(Found, PercentEscapesWereTakenForNumbers) {
  Court court("budget numbers 1\n");
  EXPECT_TRUE(court.passes("http://h/\xC3\xA9"));
  EXPECT_TRUE(court.passes("http://h/\xC3\xA8"));
  EXPECT_TRUE(court.passes("http://h/\xC3\xA9/1"));
  EXPECT_FALSE(court.passes("http://h/\xC3\xA9/2"));
}

}  // namespace
}  // namespace spinneret::policy
