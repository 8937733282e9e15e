// SPDX-License-Identifier: Apache-2.0
// Tests the table of known_urls.h: the effect of a link by the state of its URL.
#include "frontier/known_urls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/frontier/rooms_fixture.h"

namespace spinneret::frontier {
namespace {

class KnownUrlsTest : public RoomsTest {
 protected:
  // A link to the URL comes in the next batch.
  void link(const std::string& rest, const Link& link) {
    std::string key;
    make_url_key(key, hosts_.host(slot_).id, rest);
    const std::string bytes = store_.rows(Table::kUrls).at(key);
    known_.improve(entry(rest, link), bytes, now_.wall_ms);
    commit();
  }
  // Puts the first URL of the queue in flight.
  Flight& send(const std::string& rest) {
    const UrlRow sent = row(rest);
    const MemoryStore::Rows queue = store_.rows(Table::kQueue);
    const std::string& bytes = queue.begin()->second;
    const std::string url = join_url(kOrigin, rest);
    flights_.begin(url, slot_, Purpose::kPage, Place::of(sent.priority, sent.arrival), bytes, now_);
    return *flights_.find(url);
  }
  QueueEntry flying(const Flight& flight) {
    QueueEntry out;
    EXPECT_TRUE(decode_queue_entry(flight.entry, out));
    return out;
  }
  // Ends a visit, or leaves the URL to be tried again.
  void settle(const std::string& rest, UrlState state) {
    UrlRow done = row(rest);
    if (done.is_stub) {
      EXPECT_TRUE(backlog_.fill_stub(slot_, rest, done));
    }
    backlog_.settle(slot_, rest, Place::of(done.priority, done.arrival));
    done.state = state;
    done.visits = 1;
    done.failures = 1;
    done.etag = "e";
    done.last_ms = now_.wall_ms;
    if (state == UrlState::kWaiting) {
      later_.put_retry(done, hosts_.host(slot_).id, rest, now_.steady_ms, 0);
    } else {
      backlog_.count(slot_, UrlState::kWaiting, state);
    }
    backlog_.put(slot_, rest, done);
    if (is_checked(done.depth)) backlog_.keep_open(slot_, rest, done);
  }
  void end_batch() {
    commit();
    backlog_.committed();
  }

  Later later_{store_, {}};
  KnownUrls known_{hosts_, backlog_, flights_, later_};
};

TEST_F(KnownUrlsTest, WhatSaysNothingNewChangesNothing) {
  admit("/1", {.depth = 2});
  const auto before = store_.rows(Table::kUrls);
  link("/1", {.depth = 2});
  link("/1", {.depth = 5, .priority = 0});  // a priority that was not set
  EXPECT_TRUE(store_.rows(Table::kUrls) == before);
}

TEST_F(KnownUrlsTest, WhatWaitsGoesToTheEndOfItsNewPriority) {
  admit("/1", {.depth = 2});
  admit("/2", {.depth = 2});
  link("/1", {.depth = 1});
  EXPECT_EQ(queue(), (std::vector<std::string>{"/2", "/1"}));
  EXPECT_EQ(row("/1").depth, 1U);
  link("/1", {.depth = 9, .priority = 2, .raises = true});
  EXPECT_EQ(queue(), (std::vector<std::string>{"/1", "/2"}));
}

TEST_F(KnownUrlsTest, VotesMakeWhatWaitsRise) {
  ASSERT_TRUE(backlog_.load(1, Order::kInlinks, Order::kInlinks).ok());
  admit("/1", {});
  admit("/2", {});
  link("/2", {.votes = {.cash = 0, .links = 1}});
  EXPECT_EQ(row("/2").votes.links, 1U);
  link("/2", {.votes = {.cash = 0, .links = 8}});
  EXPECT_EQ(queue(), (std::vector<std::string>{"/2", "/1"}));
  EXPECT_EQ(row("/2").votes.links, 9U);
}

TEST_F(KnownUrlsTest, WhatIsInFlightStaysThereAndComesBackWithIt) {
  admit("/1", {.depth = 3});
  const Flight& flight = send("/1");
  link("/1", {.depth = 1, .priority = 0, .raises = true});
  EXPECT_EQ(flying(flight).depth, 1U);
  EXPECT_EQ(flight.raised, 0);
  EXPECT_EQ(queue(), std::vector<std::string>{"/1"});
  EXPECT_TRUE(row("/1").is_stub);
}

TEST_F(KnownUrlsTest, WhatWasSettledInThisBatchIsLeftAsItIs) {
  admit("/1", {.depth = 3});
  settle("/1", UrlState::kDone);
  link("/1", {.depth = 1});
  EXPECT_EQ(row("/1").depth, 3U);
  end_batch();
  link("/1", {.depth = 1});
  EXPECT_EQ(row("/1").depth, 1U);
  EXPECT_EQ(row("/1").state, UrlState::kDone);
  EXPECT_EQ(row("/1").etag, "e");
  EXPECT_TRUE(queue().empty());
}

TEST_F(KnownUrlsTest, WhatWaitsToBeTriedAgainKeepsItsTime) {
  admit("/1", {.depth = 3});
  settle("/1", UrlState::kWaiting);
  end_batch();
  const std::int64_t due = row("/1").due_ms;
  link("/1", {.depth = 1, .votes = {.cash = 0, .links = 2}});
  EXPECT_EQ(row("/1").due_ms, due);
  EXPECT_EQ(row("/1").depth, 1U);
  EXPECT_EQ(row("/1").votes.links, 2U);
  EXPECT_TRUE(queue().empty());
}

TEST_F(KnownUrlsTest, WhatWasOnlyAskedForWaitsAgainWithoutValidators) {
  admit("/1", {.depth = kCheckDepth});
  settle("/1", UrlState::kDone);
  link("/1", {.depth = 2});  // in the same batch, in which its row is open
  EXPECT_EQ(queue(), std::vector<std::string>{"/1"});
  EXPECT_EQ(row("/1").state, UrlState::kWaiting);
  EXPECT_EQ(row("/1").depth, 2U);
  EXPECT_EQ(row("/1").etag, "");
  EXPECT_EQ(statistics_.all.waiting, 1U);
  EXPECT_EQ(statistics_.all.done, 0U);
}

TEST_F(KnownUrlsTest, WhatIsOnlyAskedForInFlightIsToldByItsRow) {
  admit("/1", {.depth = kCheckDepth});
  const Flight& flight = send("/1");
  link("/1", {.depth = 2});
  EXPECT_TRUE(is_checked(flying(flight).depth));
  EXPECT_EQ(row("/1").depth, 2U);
  EXPECT_FALSE(row("/1").is_stub);
  EXPECT_EQ(Place::of(row("/1").priority, row("/1").arrival), flight.place);
}

}  // namespace
}  // namespace spinneret::frontier
