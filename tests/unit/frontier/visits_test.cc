// SPDX-License-Identifier: Apache-2.0
// Tests each line of the tables in visits.h.
#include "frontier/visits.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "unit/frontier/rooms_fixture.h"

namespace spinneret::frontier {
namespace {

using Taken = Later::Taken;
using Paths = std::vector<std::string>;

constexpr std::int64_t kDay = 86'400'000;
constexpr std::uint32_t kRun = 7;

class VisitsTest : public RoomsTest {
 protected:
  VisitsTest() { visits_.begin_run(kRun); }

  // Sends the first URL of the window.
  Flight& send() {
    HostQueue& queue = hosts_.play(slot_).queue;
    Place place;
    QueueEntry entry;
    EXPECT_TRUE(!queue.window_empty() && queue.front(place, entry));
    url_ = join_url(kOrigin, entry.rest);
    flights_.begin(url_, slot_, Purpose::kPage, place, queue.front_bytes(), now_);
    queue.pop();
    return *flights_.find(url_);
  }
  // Lets that URL come back.
  Verdict land(Settled result) {
    const std::optional<Flight> flight = flights_.land(url_);
    result.url = url_;
    row_ = {};
    const Verdict verdict = visits_.settle(flight.value(), result, now_, row_);
    commit();
    backlog_.committed();
    return verdict;
  }
  Verdict visit(const Settled& result) {
    send();
    return land(result);
  }
  // Lets time go on, and returns the answer to each URL that falls due.
  std::vector<Taken> fall_due(Visits& visits, std::int64_t ms) {
    now_.wall_ms += ms;
    now_.steady_ms += ms;
    std::vector<Taken> out;
    later_.take_due(now_, [&](const LaterKey& key) {
      out.push_back(visits.fall_due(key));
      return out.back();
    });
    commit();
    return out;
  }
  void expect_due_again(std::int64_t ms) {
    EXPECT_EQ(fall_due(visits_, ms), std::vector{Taken::kSent});
  }
  std::size_t in_later() { return store_.rows(Table::kLater).size(); }

  const Settled ok_{.url = {}, .status = 200, .etag = "e", .digest = "d"};
  const Settled failed_{
      .url = {}, .outcome = Outcome::kServerError, .status = 503, .error = "busy"};
  const Settled silent_{.url = {}, .outcome = Outcome::kTimeout};
  Admission admission_;
  Later later_{store_, {.recrawl = {.least_ms = kDay, .most_ms = kDay}}};
  Visits visits_{hosts_, backlog_, later_, patience_, admission_, random_, statistics_, {}};
  std::string url_;  // the URL that was sent last
  UrlRow row_;       // the row with which it came back
};

TEST_F(VisitsTest, ALastWordIsStoredAndCounted) {
  admit("/1", {.depth = 2, .via = "http://a.test/"});
  EXPECT_EQ(visit(ok_), Verdict::kFinal);
  EXPECT_TRUE(queue().empty());
  const UrlRow stored = row("/1");
  EXPECT_EQ(stored.state, UrlState::kDone);
  EXPECT_EQ(stored.visits, 1U);
  EXPECT_EQ(stored.run, kRun);
  EXPECT_EQ(stored.etag, "e");
  EXPECT_EQ(stored.depth, 2U);
  EXPECT_EQ(stored.last_ms, now_.wall_ms);
  EXPECT_EQ(stored.due_ms, now_.wall_ms + kDay);
  EXPECT_EQ(row_.via, "http://a.test/");
  EXPECT_EQ(statistics_.pages, 1U);
  EXPECT_EQ(hosts_.play(slot_).row.counts.pages, 1U);
  EXPECT_EQ(statistics_.outcomes[static_cast<std::size_t>(Outcome::kOk)], 1U);
  EXPECT_EQ(statistics_.all.done, 1U);
  EXPECT_EQ(statistics_.all.waiting, 0U);
}

TEST_F(VisitsTest, WhatWasNeverAskedForIsNoPage) {
  admit("/1", {});
  EXPECT_EQ(visit({.url = {}, .outcome = Outcome::kBlockedByRobots}), Verdict::kFinal);
  EXPECT_EQ(row("/1").state, UrlState::kBlocked);
  EXPECT_EQ(statistics_.pages, 0U);
  EXPECT_EQ(statistics_.all.blocked, 1U);
}

TEST_F(VisitsTest, AFailedTryWaitsForTheNextUntilNoneIsLeft) {
  admit("/1", {});
  for (const std::uint32_t failures : {1U, 2U}) {
    EXPECT_EQ(visit(failed_), Verdict::kPassing);
    EXPECT_TRUE(queue().empty());
    EXPECT_EQ(in_later(), 1U);
    EXPECT_EQ(row("/1").failures, failures);
    EXPECT_EQ(row("/1").state, UrlState::kWaiting);
    EXPECT_GT(row("/1").due_ms, now_.steady_ms);
    expect_due_again(kMaxRetryDelayMs);
    EXPECT_EQ(queue(), Paths{"/1"});
  }
  EXPECT_EQ(visit(failed_), Verdict::kFinal);
  EXPECT_EQ(row("/1").state, UrlState::kError);
  EXPECT_EQ(row("/1").error, "busy");
  EXPECT_EQ(row("/1").visits, 3U);
  EXPECT_EQ(statistics_.retries, 2U);
  EXPECT_EQ(statistics_.recrawled, 0U);
}

TEST_F(VisitsTest, AnAnswerForgivesTheTriesBeforeIt) {
  admit("/1", {});
  EXPECT_EQ(visit(failed_), Verdict::kPassing);
  expect_due_again(kMaxRetryDelayMs);
  EXPECT_EQ(visit(ok_), Verdict::kFinal);
  EXPECT_EQ(row("/1").failures, 0U);
  EXPECT_EQ(row("/1").error, "");
}

TEST_F(VisitsTest, SilencesOfAnEarlierRunAreNoTriesOfThisOne) {
  admit("/1", {});
  EXPECT_EQ(visit(silent_), Verdict::kPassing);
  expect_due_again(kMaxRetryDelayMs);
  visits_.begin_run(kRun + 1);
  EXPECT_EQ(visit(silent_), Verdict::kPassing);
  EXPECT_EQ(row("/1").failures, 1U);
  EXPECT_EQ(row("/1").run, kRun + 1);
}

TEST_F(VisitsTest, APageOfAHostThatIsGivenUpStaysWhereItStoodWithAllTries) {
  admit("/1", {});
  EXPECT_EQ(visit(silent_), Verdict::kPassing);
  expect_due_again(kMaxRetryDelayMs);
  const auto stood = store_.rows(Table::kQueue);
  send();
  EXPECT_FALSE(in_window());
  patience_.finish(slot_, Finish::kPatience, now_);
  EXPECT_EQ(land(silent_), Verdict::kPutOff);
  EXPECT_TRUE(store_.rows(Table::kQueue) == stood);
  EXPECT_TRUE(in_window());
  EXPECT_EQ(row("/1").failures, 0U);
  EXPECT_EQ(row("/1").visits, 1U);
  EXPECT_EQ(statistics_.pages, 0U);
}

TEST_F(VisitsTest, InAPauseSilenceIsNoTry) {
  admit("/1", {});
  send();
  for (const char* const other : {"http://x.test", "http://y.test", "http://z.test"}) {
    const HostSlot slot = hosts_.find(other);
    hosts_.host(slot).heard = true;
    patience_.take_sign(slot, Sign::kSilence, Outcome::kTimeout, now_.mono_ms, now_);
  }
  patience_.weigh(/*others=*/0, now_);
  ASSERT_TRUE(patience_.paused());
  EXPECT_EQ(land(silent_), Verdict::kPassing);
  EXPECT_EQ(queue(), Paths{"/1"});
  EXPECT_TRUE(in_window());
  EXPECT_TRUE(row("/1").is_stub);
  EXPECT_EQ(visit(ok_), Verdict::kFinal);  // an answer counts, in a pause or not
}

TEST_F(VisitsTest, APriorityThatWasSaidMeanwhileIsItsOwn) {
  admit("/1", {.priority = 5});
  send().raised = 2;
  EXPECT_EQ(land(ok_), Verdict::kFinal);
  EXPECT_EQ(row("/1").priority, 2);
}

TEST_F(VisitsTest, WhatWasOnlyAskedForAndIsWantedByNowWaitsAsIfNotVisited) {
  admit("/1", {.depth = kCheckDepth});
  admit("/2", {});
  const Flight& flight = send();
  UrlRow wanted = row("/1");
  ASSERT_TRUE(backlog_.fill_stub(slot_, "/1", wanted));
  wanted.depth = 3;
  backlog_.put(slot_, "/1", wanted);
  commit();
  ASSERT_EQ(flight.place, Place::of(wanted.priority, wanted.arrival));
  EXPECT_EQ(land(ok_), Verdict::kPassing);
  EXPECT_EQ(queue(), (Paths{"/2", "/1"}));
  EXPECT_EQ(row("/1").depth, 3U);
  EXPECT_EQ(row("/1").visits, 0U);
  EXPECT_EQ(statistics_.pages, 0U);
}

TEST_F(VisitsTest, WhatIsOnlyAskedForStaysOpenInItsBatch) {
  admit("/1", {.depth = kCheckDepth});
  send();
  const std::optional<Flight> flight = flights_.land(url_);
  Settled result = ok_;
  result.url = url_;
  EXPECT_EQ(visits_.settle(flight.value(), result, now_, row_), Verdict::kFinal);
  UrlRow open;
  ASSERT_TRUE(backlog_.get_open(slot_, "/1", open));
  EXPECT_EQ(open.state, UrlState::kDone);
}

TEST_F(VisitsTest, ARevisitWaitsForTheNextRunUnlessThisOneGoesOnForEver) {
  admit("/1", {});
  EXPECT_EQ(visit(ok_), Verdict::kFinal);
  EXPECT_EQ(fall_due(visits_, kDay), std::vector{Taken::kLeft});
  EXPECT_TRUE(queue().empty());
  Visits for_ever(hosts_, backlog_, later_, patience_, admission_, random_, statistics_,
                  {.goes_on = true});
  for_ever.begin_run(kRun);
  const LaterKey due{LaterKind::kRecrawl, row("/1").due_ms, hosts_.host(slot_).id, "/1"};
  EXPECT_EQ(for_ever.fall_due(due), Taken::kSent);
  commit();
  EXPECT_EQ(queue(), Paths{"/1"});
  EXPECT_EQ(row("/1").state, UrlState::kWaiting);
  EXPECT_EQ(statistics_.recrawled, 1U);
  EXPECT_EQ(statistics_.all.waiting, 1U);
  EXPECT_EQ(statistics_.all.done, 0U);
  EXPECT_EQ(for_ever.fall_due(due), Taken::kStale);  // it waits already
}

TEST_F(VisitsTest, ANotModifiedPageKeepsWhatItHad) {
  admit("/1", {});
  EXPECT_EQ(visit(ok_), Verdict::kFinal);
  visits_.begin_run(kRun + 1);
  expect_due_again(kDay);
  EXPECT_EQ(visit({.url = {}, .outcome = Outcome::kNotModified, .status = 304}), Verdict::kFinal);
  EXPECT_EQ(row("/1").visits, 2U);
  EXPECT_EQ(row("/1").etag, "e");
  EXPECT_EQ(row("/1").digest, "d");
  EXPECT_EQ(row("/1").due_ms, now_.wall_ms + kDay);
}

TEST_F(VisitsTest, APlaceThatItsRowDoesNotNameIsStale) {
  admit("/1", {});
  EXPECT_EQ(visit(ok_), Verdict::kFinal);
  visits_.begin_run(kRun + 1);
  const HostId host = hosts_.host(slot_).id;
  const std::int64_t due = row("/1").due_ms;
  EXPECT_EQ(visits_.fall_due({LaterKind::kRecrawl, due + 1, host, "/1"}), Taken::kStale);
  EXPECT_EQ(visits_.fall_due({LaterKind::kRetry, due, host, "/1"}), Taken::kStale);
  EXPECT_EQ(visits_.fall_due({LaterKind::kRecrawl, due, host, "/none"}), Taken::kStale);
  EXPECT_EQ(visits_.fall_due({LaterKind::kRecrawl, due, host + 99, "/1"}), Taken::kStale);
  EXPECT_TRUE(queue().empty());
}

TEST_F(VisitsTest, APageGoneThreeTimesIsForgotten) {
  admit("/1", {});
  for (std::uint32_t run = kRun; run < kRun + 3; ++run) {
    visits_.begin_run(run);
    if (run != kRun) expect_due_again(kDay);
    EXPECT_EQ(visit({.url = {}, .outcome = Outcome::kGone, .status = 410}), Verdict::kFinal);
  }
  EXPECT_EQ(statistics_.forgotten, 1U);
  EXPECT_EQ(in_later(), 0U);
}

TEST_F(VisitsTest, TheFirstVisitThatBringsLinksIsThePagesWord) {
  ASSERT_TRUE(backlog_.load(1, Order::kInlinks, Order::kInlinks).ok());
  admit("/1", {});
  EXPECT_EQ(visit(ok_), Verdict::kFinal);
  EXPECT_FALSE(row("/1").votes.spent);
  visits_.begin_run(kRun + 1);
  expect_due_again(kDay);
  admission_.stage({.url = "http://a.test/2", .via = url_}, {kOrigin, "/2"});
  admission_.seal();
  EXPECT_EQ(visit(ok_), Verdict::kFinal);
  EXPECT_TRUE(row("/1").votes.spent);
}

}  // namespace
}  // namespace spinneret::frontier
