// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace spinneret::engine {
namespace {

TEST(Engine, IsKnownByItsAddress) {
  const Result<Address> redis = parse_address("rediss://h/one"),
                        pg = parse_address("postgres://h/d/two");
  ASSERT_TRUE(redis.ok() && pg.ok());
  EXPECT_TRUE(std::holds_alternative<resp::Address>(redis->of));
  EXPECT_TRUE(std::holds_alternative<pg::Address>(pg->of));
  EXPECT_EQ(redis->crawl(), "one");
  EXPECT_EQ(pg->crawl(), "two");
  EXPECT_FALSE(parse_address("kafka://h/c").ok());
}

TEST(Engine, PasswordOfTheEnvironmentWins) {
  setenv("PGPASSWORD", "theirs", 1);
  EXPECT_EQ(std::get<pg::Address>(parse_address("postgresql://me:mine@h/d/c")->of).password,
            "theirs");
  unsetenv("PGPASSWORD");
  EXPECT_EQ(std::get<pg::Address>(parse_address("postgresql://me:mine@h/d/c")->of).password,
            "mine");
}

}  // namespace
}  // namespace spinneret::engine
