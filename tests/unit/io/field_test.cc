// SPDX-License-Identifier: Apache-2.0
#include "io/field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace spinneret {
namespace {

// The table must be sorted, because it is searched by bisection.
TEST(Field, TheTableIsSortedAndHasEachNameOnce) {
  const auto fields = known_fields();
  EXPECT_EQ(std::ranges::adjacent_find(fields, std::ranges::greater_equal{}, &FieldInfo::name),
            fields.end());
}

TEST(Field, NumbersOfOneAgentAreNumbersAndItsWordsAreNot) {
  for (const char* key : {"status", "robots-line", "robots-line.examplebot", "robots-line."})
    EXPECT_TRUE(is_number_field(key)) << key;
  for (const char* key : {"", "url", "Status", "status ", "status.examplebot", "robots.examplebot",
                          ".robots-line", "robots-lin"})
    EXPECT_FALSE(is_number_field(key)) << key;
}

TEST(Field, AMistypedNameIsToldWithTheNearestFieldOfTheTable) {
  EXPECT_EQ(mistyped_field("titel"), ": no record has titel: did you mean title?");
  EXPECT_EQ(mistyped_field("outcme"), ": no record has outcme: did you mean outcome?");
  EXPECT_EQ(mistyped_field("STATSU"), ": no record has STATSU: did you mean status?");
}

TEST(Field, WhatIsKnownOrNearNothingIsNoMistake) {
  for (const FieldInfo& field : known_fields())
    EXPECT_EQ(mistyped_field(field.name), "") << field.name;
  for (const char* name :
       {"", "x", "ur", "nam", "lnk", "price-of-tea", "\xff\xfe\xfd", "\t\t\t\t\t"})
    EXPECT_EQ(mistyped_field(name), "") << name;
  EXPECT_EQ(mistyped_field(std::string(1 << 20, 'a')), "");
}

// "tag" is near to "tax", and "link" to "line": only a field that records have had can be meant.
TEST(Field, ShortNamesAreComparedWithTheFieldsThatWereSeen) {
  const std::vector<std::string> seen = {"name", "price"};
  EXPECT_EQ(mistyped_field("nam", seen), ": no record has nam: did you mean name?");
  EXPECT_EQ(mistyped_field("urll", seen), ": no record has urll: did you mean url?");
  EXPECT_EQ(mistyped_field("prise", seen), ": no record has prise: did you mean price?");
  EXPECT_EQ(mistyped_field("tax", seen), "");
  EXPECT_EQ(mistyped_field("na", seen), "");
}

}  // namespace
}  // namespace spinneret
