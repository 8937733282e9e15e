// SPDX-License-Identifier: Apache-2.0
// The ways of a flight as flights.h draws them.
#include "frontier/flights.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "unit/frontier/rooms_fixture.h"

namespace spinneret::frontier {
namespace {

class FlightsTest : public RoomsTest {
 protected:
  HostSlot fill(const std::string& origin, int urls) {
    const HostSlot slot = hosts_.find(origin);
    for (; urls != 0; --urls) {
      const Place place = Place::of(1, ++arrivals_);
      std::string key;
      make_queue_key(key, hosts_.host(slot).id, place);
      store_.put(Table::kQueue, key, "entry");
      hosts_.queued(slot, place, "entry", 8);
      hosts_.add_waiting(slot);
    }
    EXPECT_TRUE(store_.commit().ok());
    return slot;
  }
  // Sends the first URL of the host's queue, under that name.
  void send(HostSlot slot, const std::string& url) {
    HostQueue& queue = hosts_.play(slot).queue;
    const Place place = front(slot);
    flights_.begin(Flights::key_of(Purpose::kPage, url), slot, Purpose::kPage, place, "entry",
                   now_);
    queue.pop();
  }
  // Returns the first place of the host's window, or of the table if the window must be read first.
  Place front(HostSlot slot) {
    HostPlay& play = hosts_.play(slot);
    const std::unique_ptr<Cursor> at = store_.scan(Table::kQueue);
    play.queue.refill(*at, play.row.id, play.flying, play.row.counts.waiting, 10'000);
    return play.queue.front_place();
  }
  const Lane& lane(HostSlot slot) { return hosts_.lane(hosts_.host(slot).lane); }

  std::uint64_t arrivals_ = 0;
};

TEST_F(FlightsTest, ARobotsTxtAndThePageOfItsNameAreTwoFlights) {
  const std::string url = "http://a.test/robots.txt";
  const std::string rules = Flights::key_of(Purpose::kRobots, url);
  EXPECT_NE(rules, Flights::key_of(Purpose::kPage, url));
  EXPECT_EQ(Flights::url_of(rules), url);
  EXPECT_EQ(Flights::url_of(url), url);
  const HostSlot slot = fill("http://a.test", 1);
  flights_.begin(rules, slot, Purpose::kRobots, {}, {}, now_);
  EXPECT_EQ(flights_.pages(), 0U);
  send(slot, url);
  EXPECT_EQ(flights_.pages(), 1U);
  EXPECT_EQ(flights_.all().size(), 2U);
  ASSERT_TRUE(flights_.land(rules).has_value());
  EXPECT_EQ(flights_.find(rules), nullptr);
  EXPECT_NE(flights_.find(url), nullptr);
}

TEST_F(FlightsTest, WhatLandsIsOutOnceAndItsHostMaySendAgain) {
  const HostSlot slot = fill("http://a.test", 2);
  send(slot, "http://a.test/1");
  EXPECT_EQ(lane(slot).in_flight, 1U);
  EXPECT_EQ(hosts_.play(slot).flying.size(), 1U);
  EXPECT_EQ(lanes_.due_ms(hosts_.host(slot).lane), INT64_MAX);
  const auto landed = flights_.land("http://a.test/1");
  ASSERT_TRUE(landed.has_value());
  EXPECT_EQ(landed->host, slot);
  EXPECT_EQ(landed->entry, "entry");
  EXPECT_FALSE(flights_.land("http://a.test/1").has_value());
  EXPECT_TRUE(hosts_.nothing_flying(hosts_.host(slot)));
  EXPECT_LE(lanes_.due_ms(hosts_.host(slot).lane), now_.mono_ms);
}

TEST_F(FlightsTest, WhatIsRecalledGoesOutFirstAfterItsDelay) {
  const HostSlot slot = fill("http://a.test", 2);
  const Place first = front(slot);
  send(slot, "http://a.test/1");
  EXPECT_NE(front(slot), first);
  flights_.recall(now_);
  EXPECT_TRUE(flights_.all().empty());
  EXPECT_EQ(flights_.pages(), 0U);
  EXPECT_EQ(front(slot), first);
  EXPECT_EQ(lane(slot).next_ms, now_.mono_ms + 1000);
}

TEST_F(FlightsTest, OneIsRecalledAloneAndOnce) {
  const HostSlot slot = fill("http://a.test", 2), other = fill("http://b.test", 1);
  const Place first = front(slot);
  send(slot, "http://a.test/1");
  send(other, "http://b.test/1");
  EXPECT_TRUE(flights_.recall("http://a.test/1", now_));
  EXPECT_FALSE(flights_.recall("http://a.test/1", now_));
  EXPECT_EQ(front(slot), first);
  EXPECT_EQ(lane(slot).next_ms, now_.mono_ms + 1000);
  EXPECT_EQ(flights_.pages(), 1U);
  EXPECT_NE(flights_.find("http://b.test/1"), nullptr);
}

TEST_F(FlightsTest, RulesThatAreRecalledAreWantedAgain) {
  const HostSlot slot = fill("http://a.test", 1);
  gate_.need(slot, "http://a.test/robots.txt");
  gate_.send(slot);
  flights_.begin("robots http://a.test/robots.txt", slot, Purpose::kRobots, {}, {}, now_);
  flights_.recall(now_);
  EXPECT_EQ(hosts_.host(slot).rules, Rules::kWanted);
}

TEST_F(FlightsTest, WhatIsPassedOverStaysBehindTheOthersUntilAResultComes) {
  const HostSlot slot = fill("http://a.test", 2);
  const Place first = front(slot);
  send(slot, "http://a.test/1");
  flights_.pass_over(now_);
  EXPECT_TRUE(flights_.any_passed_over());
  EXPECT_NE(front(slot), first);
  send(slot, "http://a.test/2");
  ASSERT_TRUE(flights_.land("http://a.test/2").has_value());
  EXPECT_FALSE(flights_.any_passed_over());
  EXPECT_EQ(front(slot), first);
}

TEST_F(FlightsTest, WhereItsLaneHasNothingElseNothingIsPassedOver) {
  const HostSlot alone = fill("http://a.test", 1);
  const HostSlot other = fill("http://b.test", 2);
  send(alone, "http://a.test/1");
  send(other, "http://b.test/1");
  flights_.pass_over(now_);
  EXPECT_FALSE(hosts_.play(alone).queue.empty());
  EXPECT_TRUE(flights_.any_passed_over());  // the other lane's URL was passed over
  flights_.bring_back();
  EXPECT_FALSE(flights_.any_passed_over());
  EXPECT_TRUE(lanes_.any_wanted());
}

TEST_F(FlightsTest, ALeaseIsByTheTimeOfSending) {
  const HostSlot slot = fill("http://a.test", 1);
  send(slot, "http://a.test/1");
  EXPECT_TRUE(flights_.sent_by(now_.mono_ms - 1).empty());
  EXPECT_EQ(flights_.sent_by(now_.mono_ms), std::vector<std::string>{"http://a.test/1"});
}

TEST_F(FlightsTest, AHostIsMarkedOnceAndUntilTheEnd) {
  EXPECT_FALSE(flights_.stage_marks());
  const HostSlot slot = fill("http://a.test", 2);
  send(slot, "http://a.test/1");
  EXPECT_TRUE(hosts_.host(slot).marked);
  EXPECT_TRUE(flights_.stage_marks());
  ASSERT_TRUE(store_.commit().ok());
  flights_.land("http://a.test/1");
  send(slot, "http://a.test/2");
  EXPECT_FALSE(flights_.stage_marks());
  EXPECT_EQ(store_.rows(Table::kMeta).size(), 1U);
  flights_.clear_marks();
  ASSERT_TRUE(store_.commit().ok());
  EXPECT_FALSE(hosts_.host(slot).marked);
  EXPECT_TRUE(store_.rows(Table::kMeta).empty());
}

}  // namespace
}  // namespace spinneret::frontier
