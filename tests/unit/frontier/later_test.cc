// SPDX-License-Identifier: Apache-2.0
// What falls due and when, tested with a store and moments alone.
#include "frontier/later.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontier/memory_store.h"
#include "frontier/meta.h"

namespace spinneret::frontier {
namespace {

using Taken = Later::Taken;

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kStart = 1000 * kDay;  // by the wall clock
constexpr HostId kHost = 7;
constexpr std::string_view kOrigin = "http://a.test";

class LaterTest : public testing::Test {
 protected:
  // Begins a run, with what is durable.
  void open() {
    later_ = std::make_unique<Later>(store_, rules_);
    least_steady_ms_ = later_->load_retries();
    std::string order;
    store_.get(Table::kMeta, kRecrawlKey, order);
    const Status loaded = later_->load_revisits(
        now_.wall_ms, /*is_new=*/false, order,
        [](HostId id) { return id == kHost ? std::optional(kOrigin) : std::nullopt; });
    ASSERT_TRUE(loaded.ok());
    take();
  }
  void advance(std::int64_t ms) {
    now_.steady_ms += ms;
    now_.wall_ms += ms;
  }
  // Returns what is handed out, in its order; each is answered by `answer`.
  std::vector<std::string> take(Taken answer = Taken::kSent) {
    EXPECT_TRUE(store_.commit().ok());
    std::vector<std::string> out;
    later_->take_due(now_, [&](const LaterKey& key) {
      out.emplace_back(key.rest);
      return answer;
    });
    EXPECT_TRUE(store_.commit().ok());
    return out;
  }
  UrlRow failed(const std::string& rest, std::uint32_t failures) {
    UrlRow row;
    row.failures = failures;
    later_->put_retry(row, kHost, rest, now_.steady_ms, /*random=*/0);
    return row;
  }
  // Notes a visit of now, and writes its row as the caller would.
  UrlRow visited(const std::string& rest, Outcome outcome = Outcome::kOk) {
    UrlRow row;
    row.rest = rest;
    row.state = UrlState::kDone;
    row.visits = 1;
    row.last_ms = now_.wall_ms;
    later_->put_visited(row, kHost, rest, {outcome, true, false, 0, now_.wall_ms});
    write(row);
    return row;
  }
  void write(const UrlRow& row) {
    std::string key, bytes;
    make_url_key(key, kHost, row.rest);
    encode_url_row(bytes, row, kOrigin);
    store_.put(Table::kUrls, key, bytes);
  }

  MemoryStore store_;
  LaterRules rules_;
  Moment now_{.wall_ms = kStart, .steady_ms = 5'000'000};
  std::unique_ptr<Later> later_;
  std::int64_t least_steady_ms_ = 0;
};

using Rests = std::vector<std::string>;

TEST_F(LaterTest, NothingWaitsInANewState) {
  open();
  EXPECT_EQ(least_steady_ms_, INT64_MIN);
  EXPECT_FALSE(later_->is_due(now_));
  EXPECT_EQ(later_->wait_ms(now_), INT64_MAX);
  EXPECT_FALSE(later_->has_retries());
  EXPECT_FALSE(later_->has_revisits(now_.wall_ms));
}

TEST_F(LaterTest, RetriesComeInTheOrderOfTheirTimesAndOnce) {
  rules_.retry_delay_ms = 1000;
  open();
  EXPECT_EQ(failed("/late", 2).due_ms, now_.steady_ms + 2000);
  EXPECT_EQ(failed("/soon", 1).due_ms, now_.steady_ms + 1000);
  EXPECT_EQ(later_->wait_ms(now_), 1000);
  EXPECT_EQ(take(), Rests{});
  advance(1000);
  EXPECT_TRUE(later_->is_due(now_));
  EXPECT_EQ(take(), Rests{"/soon"});
  EXPECT_EQ(later_->wait_ms(now_), 1000);
  advance(5000);
  EXPECT_EQ(take(Taken::kLeft), Rests{"/late"});
  EXPECT_FALSE(later_->has_retries());
  EXPECT_TRUE(store_.rows(Table::kLater).empty());
}

TEST_F(LaterTest, ADelayDoublesUpToAnHourAndItsJitterIsAQuarter) {
  open();
  UrlRow row;
  row.failures = 40;
  later_->put_retry(row, kHost, "/", now_.steady_ms, /*random=*/25);
  EXPECT_EQ(row.due_ms - now_.steady_ms, kMaxRetryDelayMs * 5 / 4);
  EXPECT_EQ(row.state, UrlState::kWaiting);
}

TEST_F(LaterTest, AtMostAThousandAreTakenAtOnce) {
  open();
  for (int i = 0; i < 1500; ++i) failed("/" + std::to_string(i), 1);
  advance(kDay);
  EXPECT_EQ(take().size(), 1000U);
  EXPECT_TRUE(later_->is_due(now_));
  EXPECT_EQ(take().size(), 500U);
  EXPECT_FALSE(later_->is_due(now_));
}

TEST_F(LaterTest, TheFirstRetryTellsWhatTheSteadyClockShowedAtLeast) {
  open();
  failed("/", 1);
  ASSERT_TRUE(store_.commit().ok());
  open();
  EXPECT_EQ(least_steady_ms_, now_.steady_ms + 30'000 - kMaxRetryDelayMs * 5 / 4);
  EXPECT_TRUE(later_->has_retries());
}

TEST_F(LaterTest, RetriesOfHostsThatDoNotCountAreNoReasonToGoOn) {
  open();
  failed("/", 1);
  ASSERT_TRUE(store_.commit().ok());
  bool counts = false;
  const auto counted = [&](HostId id) { return counts && id == kHost; };
  EXPECT_FALSE(later_->has_retries(1, counted));
  counts = true;
  // The answer is known for this moment.
  EXPECT_FALSE(later_->has_retries(1, counted));
  EXPECT_TRUE(later_->has_retries(2, counted));
}

TEST_F(LaterTest, WithoutRecrawlingTheStateNotesThatPagesHaveNoPlace) {
  store_.put(Table::kMeta, kRecrawlKey, "1d");
  ASSERT_TRUE(store_.commit().ok());
  open();
  EXPECT_EQ(visited("/").due_ms, 0);
  ASSERT_TRUE(store_.commit().ok());
  std::string order = "some";
  EXPECT_TRUE(store_.get(Table::kMeta, kRecrawlKey, order));
  EXPECT_EQ(order, "");
}

TEST_F(LaterTest, OtherRulesPutEachPageAnewByItsLastVisit) {
  open();
  visited("/a");
  visited("/waiting");
  UrlRow waiting;
  waiting.rest = "/waiting";
  write(waiting);
  ASSERT_TRUE(store_.commit().ok());
  rules_.recrawl = *parse_recrawl("1d");
  open();
  EXPECT_EQ(later_->wait_ms(now_), kDay);
  EXPECT_FALSE(later_->has_revisits(now_.wall_ms));
  rules_.recrawl = *parse_recrawl("2d");
  open();
  advance(kDay);
  EXPECT_EQ(take(), Rests{});
  advance(kDay);
  EXPECT_TRUE(later_->has_revisits(now_.wall_ms));
  EXPECT_EQ(take(), Rests{"/a"});
}

TEST_F(LaterTest, WhatIsLeftStaysForTheNextRunAndIsNotLookedAtAgain) {
  rules_.recrawl = *parse_recrawl("1d");
  open();
  visited("/a");
  advance(kDay);
  EXPECT_EQ(take(Taken::kLeft), Rests{"/a"});
  EXPECT_FALSE(later_->has_revisits(now_.wall_ms));
  EXPECT_EQ(take(), Rests{});
  EXPECT_EQ(store_.rows(Table::kLater).size(), 1U);
}

TEST_F(LaterTest, WhatIsNoPlaceAnyMoreIsStaleAndGoes) {
  rules_.recrawl = *parse_recrawl("1d");
  open();
  UrlRow row = visited("/a");
  const LaterKey key{LaterKind::kRecrawl, row.due_ms, kHost, "/a"};
  EXPECT_TRUE(Later::stands(key, row));
  ++row.due_ms;
  EXPECT_FALSE(Later::stands(key, row));
  row.due_ms = key.due_ms;
  row.visit_class = 1;
  EXPECT_FALSE(Later::stands(key, row));
  EXPECT_TRUE(Later::stands({LaterKind::kWorth, row.due_ms, kHost, "/a", 0}, row));
  advance(kDay);
  EXPECT_EQ(take(Taken::kStale), Rests{"/a"});
  EXPECT_TRUE(store_.rows(Table::kLater).empty());
}

TEST_F(LaterTest, APageThatIsNeverThereIsGoneAfterSoManyVisits) {
  rules_.recrawl = *parse_recrawl("1d");
  rules_.gone_tries = 2;
  open();
  UrlRow row = visited("/a", Outcome::kNotFound);
  EXPECT_NE(row.due_ms, 0);
  later_->drop(row, kHost, "/a");
  row.due_ms = 0;
  EXPECT_FALSE(later_->put_visited(row, kHost, "/a", {.outcome = Outcome::kGone}));
  EXPECT_EQ(row.due_ms, 0);
  ASSERT_TRUE(store_.commit().ok());
  EXPECT_TRUE(store_.rows(Table::kLater).empty());
}

TEST_F(LaterTest, AHintBringsAVisitForwardAndNeverPutsItOff) {
  rules_.recrawl = *parse_recrawl("adaptive:1d..90d");
  open();
  UrlRow row = visited("/a");
  const std::int64_t due = row.due_ms;
  later_->hint(row, kHost, "/a", /*modified_ms=*/0, /*interval_ms=*/200 * kDay, now_.wall_ms);
  later_->hint(row, kHost, "/a", row.last_ms, 0, now_.wall_ms);  // no news
  later_->hint(row, kHost, "/a", now_.wall_ms + 1, 0, now_.wall_ms);
  EXPECT_EQ(row.due_ms, due);
  advance(3000);
  later_->hint(row, kHost, "/a", row.last_ms + 1, 0, now_.wall_ms);
  EXPECT_EQ(row.due_ms, now_.wall_ms);
  EXPECT_EQ(take(), Rests{"/a"});
  EXPECT_TRUE(store_.rows(Table::kLater).empty());
}

TEST_F(LaterTest, WhatIsDroppedDoesNotComeBack) {
  open();
  const UrlRow row = failed("/", 1);
  later_->drop(row, kHost, "/");
  advance(kDay);
  EXPECT_EQ(take(), Rests{});
}

TEST_F(LaterTest, ABudgetHandsOutSoManyAndIsDurable) {
  rules_.recrawl = *parse_recrawl("best:2/d,least=1h,most=90d");
  rules_.continuous = true;
  open();
  for (const char* const rest : {"/a", "/b", "/c"}) visited(rest);
  advance(2 * kDay);
  EXPECT_EQ(take().size(), 2U);
  EXPECT_GT(later_->wait_ms(now_), 0);
  later_->stage();
  ASSERT_TRUE(store_.commit().ok());
  open();
  EXPECT_FALSE(later_->is_due(now_));
}

}  // namespace
}  // namespace spinneret::frontier
