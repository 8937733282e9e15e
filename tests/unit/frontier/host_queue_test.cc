// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "frontier/memory_store.h"
#include "frontier/slots.h"
#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

constexpr HostId kHost = 5;

struct Fixture {
  MemoryStore store;
  HostQueue queue{true};
  std::vector<Place> flying;
  std::uint64_t waiting = 0;  // in the table
  std::size_t most_bytes = SIZE_MAX;

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
  // Returns the next place, which is then in flight, or 0 if there is none.
  std::uint64_t take() {
    const std::unique_ptr<Cursor> at = store.scan(Table::kQueue);
    queue.refill(*at, kHost, flying, waiting, most_bytes);
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
  f.insert(Place::of(0, 3));  // the window is dropped and read again
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

// A URL that rises keeps its number, so that its new place may be the one right before the first.
TEST(HostQueue, BugWhatRoseToThePlaceRightBeforeTheFirstWasPassed) {
  Fixture f;
  f.insert(Place::of(5, arrival_of(2, 7)));
  f.insert(Place::of(5, arrival_of(1, 8)));
  f.erase(Place::of(5, arrival_of(2, 7)));
  f.queue.erased(Place::of(5, arrival_of(2, 7)));
  f.insert(Place::of(5, arrival_of(1, 7)));
  EXPECT_EQ(f.take(), Place::of(5, arrival_of(1, 7)).value);
  EXPECT_EQ(f.take(), Place::of(5, arrival_of(1, 8)).value);
  EXPECT_EQ(f.take(), 0U);
}

// With very many hosts each has a window of so many bytes, and not of so many entries of the
// longest kind.
TEST(HostQueue, AWindowEndsByItsBytes) {
  Fixture f;
  f.queue = HostQueue(false);
  for (std::uint64_t i = 1; i <= 40; ++i) f.insert(Place::of(5, i));
  const auto read = [&](std::size_t most_bytes) {
    f.queue = HostQueue(false);
    const std::unique_ptr<Cursor> at = f.store.scan(Table::kQueue);
    std::uint64_t count = 0;
    f.queue.refill(*at, kHost, {}, f.waiting, most_bytes);
    for (; !f.queue.window_empty(); ++count) f.queue.pop();
    return count;
  };
  EXPECT_EQ(read(0), HostQueue::kLeastBlock);
  EXPECT_EQ(read(SIZE_MAX), HostQueue::kFirstBlock);
  const std::uint64_t some = read(140);  // entries of 25 bytes each
  EXPECT_GT(some, HostQueue::kLeastBlock);
  EXPECT_LT(some, HostQueue::kFirstBlock);
}

// Compares with a plain set: inserts, takes, returns, ends and reopens in any order.
TEST(HostQueue, AgainstASet) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    Fixture f;
    if (seed % 2 == 0) f.most_bytes = seed * 10;
    std::set<std::uint64_t> waiting;
    std::uint64_t arrival = 0;
    for (int step = 0; step < 800; ++step) {
      switch (random() % 8) {
        case 0:
        case 1:
        case 2: {
          const Place place = Place::of(static_cast<std::uint8_t>(random() % 3),
                                        arrival_of(random() % 3, ++arrival));
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
        default: {  // erased while it waits, or raised
          if (waiting.empty()) break;
          if (random() % 2 == 0) {
            auto at = waiting.begin();
            std::advance(at, random() % waiting.size());
            const Place old{*at};
            if (rank_in(old.arrival()) == 0) break;
            const std::uint64_t number = number_in(old.arrival());
            const Place place =
                Place::of(old.priority(), arrival_of(rank_in(old.arrival()) - 1, number));
            waiting.erase(at);
            f.erase(old);
            f.queue.erased(old);
            f.insert(place);
            waiting.insert(place.value);
            break;
          }
          const Place place{*waiting.rbegin()};
          waiting.erase(place.value);
          f.erase(place);
          f.queue.erased(place);
        }
      }
    }
    // Reads the table as another process would find it.
    for (const Place place : f.flying) waiting.insert(place.value);
    f.flying.clear();
    f.queue = HostQueue(false);
    for (const std::uint64_t expected : waiting) ASSERT_EQ(f.take(), expected);
    ASSERT_EQ(f.take(), 0U);
  }
}

// Hosts that do not answer cost the others less than a twentieth of their rate: in virtual time,
// with a network that takes everything at once and returns it when the host answers, or after a
// timeout.

TEST(Slots, AFlightGivesItsSlotBackWhenItIsBackOrSilent) {
  Slots slots(2);
  const std::uint64_t first = slots.begin(Slots::Kind::kHeard, 0);
  slots.begin(Slots::Kind::kHeard, 100);
  EXPECT_TRUE(slots.full(Slots::Kind::kHeard));
  EXPECT_FALSE(slots.full(Slots::Kind::kUnheard));
  EXPECT_EQ(slots.free_ms(Slots::Kind::kHeard), 50);
  slots.age(49);
  EXPECT_TRUE(slots.full(Slots::Kind::kHeard));
  EXPECT_FALSE(slots.any_silent());
  slots.age(50);
  EXPECT_TRUE(slots.any_silent());
  EXPECT_FALSE(slots.full(Slots::Kind::kHeard));
  slots.end(first);
  slots.age(10'000);
  const std::uint64_t third = slots.begin(Slots::Kind::kHeard, 10'000);
  slots.end(third);
  EXPECT_EQ(slots.free_ms(Slots::Kind::kHeard), INT64_MAX);
}

TEST(Slots, PatienceFollowsFirstAnswersWithinItsBounds) {
  Slots slots(1);
  EXPECT_EQ(slots.patience_ms(), Slots::kFirstSilentMs);
  slots.learn(20);  // the first answer teaches all that there is to know
  EXPECT_EQ(slots.patience_ms(), 160);
  for (int i = 0; i < 50; ++i) slots.learn(5);
  EXPECT_LE(slots.patience_ms(), 45);
  for (std::uint64_t i = 0; i < Slots::kUnheardForEach; ++i)
    slots.begin(Slots::Kind::kUnheard, 1'000);
  EXPECT_TRUE(slots.full(Slots::Kind::kUnheard));
  EXPECT_EQ(slots.free_ms(Slots::Kind::kUnheard), 1'000 + slots.patience_ms());
  for (int i = 0; i < 50; ++i) slots.learn(0);
  EXPECT_EQ(slots.patience_ms(), Slots::kLeastSilentMs);
  for (int i = 0; i < 50; ++i) slots.learn(5'000);
  EXPECT_GE(slots.patience_ms(), 195);
}

// Bug: under load such flights were taken for silent ones, and a thousand more went out in front of
// hosts that were due.
TEST(Slots, BugFlightsThatThePipelineHadNotReachedWereTakenForSilentOnes) {
  Slots slots(64);
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 64; ++i) numbers.push_back(slots.begin(Slots::Kind::kHeard, i));
  // A flight comes back every 100 ms; each was answered within 10 ms.
  std::int64_t now = 0;
  for (int i = 0; i < 60; ++i) {
    now += 100;
    slots.note_return(/*sent_ms=*/i, /*answered_ms=*/i + 10, /*is_known=*/true, now);
    slots.end(numbers[static_cast<std::size_t>(i)]);
    slots.age(now);
    ASSERT_FALSE(slots.any_silent()) << i;
  }
  // A flight that was sent later overtakes the four that are left.
  const std::uint64_t late = slots.begin(Slots::Kind::kHeard, now);
  slots.note_return(now, now + 10, /*is_known=*/true, now + 20);
  slots.end(late);
  slots.age(now + 20);
  EXPECT_TRUE(slots.any_silent());
  EXPECT_EQ(slots.in_flight(), 4U);
  EXPECT_EQ(slots.free_ms(Slots::Kind::kHeard), INT64_MAX);
}

TEST(Slots, NothingIsSilentWhileLinksComeOutOfThePipeline) {
  Slots slots(1);
  slots.begin(Slots::Kind::kHeard, 0);
  for (std::int64_t now = 10; now < 5'000; now += 40) {
    slots.note_output(now);
    slots.age(now);
    ASSERT_TRUE(slots.full(Slots::Kind::kHeard));
    ASSERT_EQ(slots.free_ms(Slots::Kind::kHeard), now + Slots::kFirstSilentMs);
  }
  slots.age(slots.free_ms(Slots::Kind::kHeard));
  EXPECT_FALSE(slots.full(Slots::Kind::kHeard));
}

TEST(Slots, FewerAreUnheardWhileThePipelineLags) {
  Slots slots(64);
  const std::uint64_t most = 64 * Slots::kUnheardForEach;
  const auto unheard = [&] { return slots.most(Slots::Kind::kUnheard); };
  std::int64_t now = 1'000;
  const auto come_back = [&](std::int64_t lag_ms, bool is_known = true) {
    for (int i = 0; i < 50; ++i, now += 10) {
      slots.note_return(now - lag_ms - 500, now - lag_ms, is_known, now);
      // A flight that was held up elsewhere teaches nothing.
      slots.note_return(now - 900, now - 800, is_known, now);
    }
  };
  come_back(20);
  EXPECT_EQ(unheard(), most);
  // Nor does one that may have been with its host all the time.
  for (int i = 0; i < 20; ++i) come_back(400, /*is_known=*/false);
  EXPECT_EQ(unheard(), most);
  for (int i = 0; i < 20; ++i) come_back(400);
  EXPECT_EQ(unheard(), most / 16);
  EXPECT_EQ(slots.most(), (1 + Slots::kUnheardForEach) * 64 + 1024);
  for (int i = 0; i < 20; ++i) come_back(20);
  EXPECT_EQ(unheard(), most);
}

TEST(Slots, OneThatIsKnownToBeSlowHoldsNone) {
  Slots slots(1);
  ASSERT_TRUE(slots.may_be_silent());
  const std::uint64_t slow = slots.begin_silent();
  EXPECT_FALSE(slots.full(Slots::Kind::kUnheard));
  EXPECT_FALSE(slots.full(Slots::Kind::kHeard));
  slots.end(slow);
  std::vector<std::uint64_t> all;
  while (slots.may_be_silent()) all.push_back(slots.begin_silent());
  EXPECT_EQ(all.size() + 1 + Slots::kUnheardForEach, slots.most());
  for (const std::uint64_t number : all) slots.end(number);
  EXPECT_TRUE(slots.may_be_silent());
}

TEST(Slots, SilentFlightsHaveABoundOfTheirOwn) {
  Slots slots(1);
  std::vector<std::uint64_t> numbers;
  std::int64_t now = 0;
  for (std::uint64_t i = 0; i < 1024 + Slots::kUnheardForEach; ++i, now += 200) {
    slots.age(now);
    ASSERT_FALSE(slots.full(Slots::Kind::kUnheard)) << i;
    numbers.push_back(slots.begin(Slots::Kind::kUnheard, now));
  }
  slots.age(now);
  EXPECT_TRUE(slots.full(Slots::Kind::kUnheard));
  EXPECT_EQ(slots.free_ms(Slots::Kind::kUnheard), INT64_MAX);
  EXPECT_FALSE(slots.full(Slots::Kind::kHeard));
  slots.end(numbers.front());
  slots.age(now);
  EXPECT_FALSE(slots.full(Slots::Kind::kUnheard));
}

class StarvationTest : public FrontierTest {
 protected:
  static constexpr std::int64_t kTimeoutMs = 20'000;
  static constexpr std::int64_t kGoodMs = 20;
  static constexpr std::int64_t kWindowMs = 5000;

  // How long a URL takes to answer; kTimeoutMs: it does not answer.
  using Network = std::function<std::int64_t(const std::string& url)>;
  // Returns the number of answers of good hosts in each window of the run.
  std::vector<int> run(const std::vector<std::string>& urls, std::int64_t ms,
                       const Network& network) {
    store_ = MemoryStore();
    open();
    seed(urls);
    const std::int64_t begun = clock_.unix_ms();
    std::vector<int> good(static_cast<std::size_t>(ms / kWindowMs));
    std::multimap<std::int64_t, std::string> answers;
    most_in_flight_ = 0;
    while (true) {
      while (!next().empty()) answers.emplace(clock_.unix_ms() + network(sent_.url), sent_.url);
      most_in_flight_ = std::max(most_in_flight_, answers.size());
      const std::int64_t wait = frontier_->wait_ms();
      std::int64_t step = answers.empty() ? INT64_MAX : answers.begin()->first - clock_.unix_ms();
      step = std::max<std::int64_t>(std::min(step, wait), 1);
      if (step == INT64_MAX || clock_.unix_ms() + step - begun >= ms) return good;
      clock_.advance_ms(step);
      EXPECT_TRUE(frontier_->commit().ok());
      while (!answers.empty() && answers.begin()->first <= clock_.unix_ms()) {
        const std::string url = answers.begin()->second;
        answers.erase(answers.begin());
        const std::int64_t took_ms = network(url);
        const bool answered = took_ms < kTimeoutMs;
        settle(Settled{.url = url,
                       .outcome = answered ? Outcome::kOk : Outcome::kTimeout,
                       .status = static_cast<std::uint16_t>(answered ? 200 : 0),
                       .time_ms = took_ms});
        if (url.starts_with("http://good"))
          ++good[static_cast<std::size_t>((clock_.unix_ms() - begun) / kWindowMs)];
      }
    }
  }
  static std::int64_t by_name(const std::string& url) {
    const bool is_slow = url.starts_with("http://slow") && !url.ends_with("/0");
    return url.starts_with("http://dead") || is_slow ? kTimeoutMs : kGoodMs;
  }
  static void add(std::vector<std::string>& to, const std::string& name, int hosts, int pages) {
    for (int page = 0; page < pages; ++page) {
      for (int host = 0; host < hosts; ++host) {
        to.push_back("http://" + name + std::to_string(host) + ".test/" + std::to_string(page));
      }
    }
  }
  // Compares good hosts beside `bad` ones with good hosts alone.
  void expect_no_loss(const std::string& bad, int hosts, int good_hosts, std::int64_t ms) {
    const int pages = static_cast<int>(ms / options_.politeness.delay_ms) + 1;
    std::vector<std::string> urls;
    add(urls, "good", good_hosts, pages);
    const std::vector<int> alone = run(urls, ms, by_name);
    EXPECT_LE(most_in_flight_, (1 + Slots::kUnheardForEach) * options_.in_flight);
    urls.clear();
    add(urls, bad, hosts, 6);
    add(urls, "good", good_hosts, pages);
    const std::vector<int> beside = run(urls, ms, by_name);
    const int sum_alone = std::accumulate(alone.begin(), alone.end(), 0);
    const int sum_beside = std::accumulate(beside.begin(), beside.end(), 0);
    // Compares with the mean: hosts that are asked in step come in waves, so that one window has
    // more than another.
    const int usual = sum_alone / static_cast<int>(alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      // In the first window all hosts are met for the first time.
      EXPECT_GE(beside[i], usual * (i == 0 ? 90 : 95) / 100) << "window " << i;
    }
    EXPECT_GE(sum_beside, sum_alone * 95 / 100);
    RecordProperty("alone", sum_alone);
    RecordProperty("beside", sum_beside);
    std::printf("%d %s beside %d good: %d pages instead of %d\n", hosts, bad.c_str(), good_hosts,
                sum_beside, sum_alone);
  }

  std::size_t most_in_flight_ = 0;
};

// Bug: there was no good request for 20 s.
TEST_F(StarvationTest, AHundredDeadHostsBesideAHundredGoodOnes) {
  options_.politeness.delay_ms = 200;
  expect_no_loss("dead", 100, 100, 60'000);
}

TEST_F(StarvationTest, AThousandDeadHostsOfTwoThousand) {
  options_.politeness.delay_ms = 1000;
  expect_no_loss("dead", 1000, 1000, 90'000);
}

TEST_F(StarvationTest, HostsWhosePagesAreSlow) {
  options_.politeness.delay_ms = 200;
  expect_no_loss("slow", 100, 100, 60'000);
}

}  // namespace
}  // namespace spinneret::frontier
