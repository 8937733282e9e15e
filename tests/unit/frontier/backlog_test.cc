// SPDX-License-Identifier: Apache-2.0
// Rows and their places in the queue: after each change a row names its place, and the place its
// row.
#include "frontier/backlog.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "unit/frontier/rooms_fixture.h"

namespace spinneret::frontier {
namespace {

class BacklogTest : public RoomsTest {};

TEST_F(BacklogTest, ANewUrlIsAStubAndItsPlaceSaysTheRest) {
  admit("/1", {.depth = 2, .via = "http://b.test/"});
  EXPECT_EQ(queue(), std::vector<std::string>{"/1"});
  EXPECT_TRUE(row("/1").is_stub);
  EXPECT_EQ(statistics_.admitted, 1U);
  EXPECT_EQ(statistics_.all.waiting, 1U);
  EXPECT_EQ(hosts_.waiting(hosts_.host(slot_)), 1U);
  EXPECT_TRUE(lanes_.any_wanted());
  UrlRow filled = row("/1");
  ASSERT_TRUE(backlog_.fill_stub(slot_, "/1", filled));
  EXPECT_EQ(filled.via, "http://b.test/");
  EXPECT_EQ(filled.depth, 2U);
  UrlRow other = row("/1");
  EXPECT_FALSE(backlog_.fill_stub(slot_, "/2", other));
}

TEST_F(BacklogTest, PlacesAreInTheOrderOfPriorityThenAsTheyCame) {
  admit("/1", {});
  admit("/2", {.priority = 1});
  admit("/3", {});
  EXPECT_EQ(queue(), (std::vector<std::string>{"/2", "/1", "/3"}));
}

TEST_F(BacklogTest, NumbersAreReservedInBlocksAndNeverGivenTwice) {
  admit("/1", {});
  const std::uint64_t first = number_in(row("/1").arrival);
  // Another run was killed: numbering begins behind all numbers that it may have given.
  std::string reserved;
  ASSERT_TRUE(store_.get(Table::kMeta, kArrivalsKey, reserved));
  Decoder from{reserved};
  const std::uint64_t next = from.varint();
  EXPECT_GT(next, first);
  ASSERT_TRUE(backlog_.load(next, Order::kPriority, Order::kPriority).ok());
  admit("/2", {});
  EXPECT_GE(number_in(row("/2").arrival), next);
}

TEST_F(BacklogTest, WhatIsRequeuedStandsBehindAllOthers) {
  admit("/1", {});
  admit("/2", {});
  UrlRow first = row("/1");
  ASSERT_TRUE(backlog_.fill_stub(slot_, "/1", first));
  backlog_.move_to_end(slot_, "/1", first, Place::of(first.priority, first.arrival));
  commit();
  EXPECT_EQ(queue(), (std::vector<std::string>{"/2", "/1"}));
  EXPECT_EQ(row("/1").arrival, first.arrival);
}

TEST_F(BacklogTest, ARowRisesOnceItsRankIsABetterOne) {
  ASSERT_TRUE(backlog_.load(1, Order::kInlinks, Order::kInlinks).ok());
  admit("/1", {});
  admit("/2", {});
  UrlRow second = row("/2");
  ASSERT_TRUE(backlog_.fill_stub(slot_, "/2", second));
  EXPECT_FALSE(backlog_.rises(second));
  second.votes.add({.cash = 0, .links = 9});
  ASSERT_TRUE(backlog_.rises(second));
  ASSERT_TRUE(backlog_.rise(slot_, "/2", second));
  EXPECT_FALSE(backlog_.rises(second));
  commit();
  EXPECT_EQ(queue(), (std::vector<std::string>{"/2", "/1"}));
  EXPECT_EQ(row("/2").votes.links, 9U);
  // A row whose place has gone does not rise.
  second.votes.add({.cash = 0, .links = 900});
  backlog_.settle(slot_, "/2", Place::of(second.priority, second.arrival));
  commit();
  EXPECT_FALSE(backlog_.rise(slot_, "/2", second));
}

TEST_F(BacklogTest, AnotherOrderPutsTheQueuesAnewAndKeepsWhatIsOfOneRank) {
  admit("/deep", {.depth = 3});
  admit("/a", {.depth = 1});
  admit("/b", {.depth = 1});
  ASSERT_TRUE(backlog_.load(100, Order::kBreadth, Order::kPriority).ok());
  EXPECT_EQ(queue(), (std::vector<std::string>{"/a", "/b", "/deep"}));
  std::string order;
  ASSERT_TRUE(store_.get(Table::kMeta, kOrderKey, order));
  EXPECT_EQ(order, "breadth");
}

TEST_F(BacklogTest, WhatSettlesIsKnownUntilTheCommitAndOpenWhereItMayChange) {
  admit("/1", {});
  UrlRow done = row("/1");
  backlog_.settle(slot_, "/1", Place::of(done.priority, done.arrival));
  EXPECT_TRUE(backlog_.is_settled(slot_, "/1"));
  EXPECT_FALSE(backlog_.is_settled(slot_, "/2"));
  UrlRow open;
  EXPECT_FALSE(backlog_.get_open(slot_, "/1", open));
  done.depth = 7;
  done.is_stub = false;
  done.rest = "/1";
  backlog_.keep_open(slot_, "/1", done);
  ASSERT_TRUE(backlog_.get_open(slot_, "/1", open));
  EXPECT_EQ(open.depth, 7U);
  commit();
  EXPECT_TRUE(queue().empty());
  backlog_.committed();
  EXPECT_FALSE(backlog_.is_settled(slot_, "/1"));
  EXPECT_FALSE(backlog_.get_open(slot_, "/1", open));
}

TEST_F(BacklogTest, StatesAreCountedOfTheHostAndOfAll) {
  admit("/1", {});
  UrlRow done = row("/1");
  backlog_.count(slot_, UrlState::kWaiting, UrlState::kError);
  EXPECT_EQ(statistics_.all.waiting, 0U);
  EXPECT_EQ(statistics_.all.error, 1U);
  EXPECT_EQ(hosts_.play(slot_).row.counts.error, 1U);
  done.state = UrlState::kError;
  done.failures = 3;
  backlog_.revive(slot_, done);
  EXPECT_EQ(done.state, UrlState::kWaiting);
  EXPECT_EQ(done.failures, 0U);
  EXPECT_EQ(statistics_.all.waiting, 1U);
  EXPECT_EQ(statistics_.all.error, 0U);
}

TEST_F(BacklogTest, ARecountBelievesTheTables) {
  admit("/1", {});
  admit("/2", {});
  hosts_.set_waiting(slot_, 9);
  // One more URL of the host is due later.
  ASSERT_TRUE(backlog_.recount({1}).ok());
  EXPECT_EQ(hosts_.waiting(hosts_.host(slot_)), 3U);
  EXPECT_EQ(statistics_.all.waiting, 3U);
}

}  // namespace
}  // namespace spinneret::frontier
