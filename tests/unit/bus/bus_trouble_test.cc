// SPDX-License-Identifier: Apache-2.0
// The errors of a bus whose engine is away, and those about keys that another program has made.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/pg_bus.h"
#include "bus/resp_bus.h"
#include "support/engine_kinds.h"

namespace spinneret::bus {
namespace {

// Every call must fail with a message that contains `said`.
void expect_trouble(Bus& bus, std::string_view said) {
  const Item item{"p1", "x"};
  std::vector<Appended> outcomes = {Appended::kYes};
  const Status published = bus.publish({&item, 1}, outcomes);
  ASSERT_FALSE(published.ok());
  EXPECT_NE(published.message().find(said), std::string::npos) << published.message();
  EXPECT_TRUE(outcomes.empty());
  Cursor cursor{"p1", {}};
  std::vector<Message> messages(1);
  const Status read = bus.read({&cursor, 1}, 10, 0, messages);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.message().find(said), std::string::npos) << read.message();
  EXPECT_TRUE(messages.empty());
  const Result<bool> trimmed = bus.trim("p1", {"1-1"}, {});
  ASSERT_FALSE(trimmed.ok());
  EXPECT_NE(trimmed.message().find(said), std::string::npos) << trimmed.message();
}

TEST(BusTrouble, RedisThatIsAwayIsNamed) {
  if (RedisEngine::shared() == nullptr) return;
  resp::Address address = RedisEngine::shared()->address("t");
  address.seeds[0].port = 1;
  expect_trouble(*resp_bus(address, 1 << 20), "127.0.0.1:1");
}

TEST(BusTrouble, PostgresqlThatIsAwayIsNamed) {
  if (PgEngine::shared() == nullptr) return;
  pg::Address address = PgEngine::shared()->address("t");
  address.hosts[0].port = 1;
  expect_trouble(*pg_bus(address, 1 << 20), "127.0.0.1:1");
}

TEST(BusTrouble, AKeyOfAnotherProgramIsNamed) {
  if (RedisEngine::shared() == nullptr) return;
  RedisEngine::shared()->forget();
  const resp::Address address = RedisEngine::shared()->address("t");
  for (const char* const kind : {"stream", "room"})
    RedisEngine::shared()->command({"SET", resp::key_of(address, kind, "p1"), "a text"});
  expect_trouble(*resp_bus(address, 1 << 20), "another program's key is where ours belongs");
  // Streams beside the damaged one still work.
  const auto bus = resp_bus(address, 1 << 20);
  const Item item{"p2", "x"};
  std::vector<Appended> outcomes;
  ASSERT_TRUE(bus->publish({&item, 1}, outcomes).ok());
  EXPECT_EQ(outcomes, std::vector{Appended::kYes});
}

}  // namespace
}  // namespace spinneret::bus
