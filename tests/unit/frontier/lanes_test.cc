// SPDX-License-Identifier: Apache-2.0
// Which host may send next, and when, tested with hosts and moments alone.
#include "frontier/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontier/memory_store.h"

namespace spinneret::frontier {
namespace {

class LanesTest : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    politeness_.delay_ms = 1000;
    crowd_ = GetParam();
  }
  Lanes& lanes() {
    if (!hosts_) {
      hosts_.emplace(store_, key_, politeness_, /*most_in_play=*/100, /*page=*/16);
      gate_.emplace(*hosts_, /*tries=*/3);
      gate_->assume_rules();
      slots_.emplace(in_flight_);
      lanes_.emplace(*hosts_, *gate_, random_, *slots_,
                     LaneRules{politeness_, max_host_pages_, crowd_});
    }
    return *lanes_;
  }
  // Adds a URL that waits at a host.
  HostSlot queue(const std::string& origin, std::uint8_t priority = kLinkPriority) {
    lanes();
    const HostSlot slot = hosts_->find(origin);
    hosts_->queued(slot, Place::of(priority, ++arrivals_), "entry", /*keep=*/8);
    lanes_->want(slot);
    return slot;
  }
  // Returns the host that sends next, and takes a URL of it, or "" if none may.
  std::string send() {
    lanes().arrange();
    std::string out;
    LaneId lane = 0;
    while (out.empty() && lanes_->take(now_.mono_ms, lane)) {
      lanes_->serve(lane, now_.mono_ms, [&](HostSlot slot) {
        HostPlay& play = hosts_->play(slot);
        flights_.emplace_back(slot, lanes_->depart(slot, now_));
        play.flying.push_back(play.queue.front_place());
        play.queue.pop();
        out = hosts_->host(slot).origin;
        return true;
      });
    }
    return out;
  }
  // The flight that has been out for longest comes back, with an answer.
  void land(std::int64_t gap_ms = 1000) {
    const auto [slot, from] = flights_.front();
    flights_.erase(flights_.begin());
    hosts_->play(slot).flying.pop_back();
    lanes_->land(slot, from);
    lanes_->note_sign(slot, /*quick=*/true, /*is_page=*/true, /*took_ms=*/5);
    lanes_->keep_gap(slot, from, gap_ms, /*from_answer=*/false, now_);
  }
  std::int64_t wait() {
    lanes().arrange();
    return lanes_->wait_ms(now_.mono_ms);
  }

  MemoryStore store_;
  Politeness politeness_;
  PolitenessKey key_ = PolitenessKey::kDomain;
  std::uint32_t in_flight_ = 64, crowd_ = 16;
  std::uint64_t max_host_pages_ = 0;
  Random random_{1};
  std::optional<HostTable> hosts_;
  std::optional<Gate> gate_;
  std::optional<Slots> slots_;
  std::optional<Lanes> lanes_;
  Moment now_{.mono_ms = 100'000, .wall_ms = 1'000'000'000, .steady_ms = 1'000'000'000};
  std::vector<std::pair<HostSlot, Lanes::Departure>> flights_;
  std::uint64_t arrivals_ = 0;
};
// The members of a lane are walked over (16), or form a crowd from the first on (1).
INSTANTIATE_TEST_SUITE_P(Crowds, LanesTest, testing::Values(16, 1));

TEST_P(LanesTest, NothingToSendIsNothingToWaitFor) {
  EXPECT_EQ(wait(), INT64_MAX);
  EXPECT_EQ(send(), "");
  EXPECT_EQ(lanes().waiting(), 0U);
}

TEST_P(LanesTest, HostsOfALaneGoByTurnsWithAGapBetweenThem) {
  for (int i = 0; i < 2; ++i) {
    queue("http://a.b.test");
    queue("http://c.b.test");
  }
  EXPECT_EQ(send(), "http://a.b.test");
  EXPECT_EQ(send(), "");
  EXPECT_EQ(wait(), INT64_MAX);  // the gap begins with the answer
  land();
  EXPECT_EQ(wait(), 1000);
  now_.mono_ms += 999;
  EXPECT_EQ(send(), "");
  ++now_.mono_ms;
  EXPECT_EQ(send(), "http://c.b.test");
  land(/*gap_ms=*/0);
  EXPECT_EQ(send(), "http://a.b.test");
  land(0);
  EXPECT_EQ(send(), "http://c.b.test");
  land(0);
  EXPECT_EQ(wait(), INT64_MAX);
}

TEST_P(LanesTest, OtherLanesAreNotHeldUp) {
  queue("http://a.test");
  queue("http://a.test");
  queue("http://b.test");
  EXPECT_EQ(send(), "http://a.test");
  EXPECT_EQ(send(), "http://b.test");
  EXPECT_EQ(send(), "");
}

TEST_P(LanesTest, WhatHoldsAHostBackIsOfTheHostAlone) {
  const HostSlot held = queue("http://a.b.test");
  hosts_->host(held).held_ms = now_.mono_ms + 5000;
  EXPECT_EQ(wait(), 5000);
  queue("http://c.b.test");
  EXPECT_EQ(send(), "http://c.b.test");
  land(0);
  EXPECT_EQ(wait(), 5000);
  now_.mono_ms += 5000;
  EXPECT_EQ(send(), "http://a.b.test");
}

TEST_P(LanesTest, AHostThatIsGivenUpOrHasHadItsPagesSendsNothing) {
  max_host_pages_ = 1;
  const HostSlot full = queue("http://a.test");
  queue("http://a.test");
  hosts_->host(queue("http://b.test")).finished = true;
  EXPECT_EQ(send(), "http://a.test");
  EXPECT_TRUE(lanes().limit_reached(hosts_->host(full)));
  land(0);
  ++hosts_->play(full).row.counts.pages;
  lanes().want(full);
  EXPECT_EQ(send(), "");
  EXPECT_EQ(wait(), INT64_MAX);
}

TEST_P(LanesTest, WantedRulesComeFirst) {
  queue("http://a.b.test", /*priority=*/0);
  const HostSlot wants = queue("http://c.b.test", kLastPriority);
  hosts_->host(wants).rules = Rules::kWanted;
  lanes().want(wants);
  queue("http://d.test", 1);
  lanes().arrange();
  EXPECT_EQ(lanes().waiting(), 2U);
  hosts_->host(wants).rules = Rules::kFlying;  // the page waits for the rules
  lanes().want(wants);
  EXPECT_EQ(send(), "http://a.b.test");
  EXPECT_EQ(send(), "http://d.test");
  EXPECT_EQ(send(), "");
}

TEST_P(LanesTest, SeveralAtOnceHaveTheirGapBetweenTheRequests) {
  politeness_.per_host = 2;
  for (int i = 0; i < 3; ++i) queue("http://a.test");
  EXPECT_EQ(send(), "http://a.test");
  EXPECT_EQ(wait(), 1000);
  now_.mono_ms += 1000;
  EXPECT_EQ(send(), "http://a.test");
  now_.mono_ms += 9000;
  EXPECT_EQ(send(), "");  // two are out
  land();
  EXPECT_EQ(send(), "http://a.test");
}

TEST_P(LanesTest, WhoWasNotAskedOwesNoGap) {
  politeness_.per_host = 2;
  const HostSlot slot = queue("http://a.test");
  queue("http://a.test");
  EXPECT_EQ(send(), "http://a.test");
  lanes().land(slot, flights_.front().second);
  lanes().take_back_gap(slot, flights_.front().second);
  EXPECT_EQ(wait(), 0);
  lanes().back_off(slot, now_);
  lanes().want(slot);
  EXPECT_EQ(wait(), 1000);
}

TEST_P(LanesTest, AGapIsNeverShorterByAPartOfAMillisecond) {
  now_.cut = true;
  queue("http://a.test");
  queue("http://a.test");
  send();
  land();
  EXPECT_EQ(wait(), 1001);
}

TEST_P(LanesTest, LanesThatWereNeverHeardWaitForASlotAndHoldNobodyUp) {
  in_flight_ = 1;  // so four unheard lanes may be out
  for (int i = 0; i < 6; ++i) queue("http://h" + std::to_string(i) + ".test");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(send(), "http://h" + std::to_string(i) + ".test");
  EXPECT_EQ(send(), "");
  EXPECT_EQ(lanes().waiting(), 2U);  // the others are put aside
  EXPECT_EQ(wait(), Slots::kFirstSilentMs);
  queue("http://h0.test");
  land(0);  // an answer of h0, which is heard from now on
  EXPECT_EQ(send(), "http://h4.test");
  EXPECT_EQ(send(), "http://h0.test");
  now_.mono_ms += Slots::kFirstSilentMs;
  lanes().age(now_.mono_ms);  // h1 to h4 are silent
  EXPECT_EQ(send(), "http://h5.test");
}

// Bug: the new host waited until all of the thousand hosts had been asked, which brought thousands
// more.
TEST_P(LanesTest, BugANewHostWaitedForAllThatOneDomainHadMadeUp) {
  key_ = PolitenessKey::kHost;
  in_flight_ = 1;  // so four unheard lanes may be out
  for (int i = 0; i < 1000; ++i) queue("http://h" + std::to_string(i) + ".trap.test");
  queue("http://good.test");
  std::vector<std::string> sent;
  for (int i = 0; i < 5; ++i) {
    for (std::string each = send(); !each.empty(); each = send()) sent.push_back(std::move(each));
    land(0);
  }
  EXPECT_NE(std::find(sent.begin(), sent.end(), "http://good.test"), sent.end());
  EXPECT_LT(sent.size(), 10U);
}

TEST_P(LanesTest, AHostFollowsItsAddressOnceItIsIdle) {
  key_ = PolitenessKey::kIp;
  const HostSlot a = queue("http://a.test");
  const HostSlot b = queue("http://b.test");
  for (const HostSlot slot : {a, b}) hosts_->play(slot).row.ip = "10.0.0.1";
  EXPECT_EQ(send(), "http://a.test");
  lanes().follow_address(a);
  lanes().follow_address(b);
  EXPECT_NE(hosts_->host(a).lane, hosts_->host(b).lane);  // a is out
  land();
  lanes().follow_address(a);
  EXPECT_EQ(hosts_->host(a).lane, hosts_->host(b).lane);
  EXPECT_EQ(send(), "");
  EXPECT_EQ(wait(), 1000);  // with the gap of a
}

TEST_P(LanesTest, WhoComesFirstIsServedBeforeItsTurn) {
  const HostSlot a = queue("http://a.b.test");
  const HostSlot c = queue("http://c.b.test");
  lanes().arrange();
  std::vector<HostSlot> asked;
  const auto refuse = [&](HostSlot slot) { return asked.push_back(slot), false; };
  EXPECT_FALSE(lanes().serve_first(c, now_.mono_ms, refuse));
  ASSERT_GE(asked.size(), 2U);
  EXPECT_EQ(asked[0], c);
  EXPECT_EQ(asked[1], a);
  hosts_->lane(hosts_->host(c).lane).next_ms = now_.mono_ms + 1;
  asked.clear();
  EXPECT_FALSE(lanes().serve_first(c, now_.mono_ms, refuse));
  EXPECT_TRUE(asked.empty());
}

TEST_P(LanesTest, WhetherThereIsMoreCountsWhatIsInTheQueueOnly) {
  const HostSlot slot = queue("http://a.test");
  EXPECT_TRUE(lanes().has_more(slot));
  hosts_->play(slot).queue.pop();
  lanes().want(slot);
  EXPECT_FALSE(lanes().has_more(slot));
}

TEST_P(LanesTest, WindowsAreReadAheadOfThoseWhoseTurnComes) {
  const HostSlot first = queue("http://a.test");
  const HostSlot read = queue("http://b.test");
  const HostSlot asleep = queue("http://c.test");
  // A URL waits on disk, and none is in the window.
  hosts_->set_waiting(asleep, 1);
  lanes().want(asleep);
  lanes().arrange();
  EXPECT_EQ(lanes().wait_ms(now_.mono_ms), 0);
  LaneId lane = 0;
  ASSERT_TRUE(lanes().take(now_.mono_ms, lane));
  std::vector<HostSlot> ahead;
  lanes().ahead(first, now_.mono_ms, 256, ahead);
  EXPECT_EQ(ahead, (std::vector<HostSlot>{first, asleep}));
  EXPECT_FALSE(hosts_->play(read).queue.window_empty());
}

}  // namespace
}  // namespace spinneret::frontier
