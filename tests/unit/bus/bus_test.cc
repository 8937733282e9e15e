// SPDX-License-Identifier: Apache-2.0
#include "bus/bus.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bus/memory_bus.h"
#include "bus/resp_bus.h"
#include "support/redis_engine.h"

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

// What holds of every bus: in memory, and over a real engine.
class AnyBus : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Bus> make(std::uint64_t budget = 1 << 20) {
    if (GetParam() == "redis") {
      RedisEngine::shared()->forget();
      return std::make_unique<RespBus>(RedisEngine::shared()->address("t"), budget);
    }
    auto bus = std::make_unique<MemoryBus>(budget);
    memory_ = bus.get();
    return bus;
  }
  void forget() {
    if (memory_ != nullptr) return memory_->forget();
    RedisEngine::shared()->forget();
  }

 private:
  MemoryBus* memory_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Engines, AnyBus, testing::ValuesIn(RedisEngine::kinds()),
                         [](const auto& kind) { return kind.param; });

TEST_P(AnyBus, GivesWhatItGotInOrder) {
  const auto bus = make();
  publish(*bus, "p1", {"a", "b", "c"});
  Cursor cursor{"p1", {}};
  EXPECT_EQ(read(*bus, cursor, 2), "a b ");
  ASSERT_TRUE(*bus->trim("p1", cursor.place, {}));
  EXPECT_EQ(read(*bus, cursor), "c ");
  Cursor second{"p1", {}};
  EXPECT_EQ(read(*bus, second), "c ");
  EXPECT_EQ(read(*bus, second), "");
  // What was read is there until it is trimmed.
  Cursor third{"p1", {}};
  EXPECT_EQ(read(*bus, third), "c ");
}

TEST_P(AnyBus, CarriesEveryByteAndKnowsItsStreamsApart) {
  const auto bus = make();
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 7);
  publish(*bus, "p1", {bytes, std::string("\0\r\n", 3)});
  publish(*bus, "p10", {"another"});
  Cursor cursors[] = {{"p10", {}}, {"p1", {}}, {"p2", {}}};
  std::vector<Message> messages;
  ASSERT_TRUE(bus->read(cursors, 100, 0, messages).ok());
  ASSERT_EQ(messages.size(), 3U);
  std::vector<std::string> of[3];
  for (Message& one : messages) of[one.cursor].push_back(std::move(one.bytes));
  EXPECT_EQ(of[0], std::vector<std::string>{"another"});
  EXPECT_EQ(of[1], (std::vector{bytes, std::string("\0\r\n", 3)}));
}

TEST_P(AnyBus, HasARoomForSoManyBytes) {
  const auto bus = make(100);
  // One that is larger than the room has it for itself.
  EXPECT_EQ(publish(*bus, "p1", {std::string(200, 'x'), "1"}),
            (std::vector{Appended::kYes, Appended::kFull}));
  EXPECT_EQ(publish(*bus, "p2", {"1"}), std::vector{Appended::kYes});
  Cursor cursor{"p1", {}};
  EXPECT_EQ(read(*bus, cursor), std::string(200, 'x') + " ");
  EXPECT_EQ(publish(*bus, "p1", {"1"}), std::vector{Appended::kFull});
  ASSERT_TRUE(*bus->trim("p1", cursor.place, {}));
  EXPECT_EQ(publish(*bus, "p1", {std::string(50, 'x'), std::string(40, 'y'), std::string(20, 'z')}),
            (std::vector{Appended::kYes, Appended::kYes, Appended::kFull}));
  EXPECT_EQ(stream_budget(16), std::uint64_t{1} << 20);
  EXPECT_EQ(stream_budget(256) * 256, std::uint64_t{48} << 20);
}

TEST_P(AnyBus, CursorOfAForgottenStreamBeginsAnew) {
  const auto bus = make();
  publish(*bus, "p1", {"a", "b"});
  Cursor cursor{"p1", {}};
  read(*bus, cursor);
  const Place old = cursor.place;
  forget();
  publish(*bus, "p1", {"c"});
  // A place of the streams that are gone trims nothing of these.
  EXPECT_TRUE(bus->trim("p1", old, {}).ok());
  EXPECT_EQ(read(*bus, cursor), "c ");
}

// Whoever lost its lease leaves to the next owner what that has not read.
TEST_P(AnyBus, AFenceThatDoesNotHoldTrimsNothing) {
  if (GetParam() == "memory") return;  // which knows no leases
  const auto bus = make();
  publish(*bus, "p1", {"a", "b"});
  Cursor cursor{"p1", {}};
  read(*bus, cursor);
  const Fence fence{resp::key_of(RedisEngine::shared()->address("t"), "lease", "p1"), "me 1"};
  EXPECT_FALSE(*bus->trim("p1", cursor.place, fence));
  RedisEngine::shared()->command({"SET", fence.lease, "you 2"});
  EXPECT_FALSE(*bus->trim("p1", cursor.place, fence));
  Cursor again{"p1", {}};
  EXPECT_EQ(read(*bus, again), "a b ");
  RedisEngine::shared()->command({"SET", fence.lease, "me 1"});
  EXPECT_TRUE(*bus->trim("p1", cursor.place, fence));
  Cursor third{"p1", {}};
  EXPECT_EQ(read(*bus, third), "");
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
