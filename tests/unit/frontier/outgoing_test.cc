// SPDX-License-Identifier: Apache-2.0
// Tests each line of the table in outgoing.h; how windows are read, and what limits a run.
#include "frontier/outgoing.h"

#include <gtest/gtest.h>

#include <string>

#include "base/clock.h"
#include "frontier/limits.h"
#include "unit/frontier/rooms_fixture.h"

namespace spinneret::frontier {
namespace {

class OutgoingTest : public RoomsTest {
 protected:
  OutgoingTest() { time_.begin(store_, 0); }
  bool send() { return outgoing_.send(slot_, out_); }
  std::string sent() { return send() ? out_.url : ""; }
  // Forgets the host's window in memory; its URLs on disk stay.
  void forget_window() { hosts_.play(slot_).queue = HostQueue(/*complete=*/false); }

  FakeClock clock_;
  Timepiece time_{clock_};
  Options options_;
  Company company_{64};
  Later later_{store_, {.recrawl = {.least_ms = 1000, .most_ms = 1000}}};
  Outgoing outgoing_{time_,    hosts_,     gate_,    flights_,
                     backlog_, later_,     company_, {store_, hosts_, lanes_},
                     options_, statistics_};
  Dispatch out_;
};

TEST_F(OutgoingTest, RulesGoBeforePages) {
  admit("/1", {});
  ASSERT_FALSE(gate_.need(slot_, "http://a.test/robots.txt"));
  EXPECT_EQ(sent(), "http://a.test/robots.txt");
  EXPECT_EQ(out_.purpose, Purpose::kRobots);
  EXPECT_EQ(out_.gap_ms, options_.politeness.delay_ms);
  EXPECT_EQ(hosts_.host(slot_).rules, Rules::kFlying);
  EXPECT_EQ(flights_.pages(), 0U);
}

TEST_F(OutgoingTest, TheFirstOfItsWindowGoesOut) {
  admit("/1", {.depth = 2});
  admit("/2", {.priority = 1});
  EXPECT_EQ(sent(), "http://a.test/2");
  EXPECT_EQ(out_.priority, 1);
  EXPECT_EQ(out_.gap_ms, 0);
  EXPECT_EQ(sent(), "http://a.test/1");
  EXPECT_EQ(out_.depth, 2U);
  EXPECT_EQ(sent(), "");
  EXPECT_EQ(statistics_.sent, 2U);
}

TEST_F(OutgoingTest, AnEmptyWindowIsRead) {
  admit("/1", {});
  forget_window();
  EXPECT_EQ(sent(), "http://a.test/1");
}

TEST_F(OutgoingTest, WindowsOfThoseThatComeNextAreReadWithIt) {
  admit("/1", {});
  const HostSlot first = slot_;
  slot_ = hosts_.find("http://b.test");
  admit("/1", {});
  forget_window();
  const HostSlot second = slot_;
  slot_ = first;
  forget_window();
  for (const HostSlot each : {first, second}) lanes_.want(each);
  lanes_.arrange();
  LaneId lane = 0;
  clock_.advance_ms(1);
  // The lane becomes known as due.
  ASSERT_TRUE(lanes_.take(time_.now().mono_ms, lane));
  EXPECT_EQ(sent(), "http://a.test/1");
  EXPECT_FALSE(hosts_.play(second).queue.window_empty());
}

TEST_F(OutgoingTest, WhatWasPassedOverComesBackWhereNothingElseIsLeft) {
  admit("/1", {});
  admit("/2", {});
  ASSERT_TRUE(send());
  flights_.pass_over(time_.now());
  ASSERT_TRUE(flights_.any_passed_over());
  EXPECT_EQ(sent(), "http://a.test/2");
  EXPECT_EQ(sent(), "");
  EXPECT_FALSE(flights_.any_passed_over());
  EXPECT_EQ(sent(), "http://a.test/1");
}

TEST_F(OutgoingTest, ASuspectWaitsUntilItMayGoAlone) {
  admit("/1", {});
  ASSERT_TRUE(send());
  company_.suspects.note_life();
  for (int deaths = 2; deaths != 0; --deaths)
    company_.suspects.blame({{"http://a.test/1", slot_}}, Suspects::Death::kUsed);
  flights_.recall(time_.now());
  const std::uint64_t other = company_.slots.begin(Slots::Kind::kHeard, 0);
  EXPECT_EQ(sent(), "");
  EXPECT_TRUE(company_.suspects.has_next());
  company_.slots.end(other);
  EXPECT_EQ(sent(), "http://a.test/1");
}

TEST_F(OutgoingTest, APlaceThatCannotBeReadIsPassedAndNoted) {
  const Place place = Place::of(kLinkPriority, 7);
  std::string key;
  make_queue_key(key, hosts_.host(slot_).id, place);
  store_.put(Table::kQueue, key, "");
  hosts_.queued(slot_, place, "", 8);
  hosts_.add_waiting(slot_);
  commit();
  EXPECT_EQ(sent(), "");
  EXPECT_NE(hosts_.status().message().find("http://a.test"), std::string::npos);
}

TEST_F(OutgoingTest, WhatWasVisitedGoesOutWithItsValidators) {
  admit("/1", {});
  UrlRow row;
  ASSERT_TRUE(backlog_.get(slot_, "/1", row));
  ASSERT_TRUE(send());
  const Flight flight = flights_.land("http://a.test/1").value();
  QueueEntry entry;
  ASSERT_TRUE(decode_queue_entry(flight.entry, entry));
  fill_row(row, entry, flight.place, kOrigin);
  row.visits = 1;
  row.etag = "\"e\"";
  row.last_modified = "Tue";
  backlog_.settle(slot_, "/1", flight.place);
  backlog_.requeue(slot_, "/1", row);
  commit();
  EXPECT_EQ(sent(), "http://a.test/1");
  EXPECT_EQ(out_.etag, "\"e\"");
  EXPECT_EQ(out_.last_modified, "Tue");
}

// --- limits.h -----------------------------------------------------------------------------------

TEST_F(OutgoingTest, PagesInFlightCountForTheLimitsOfPages) {
  admit("/1", {});
  options_.max_pages = 3;
  Limits limits(options_, statistics_, flights_);
  statistics_.pages = 2;
  EXPECT_FALSE(limits.reached());
  ASSERT_TRUE(send());
  EXPECT_TRUE(limits.reached());
}

TEST_F(OutgoingTest, PagesOfEarlierRunsCountForTheLimitOfAll) {
  options_.max_total_pages = 10;
  Limits limits(options_, statistics_, flights_);
  limits.begin(9);
  EXPECT_FALSE(limits.reached());
  statistics_.pages = 1;
  EXPECT_TRUE(limits.reached());
  EXPECT_EQ(limits.sums().pages, 10U);
}

TEST_F(OutgoingTest, BytesAreLimited) {
  options_.max_bytes = 100;
  const Limits limits(options_, statistics_, flights_);
  statistics_.bytes = 99;
  EXPECT_FALSE(limits.reached());
  statistics_.bytes = 100;
  EXPECT_TRUE(limits.reached());
}

TEST_F(OutgoingTest, HoursAreThoseOfTheDay) {
  Limits limits(options_, statistics_, flights_);
  EXPECT_EQ(limits.closed_ms(0), 0);
  const std::int64_t minute = (utc_offset_ms(0) / 60'000 + 1440) % 1440;
  options_.hours.begin = static_cast<std::uint16_t>((minute + 10) % 1440);
  options_.hours.end = static_cast<std::uint16_t>((minute + 20) % 1440);
  EXPECT_EQ(limits.closed_ms(0), 600'000);
  EXPECT_EQ(limits.closed_ms(600'000), 0);
}

}  // namespace
}  // namespace spinneret::frontier
