// SPDX-License-Identifier: Apache-2.0
#include "engine/arguments.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace spinneret::engine {
namespace {

// `shown` is what ps(1) shows of a word; the program still reads the word.
void expect(const std::string& word, const std::string& shown) {
  std::string name = "tool", original = word;
  char* argv[] = {name.data(), original.data(), nullptr};
  Arguments arguments(2, argv);
  EXPECT_EQ(original, shown);
  EXPECT_EQ(arguments.argv()[0], std::string_view("tool"));
  EXPECT_EQ(arguments.argv()[1], word);
  EXPECT_EQ(arguments.argv()[2], nullptr);
}

TEST(Arguments, OfAnEngineHideThePasswordAlone) {
  expect("redis://:secret@h/c", "redis://:******@h/c");
  expect("--cluster=rediss://me:se@ret@h:1,i:2/c?ca=f",
         "--cluster=rediss://me:******@h:1,i:2/c?ca=f");
  expect("--sched:cluster=valkey://me:x@[::1]:1/c", "--sched:cluster=valkey://me:*@[::1]:1/c");
  expect("valkeys://:x@h/c", "valkeys://:*@h/c");
  expect("--sched:cluster=postgresql://me:word@h:1,i/d/c",
         "--sched:cluster=postgresql://me:****@h:1,i/d/c");
  expect("postgres://:x@h/d/c?sslmode=require", "postgres://:*@h/d/c?sslmode=require");
}

TEST(Arguments, WithoutOneStayAsTheyAre) {
  for (const char* const word :
       {"", "redis://", "redis://h:6379/c", "redis://me@h:6379/c", "redis://me@[::1]:6379/c",
        "a@b:c", "https://me:word@example.org/"})
    expect(word, word);
}

}  // namespace
}  // namespace spinneret::engine
