// SPDX-License-Identifier: Apache-2.0
// Counts how often each rule applies and decides, without any change of verdicts.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "unit/policy/policy_fixture.h"

namespace spinneret::policy {
namespace {

TEST(Counts, EveryRuleThatAppliesAndTheOneThatDecides) {
  Court court("deny-path ^/a\ndeny-path ^/a/b\nmax-depth 1\nallow-host h\ndeny-path ^/dead\n");
  court.state().count_all();
  court.judge("http://h/a/b", {.depth = "9"});
  court.judge("http://h/c");
  court.judge("http://i/c");
  const auto& counts = court.state().counts();
  const auto is = [&](std::size_t line, std::uint64_t matched, std::uint64_t decided) {
    EXPECT_EQ(counts[line].matched, matched) << line;
    EXPECT_EQ(counts[line].decided, decided) << line;
  };
  is(0, 1, 0);
  is(1, 1, 0);
  is(2, 1, 1);  // depth is checked before rules
  is(3, 2, 2);  // it allows one URL, and its absence refuses another
  is(4, 0, 0);
}

// Counting tries every rule, but must not change a verdict.
TEST(Counts, VerdictsAreTheSame) {
  const char* const text =
      "traps default\nbudget host 2\ndeny-path ^/a\nallow-extension html -\nquery-parameters strip "
      "/s q\n";
  Court plain(text);
  Court counting(text);
  counting.state().count_all();
  for (const char* url :
       {"http://h/", "http://h/a", "http://h/b.gif", "http://h/b", "http://h/c",
        "http://h/s?q=1&x=2", "http://h/a/a/a", "http://h/?sid=0f3c9a7be1d24c55"}) {
    const Verdict one = plain.judge(url);
    const Verdict two = counting.judge(url);
    EXPECT_EQ(one.accepted, two.accepted) << url;
    EXPECT_EQ(one.line, two.line) << url;
    EXPECT_EQ(one.reason, two.reason) << url;
    EXPECT_EQ(one.rewritten, two.rewritten) << url;
  }
}

// Found by fuzzing: an allow rule that matched, too, was named as the reason of the refusal.
TEST(Counts, AnAllowRuleIsNeverNamedForWhatRefused) {
  const std::string rules = "allow-path ^/a\nmax-depth 0\ntrap session-ids reject\n";
  const char* const session = "http://h/a;jsessionid=0123456789ABCDEF0123456789ABCDEF";
  for (const char* order : {"first-match", "last-match", "allow-deny", "deny-allow"}) {
    for (const bool counting : {false, true}) {
      Court court(rules + "order " + order + "\n");
      if (counting) court.state().count_all();
      const Verdict deep = court.judge("http://h/a", {.depth = "1"});
      EXPECT_EQ(limit_of(deep), "max-depth") << order << counting;
      EXPECT_EQ(deep.line, 1U) << order << counting;
      const Verdict found = court.judge(session);
      EXPECT_FALSE(found.accepted);
      EXPECT_EQ(limit_of(found), "session-ids") << order << counting;
      EXPECT_EQ(found.line, 2U) << order << counting;
    }
  }
}

}  // namespace
}  // namespace spinneret::policy
