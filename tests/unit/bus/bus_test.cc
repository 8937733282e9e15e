// SPDX-License-Identifier: Apache-2.0
#include "bus/bus.h"

#include <gtest/gtest.h>

#include <set>

#include "bus/memory_bus.h"

namespace spinneret::bus {
namespace {

std::vector<Appended> publish(Bus& bus, std::string_view stream,
                              const std::vector<std::string>& all) {
  std::vector<Item> items;
  for (const std::string& one : all) items.push_back({stream, one});
  std::vector<Appended> outcomes;
  EXPECT_TRUE(bus.publish(items, outcomes).ok());
  return outcomes;
}
std::string read(Bus& bus, Cursor& cursor, std::size_t limit = 100) {
  std::vector<Message> messages;
  EXPECT_TRUE(bus.read({&cursor, 1}, limit, 0, messages).ok());
  std::string all;
  for (const Message& one : messages) all += one.bytes + " ";
  return all;
}

TEST(MemoryBus, GivesWhatItGotInOrder) {
  MemoryBus bus;
  publish(bus, "p1", {"a", "b", "c"});
  Cursor cursor{"p1", {}};
  EXPECT_EQ(read(bus, cursor, 2), "a b ");
  ASSERT_TRUE(*bus.trim("p1", cursor.place, {}));
  EXPECT_EQ(bus.unread("p1"), 1u);
  EXPECT_EQ(read(bus, cursor), "c ");
  Cursor second{"p1", {}};
  EXPECT_EQ(read(bus, second), "c ");
}

TEST(MemoryBus, HasARoomForSoManyBytes) {
  MemoryBus bus(4);
  EXPECT_EQ(publish(bus, "p1", {"123456", "1"}), (std::vector{Appended::kYes, Appended::kFull}));
  Cursor cursor{"p1", {}};
  EXPECT_EQ(read(bus, cursor), "123456 ");
  ASSERT_TRUE(bus.trim("p1", cursor.place, {}).ok());
  EXPECT_EQ(publish(bus, "p1", {"123", "1", "1"}),
            (std::vector{Appended::kYes, Appended::kYes, Appended::kFull}));
  EXPECT_EQ(stream_budget(16), std::uint64_t{1} << 20);
  EXPECT_EQ(stream_budget(256) * 256, std::uint64_t{48} << 20);
}

TEST(MemoryBus, CursorOfAForgottenStreamBeginsAnew) {
  MemoryBus bus;
  publish(bus, "p1", {"a", "b"});
  Cursor cursor{"p1", {}};
  read(bus, cursor);
  bus.forget();
  publish(bus, "p1", {"c"});
  EXPECT_EQ(read(bus, cursor), "c ");
}

TEST(MemoryBus, DoesWrongWhatItIsToldToBySeed) {
  const auto run = [](unsigned seed) {
    MemoryBus bus(1 << 20, {.lose = .1, .repeat = .1, .reorder = .1, .delay = .1}, seed);
    Cursor cursor{"p1", {}};
    std::string all;
    for (int i = 0; i < 500; ++i) {
      publish(bus, "p1", {std::to_string(i)});
      if (i % 10 == 0) all += read(bus, cursor);
    }
    return all;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  std::string all = run(3);
  std::set<std::string> seen;
  int repeats = 0, backwards = 0, last = -1;
  for (std::size_t at = 0; at < all.size(); at = all.find(' ', at) + 1) {
    const std::string one = all.substr(at, all.find(' ', at) - at);
    repeats += !seen.insert(one).second;
    backwards += std::stoi(one) < last;
    last = std::stoi(one);
  }
  EXPECT_LT(seen.size(), 480u);
  EXPECT_GT(repeats, 20);
  EXPECT_GT(backwards, 20);
}

}  // namespace
}  // namespace spinneret::bus
