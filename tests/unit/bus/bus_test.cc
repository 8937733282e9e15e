// SPDX-License-Identifier: Apache-2.0
#include "bus/bus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bus/memory_bus.h"
#include "bus/pg_bus.h"
#include "bus/resp_bus.h"
#include "support/engine_kinds.h"
#include "support/held_wire.h"

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

// Tests that hold for every bus: in memory, and over a real engine.
class AnyBus : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Bus> make(std::uint64_t budget = 1 << 20) {
    if (GetParam() == "redis") {
      RedisEngine::shared()->forget();
      return resp_bus(RedisEngine::shared()->address("t"), budget);
    }
    if (GetParam() == "postgresql") {
      PgEngine::shared()->forget();
      return pg_bus(PgEngine::shared()->address("t"), budget);
    }
    auto bus = std::make_unique<MemoryBus>(budget);
    memory_ = bus.get();
    return bus;
  }
  std::unique_ptr<Bus> another() {
    if (GetParam() == "redis") return resp_bus(RedisEngine::shared()->address("t"), 1 << 20);
    return pg_bus(PgEngine::shared()->address("t"), 1 << 20);
  }
  void forget() {
    if (memory_ != nullptr) return memory_->forget();
    if (GetParam() == "redis") return RedisEngine::shared()->forget();
    PgEngine::shared()->forget();
  }
  // Gives the lease of stream p1 to `node`, in that epoch.
  Fence grant(const std::string& node, const std::string& epoch) {
    if (GetParam() == "redis") {
      const std::string key = resp::key_of(RedisEngine::shared()->address("t"), "lease", "p1");
      RedisEngine::shared()->command({"SET", key, node + " " + epoch});
      return {key, node + " " + epoch};
    }
    PgEngine::shared()->command("INSERT INTO spinneret.lease VALUES ('t', 'p1', '" + node + "', " +
                                epoch +
                                ", 'infinity') ON CONFLICT (crawl, name) DO UPDATE SET node = "
                                "excluded.node, epoch = excluded.epoch");
    return {"p1", node + " " + epoch};
  }

 private:
  MemoryBus* memory_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Engines, AnyBus, testing::ValuesIn(engine_kinds()),
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
  // A message that was read stays until it is trimmed.
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
  // A message that is larger than the budget is taken only when there is no other.
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
  // A place in the deleted streams trims nothing of the new ones.
  EXPECT_TRUE(bus->trim("p1", old, {}).ok());
  EXPECT_EQ(read(*bus, cursor), "c ");
}

// An owner that lost its lease leaves to the next owner what that has not read.
TEST_P(AnyBus, AFenceThatDoesNotHoldTrimsNothing) {
  if (GetParam() == "memory") return;  // the memory bus knows no leases
  const auto bus = make();
  publish(*bus, "p1", {"a", "b"});
  Cursor cursor{"p1", {}};
  read(*bus, cursor);
  Fence fence = grant("me", "1");
  grant("you", "2");
  EXPECT_FALSE(*bus->trim("p1", cursor.place, fence));
  fence.lease += "0";  // a lease that nobody has
  EXPECT_FALSE(*bus->trim("p1", cursor.place, fence));
  Cursor again{"p1", {}};
  EXPECT_EQ(read(*bus, again), "a b ");
  fence = grant("me", "1");
  EXPECT_TRUE(*bus->trim("p1", cursor.place, fence));
  Cursor third{"p1", {}};
  EXPECT_EQ(read(*bus, third), "");
}

// Calls of trim() one after the other are the slow twin of trim_each(): each fence is checked by
// itself.
TEST_P(AnyBus, WhatIsTrimmedAtOnceIsWhatEachWouldHaveTrimmed) {
  const auto bus = make();
  Fence good, bad;
  if (GetParam() != "memory") {  // the memory bus knows no leases
    bad = grant("me", "1");
    good = grant("you", "2");
  }
  std::vector<Bus::Trim> all, twins;
  for (int i = 0; i < 12; ++i) {
    const std::string stream = "s" + std::to_string(i), twin = "t" + std::to_string(i);
    publish(*bus, stream, {"a", "b", "c"});
    publish(*bus, twin, {"a", "b", "c"});
    Cursor here{stream, {}}, there{twin, {}};
    const std::size_t read_so_far = static_cast<std::size_t>(i % 4);
    if (read_so_far != 0) read(*bus, here, read_so_far), read(*bus, there, read_so_far);
    const Fence fence = i % 3 == 0 ? Fence() : i % 3 == 1 ? good : bad;
    all.push_back({stream, here.place, fence});
    twins.push_back({twin, there.place, fence});
  }
  all.push_back({"never-written", all[1].through, good});
  twins.push_back({"nor-this", twins[1].through, good});
  std::vector<bool> trimmed, expected;
  ASSERT_TRUE(bus->trim_each(all, trimmed).ok());
  for (const auto& [stream, through, fence] : twins)
    expected.push_back(*bus->trim(stream, through, fence));
  EXPECT_EQ(trimmed, expected);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Cursor here{all[i].stream, {}}, there{twins[i].stream, {}};
    EXPECT_EQ(read(*bus, here), read(*bus, there)) << i;
  }
  ASSERT_TRUE(bus->trim_each({}, trimmed).ok());
  EXPECT_TRUE(trimmed.empty());
}

// Bug: the messages that the partitions of a machine had taken were trimmed one partition after the
// other.
TEST(PgBus, AllThatIsTrimmedAtOnceGoesOutBeforeAnAnswerComes) {
  if (PgEngine::shared() == nullptr) return;
  HeldWire wire(PgEngine::shared()->address("t"));
  const auto far = pg_bus(wire.address(), 1 << 20);
  std::vector<Bus::Trim> all;
  for (int i = 0; i < 16; ++i) {
    Cursor cursor{"far" + std::to_string(i), {}};
    publish(*far, cursor.stream, {"a"});
    read(*far, cursor);
    all.push_back({cursor.stream, cursor.place, {}});
  }
  std::vector<bool> trimmed;
  // From now on the server knows the statement.
  ASSERT_TRUE(far->trim_each({all.data(), 1}, trimmed).ok());
  wire.hold_until(16);
  const Status done = far->trim_each(all, trimmed);
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(trimmed, std::vector<bool>(16, true));
}

// A sender that cannot see what it appended sends it again. One that fills a stream from which
// somebody deletes the messages by hand would wait for ever.
TEST_P(AnyBus, AStreamThatWasEmptiedByHandIsNotFullForEver) {
  if (GetParam() == "memory") return;  // nobody deletes by hand there
  const auto bus = make(100);
  EXPECT_EQ(publish(*bus, "p1", {std::string(90, 'x'), std::string(90, 'y')}),
            (std::vector{Appended::kYes, Appended::kFull}));
  if (GetParam() == "redis") {
    RedisEngine::shared()->command(
        {"XTRIM", resp::key_of(RedisEngine::shared()->address("t"), "stream", "p1"), "MAXLEN",
         "0"});
  } else {
    PgEngine::shared()->command("DELETE FROM spinneret.message");
  }
  EXPECT_EQ(publish(*bus, "p1", {std::string(90, 'z'), std::string(90, 'y')}),
            (std::vector{Appended::kYes, Appended::kFull}));
  Cursor cursor{"p1", {}};
  EXPECT_EQ(read(*bus, cursor), std::string(90, 'z') + " ");
}

// With several senders at once, what one cursor gave stands before all that it gives later.
TEST_P(AnyBus, NothingComesBetweenWhatWasReadAlready) {
  if (GetParam() == "memory") return;  // the memory bus is for one thread
  const auto bus = make();
  std::vector<std::thread> senders;
  for (const char* const name : {"a", "b", "c"}) {
    senders.emplace_back([this, name] {
      const auto mine = another();
      for (int i = 0; i < 40; ++i)
        publish(*mine, "p1", {name + std::to_string(i), name + std::to_string(i) + "x"});
    });
  }
  Cursor cursor{"p1", {}};
  std::string all;
  for (int i = 0; i < 2000 && std::count(all.begin(), all.end(), ' ') < 240; ++i)
    all += read(*bus, cursor, 7);
  for (std::thread& one : senders) one.join();
  all += read(*bus, cursor, 300);
  EXPECT_EQ(std::count(all.begin(), all.end(), ' '), 240);
  Cursor whole{"p1", {}};
  EXPECT_EQ(read(*bus, whole, 300), all);
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
