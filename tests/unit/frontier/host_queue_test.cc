// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "frontier/memory_store.h"

namespace spinneret::frontier {
namespace {

constexpr HostId kHost = 5;

struct Fixture {
  MemoryStore store;
  HostQueue queue{true};
  std::vector<Place> flying;
  std::uint64_t waiting = 0;  // in the table

  void insert(Place place) {
    std::string key;
    std::string value;
    make_queue_key(key, kHost, place);
    const std::string rest = "/" + std::to_string(place.value);
    encode_queue_entry(value, {.rest = rest, .extra = {}, .via = {}});
    store.put(Table::kQueue, key, value);
    EXPECT_TRUE(store.commit().ok());
    ++waiting;
    queue.inserted(place, value);
  }
  void erase(Place place) {
    std::string key;
    make_queue_key(key, kHost, place);
    store.erase(Table::kQueue, key);
    --waiting;
    EXPECT_TRUE(store.commit().ok());
  }
  // The next place, which is then in flight; 0 where there is none.
  std::uint64_t take() {
    const std::unique_ptr<Cursor> at = store.scan(Table::kQueue);
    queue.refill(*at, kHost, flying, waiting);
    if (queue.window_empty()) {
      EXPECT_TRUE(queue.empty());
      return 0;
    }
    Place place;
    QueueEntry entry;
    EXPECT_TRUE(queue.front(place, entry));
    EXPECT_EQ(entry.rest, "/" + std::to_string(place.value));
    queue.pop();
    flying.push_back(place);
    return place.value;
  }
};

TEST(HostQueue, FirstInFirstOutWithinAPriority) {
  Fixture f;
  for (std::uint64_t i = 1; i <= 100; ++i) f.insert(Place::of(5, i));
  for (std::uint64_t i = 1; i <= 100; ++i) EXPECT_EQ(f.take(), Place::of(5, i).value);
  EXPECT_EQ(f.take(), 0U);
}

TEST(HostQueue, ABetterPriorityGoesFirstAlsoAfterTheWindowIsFull) {
  Fixture f;
  for (std::uint64_t i = 1; i <= 50; ++i) f.insert(Place::of(5, i));
  f.insert(Place::of(1, 51));
  EXPECT_EQ(f.take(), Place::of(1, 51).value);
  EXPECT_EQ(f.take(), Place::of(5, 1).value);
}

TEST(HostQueue, WhatIsInFlightIsNotReadAgain) {
  Fixture f;
  f.insert(Place::of(5, 1));
  f.insert(Place::of(5, 2));
  EXPECT_EQ(f.take(), Place::of(5, 1).value);
  f.insert(Place::of(0, 3));  // the window is dropped and read anew
  EXPECT_EQ(f.take(), Place::of(0, 3).value);
  EXPECT_EQ(f.take(), Place::of(5, 2).value);
  EXPECT_EQ(f.take(), 0U);
}

TEST(HostQueue, WhatCameBackGoesOutAgainInItsPlace) {
  Fixture f;
  for (std::uint64_t i = 1; i <= 3; ++i) f.insert(Place::of(5, i));
  const Place first{f.take()};
  f.take();
  f.flying.erase(f.flying.begin());
  f.queue.returned(first);
  EXPECT_EQ(f.take(), first.value);
  EXPECT_EQ(f.take(), Place::of(5, 3).value);
}

TEST(HostQueue, WhatStandsBehindOthersChangesNoFront) {
  Fixture f;
  EXPECT_FALSE(f.queue.is_behind(Place::of(5, 1)));
  f.insert(Place::of(5, 1));
  f.insert(Place::of(5, 2));
  EXPECT_TRUE(f.queue.is_behind(Place::of(5, 3)));
  EXPECT_FALSE(f.queue.is_behind(Place::of(1, 3)));
  f.take();
  f.take();
  EXPECT_FALSE(f.queue.is_behind(Place::of(5, 3)));  // the others are in flight
}

TEST(HostQueue, OtherHostsAreNotSeen) {
  Fixture f;
  std::string key;
  for (const HostId host : {kHost - 1, kHost + 1}) {
    make_queue_key(key, host, Place::of(0, 1));
    f.store.put(Table::kQueue, key, "");
  }
  ASSERT_TRUE(f.store.commit().ok());
  f.queue = HostQueue(false);
  EXPECT_EQ(f.take(), 0U);
}

// Any order of inserting, taking, coming back, ending and reopening, against a plain set.
TEST(HostQueue, AgainstASet) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    Fixture f;
    std::set<std::uint64_t> waiting;
    std::uint64_t arrival = 0;
    for (int step = 0; step < 800; ++step) {
      switch (random() % 8) {
        case 0:
        case 1:
        case 2: {
          const Place place = Place::of(static_cast<std::uint8_t>(random() % 3), ++arrival);
          f.insert(place);
          waiting.insert(place.value);
          break;
        }
        case 3:
        case 4: {
          const std::uint64_t expected = waiting.empty() ? 0 : *waiting.begin();
          ASSERT_EQ(f.take(), expected) << "seed " << seed << " step " << step;
          waiting.erase(expected);
          break;
        }
        case 5: {  // done
          if (f.flying.empty()) break;
          f.erase(f.flying.back());
          f.flying.pop_back();
          break;
        }
        case 6: {  // to be sent again
          if (f.flying.empty()) break;
          const Place place = f.flying.back();
          f.flying.pop_back();
          f.queue.returned(place);
          waiting.insert(place.value);
          break;
        }
        default: {  // erased while it waits
          if (waiting.empty() || random() % 2 == 0) break;
          const Place place{*waiting.rbegin()};
          waiting.erase(place.value);
          f.erase(place);
          f.queue.erased(place);
        }
      }
    }
    // As another process would find it.
    for (const Place place : f.flying) waiting.insert(place.value);
    f.flying.clear();
    f.queue = HostQueue(false);
    for (const std::uint64_t expected : waiting) ASSERT_EQ(f.take(), expected);
    ASSERT_EQ(f.take(), 0U);
  }
}

}  // namespace
}  // namespace spinneret::frontier
