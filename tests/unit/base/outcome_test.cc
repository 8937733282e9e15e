// SPDX-License-Identifier: Apache-2.0
#include "base/outcome.h"

#include <gtest/gtest.h>

#include <set>

#include "base/ascii.h"

namespace spinneret {
namespace {

TEST(Outcome, TableStandsInTheOrderOfTheEnumeration) {
  std::size_t index = 0;
  for (const OutcomeInfo& info : all_outcomes()) {
    EXPECT_EQ(static_cast<std::size_t>(info.outcome), index++);
    EXPECT_EQ(to_string(info.outcome), info.name);
    EXPECT_EQ(class_of(info.outcome), info.outcome_class);
    EXPECT_FALSE(info.meaning.empty());
  }
  EXPECT_EQ(index, static_cast<std::size_t>(Outcome::kItem) + 1);
}

TEST(Outcome, NamesParseBack) {
  for (const OutcomeInfo& info : all_outcomes()) EXPECT_EQ(parse_outcome(info.name), info.outcome);
  for (const char* bad : {"", "o", "OK", "ok ", "okay", "not_found"}) {
    EXPECT_EQ(parse_outcome(bad), std::nullopt) << bad;
  }
}

// This makes a torn record recognisable: no beginning of an outcome's name is itself an outcome.
TEST(Outcome, NoNameIsTheBeginningOfAnother) {
  for (const OutcomeInfo& info : all_outcomes()) {
    for (std::size_t size = 0; size < info.name.size(); ++size) {
      EXPECT_EQ(parse_outcome(info.name.substr(0, size)), std::nullopt) << info.name;
    }
  }
}

TEST(Outcome, NamesNeedNoEscape) {
  std::set<std::string_view> names;
  for (const OutcomeInfo& info : all_outcomes()) {
    EXPECT_TRUE(names.insert(info.name).second);
    for (const char c : info.name) EXPECT_TRUE(is_lower(c) || c == '-') << info.name;
  }
}

// The outcomes in the order in which they were added, because states store them by number.
TEST(Outcome, KeepTheirNumbers) {
  constexpr std::string_view kInOrder[] = {"ok",
                                           "not-modified",
                                           "redirect",
                                           "moved",
                                           "not-found",
                                           "gone",
                                           "forbidden",
                                           "client-error",
                                           "rate-limited",
                                           "server-error",
                                           "dns-failed",
                                           "connect-failed",
                                           "tls-failed",
                                           "timeout",
                                           "aborted",
                                           "bad-response",
                                           "too-large",
                                           "refused-address",
                                           "unsupported-type",
                                           "blocked-by-robots",
                                           "blocked-by-policy",
                                           "needs",
                                           "duplicate",
                                           "noindex",
                                           "non-canonical",
                                           "challenged",
                                           "payment-required",
                                           "item"};
  ASSERT_EQ(all_outcomes().size(), std::size(kInOrder));
  for (std::size_t i = 0; i < std::size(kInOrder); ++i)
    EXPECT_EQ(all_outcomes()[i].name, kInOrder[i]);
}

}  // namespace
}  // namespace spinneret
