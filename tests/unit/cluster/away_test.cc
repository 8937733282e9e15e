// SPDX-License-Identifier: Apache-2.0
// How a member reports an engine that is away.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bus/memory_bus.h"
#include "cluster/beater.h"
#include "cluster/household.h"
#include "cluster/member.h"
#include "frontier/memory_store.h"
#include "lease/memory_leases.h"

namespace spinneret::cluster {
namespace {

constexpr std::int64_t kTtlMs = 10'000;

// A bus that is in another engine than the leases, and may be away.
class AwayBus : public bus::MemoryBus {
 public:
  Status publish(std::span<const bus::Item> items, std::vector<bus::Appended>& out) override {
    return takes ? MemoryBus::publish(items, out) : Error{"the bus is away"};
  }
  Status read(std::span<bus::Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
              std::vector<bus::Message>& messages) override {
    return gives ? MemoryBus::read(cursors, limit, wait_ms, messages) : Error{"the bus is away"};
  }
  bool takes = true, gives = true;
};

// Bug: that leases could be written was taken as a sign that links could be sent, over a Kafka that
// was away.
TEST(AwayEngine, DoesNotSayThatLinksAreTakenWhileTheBusIsAway) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  AwayBus bus;
  lease::MemoryLeases a(engine, clock, "a", kTtlMs);
  frontier::MemoryStore store;
  std::vector<std::string> said;
  Member member({.partitions = 2,
                 .ttl_ms = kTtlMs,
                 .say = [&said](const std::string& text) { said.push_back(text); }},
                {bus, a}, clock);
  ASSERT_TRUE(*member.take());
  ASSERT_TRUE(member.open(store).ok());
  const auto turn = [&] {
    clock.advance_ms(1000);
    Member* const all[] = {&member};
    renew(all, a, clock);
    member.exchange();
    member.stage([](std::string_view, std::string_view) {});
    ASSERT_TRUE(store.commit().ok());
    member.committed();
    EXPECT_FALSE(member.over({.idle = true}));
  };
  bus.takes = false;
  member.offer(1, "http://far.test/");
  for (int i = 0; i < 10 && said.empty(); ++i) turn();
  bus.gives = false;
  for (int i = 0; i < 10; ++i) turn();
  EXPECT_EQ(said, std::vector<std::string>{"the bus is away"});
  bus.takes = bus.gives = true;
  for (int i = 0; i < 10; ++i) turn();
  EXPECT_EQ(said, (std::vector<std::string>{"the bus is away", "the engine takes links again"}));
}

// Says so only after its time limit.
class HungBus : public AwayBus {
 public:
  explicit HungBus(FakeClock& clock) : clock_(clock) {}
  Status read(std::span<bus::Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
              std::vector<bus::Message>& messages) override {
    ++reads;
    if (!gives) clock_.advance_ms(2000);
    return AwayBus::read(cursors, limit, wait_ms, messages);
  }
  int reads = 0;

 private:
  FakeClock& clock_;
};

// bug: each partition of a machine waited for an engine that hung, one after the other, and the machine heeded no signal for as long
TEST(AwayEngine, ThatHangsHoldsUpAMachineOnceAndNotForEachOfItsPartitions) {
  FakeClock clock;
  lease::MemoryLeaseEngine engine;
  HungBus bus(clock);
  lease::MemoryLeases a(engine, clock, "a", kTtlMs);
  Household household;
  constexpr std::uint32_t kCount = 8;
  std::vector<frontier::MemoryStore> stores(kCount);
  std::vector<std::unique_ptr<Member>> members;
  for (std::uint32_t p = 0; p < kCount; ++p) {
    members.push_back(std::make_unique<Member>(
        MemberSettings{
            .partition = p, .partitions = kCount, .ttl_ms = kTtlMs, .say = [](const auto&) {}},
        Member::Engines{bus, a}, clock));
    ASSERT_TRUE(*members[p]->take());
    ASSERT_TRUE(members[p]->open(stores[p]).ok());
    members[p]->move_to(&household);
  }
  const auto turn = [&] {
    clock.advance_ms(1000);
    bus.reads = 0;
    for (const auto& member : members) member->exchange();
    return bus.reads;
  };
  EXPECT_EQ(turn(), 1);
  bus.gives = false;
  EXPECT_EQ(turn(), 1);
  EXPECT_EQ(turn(), 1);
}

}  // namespace
}  // namespace spinneret::cluster
