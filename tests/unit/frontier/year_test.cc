// SPDX-License-Identifier: Apache-2.0
// A year of a crawl in virtual time: hosts with Crawl-delays, failures, 429s with and without
// Retry-After, months without an answer, pages that move and change, visited again by a budget, and
// a scheduler that is killed between any two batches. A judge watches what goes out and comes in.
// It knows the rules of the manual, and nothing of the frontier's code.
//
//   YEAR_HOSTS=1000 YEAR_PAGES=40000 unit-frontier --gtest_filter='Seeds/YearTest.*'
//                                             another size
//   YEAR_SEED=4, YEAR_TURNS_A_KILL=1000       other years, fewer kills
//   YEAR_DAYS_A_VISIT=250                     days of the budget to visit all pages once again,
//                                             rather than 50
//
// 10^6 pages on 10,000 hosts, seed 3, YEAR_DAYS_A_VISIT=250, 2,500 turns a kill: 2.63 M sent, 1,499
// kills, 0 rules broken. Baseline and new at once, at a load of 12: 94.2 and 81.3 s of CPU, because
// the rows of the store in memory are in leaves now, not in a tree. (At a load of 3 the baseline
// took 65.) Each further visit costs as much again. With nothing else to do: 73.6 s, and with 3,800
// turns a kill 65 (four runs: 64.8 to 68.6), 2.59 M sent, 982 kills, 0 broken; seed 4: 89.0 s,
// 1,505 kills, 0 broken.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "frontier/frontier.h"
#include "frontier/inspect.h"
#include "frontier/memory_store.h"

namespace spinneret::frontier {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kHour = 3600 * kSecond;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kYear = 365 * kDay;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9E3779B97F4A7C15U + b;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27) * 0x94D049BB133111EBU;
  return z ^ z >> 31;
}
// Returns a fixed random number below `of`, for aspect `what` of a thing.
std::uint64_t draw(std::uint64_t thing, std::uint64_t what, std::uint64_t of) {
  return mix(mix(thing, what), what) % of;
}

std::uint64_t size_from(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The web to crawl. Page p is on host p % hosts; everything about it follows from its number and
// the time.
struct World {
  std::uint64_t hosts;
  std::uint64_t pages;

  std::uint64_t host_of(std::uint64_t page) const { return page % hosts; }
  std::string url(std::uint64_t page) const {
    return "http://h" + std::to_string(host_of(page)) + ".test/" + std::to_string(page);
  }
  static std::uint64_t page_of(const std::string& url) {
    return std::stoull(url.substr(url.rfind('/') + 1));
  }
  // 0: the host asks for no delay.
  std::int64_t crawl_delay(std::uint64_t host) const {
    return draw(host, 1, 20) == 0 ? static_cast<std::int64_t>(2 + draw(host, 2, 300)) * kSecond : 0;
  }
  // A host in ten does not answer for a while, from an hour to a month.
  bool is_down(std::uint64_t host, std::int64_t now) const {
    if (draw(host, 3, 10) != 0) return false;
    const auto from = static_cast<std::int64_t>(draw(host, 4, 200 * kDay));
    const auto length = kHour << draw(host, 5, 10);
    return now >= from && now < from + length;
  }
  int priority(std::uint64_t page) const { return static_cast<int>(draw(page, 6, 10)); }
  // Links make a tree, so that everything is found, and a few go across.
  std::vector<std::uint64_t> links(std::uint64_t page) const {
    std::vector<std::uint64_t> out;
    for (std::uint64_t child = page * 4 + 1; child <= page * 4 + 4; ++child) {
      if (child < pages) out.push_back(child);
    }
    for (std::uint64_t i = 0; i < 3; ++i) out.push_back(draw(page, 10 + i, pages));
    return out;
  }
};

// Answers on their way, sorted by when they come.
struct Flying {
  std::int64_t back_ms;
  std::uint64_t number;
  Dispatch page;
  Outcome outcome;
  std::int64_t time_ms;
  std::int64_t retry_after_ms;
  bool operator>(const Flying& other) const {
    return back_ms != other.back_ms ? back_ms > other.back_ms : number > other.number;
  }
};

// Knows the rules, and counts where they are broken.
class Judge {
 public:
  Judge(const World& world, const Options& options)
      : world_(world), options_(options), hosts_(world.hosts), pages_(world.pages) {}

  struct Counts {
    std::uint64_t sent = 0, first = 0, again = 0, retries = 0, kills = 0, taken = 0;
    std::uint64_t early = 0, crowded = 0, told_to_wait = 0, disorder = 0, over_cap = 0, unasked = 0,
                  too_many_tries = 0;
    std::uint64_t over_budget = 0, not_taken = 0, lost = 0;
    std::uint64_t broken() const {
      return early + crowded + told_to_wait + disorder + over_cap + unasked + too_many_tries +
             over_budget + not_taken + lost;
    }
  };

  // Notes a link that was offered: the frontier owes its visit once the batch is committed.
  void offered(std::uint64_t page) { staged_links_.push_back(page); }
  void sent(std::uint64_t page, std::int64_t now) {
    ++counts.sent;
    Page& it = pages_[page];
    Host& host = hosts_[world_.host_of(page)];
    if (host.flying != 0) ++counts.crowded;
    if (now < host.not_before) ++counts.early;
    if (now < host.told_until) ++counts.told_to_wait;
    if (!it.admitted) ++counts.unasked;
    if (it.flying) ++counts.crowded;
    // No page of a better priority may wait there that has not been sent yet.
    if (host.fresh[static_cast<std::size_t>(world_.priority(page))].contains(page) ||
        it.tries != 0 || it.visited) {
      for (int better = 9; better > world_.priority(page); --better)
        counts.disorder += host.fresh[static_cast<std::size_t>(better)].empty() ? 0 : 1;
    }
    if (now < it.not_before) ++counts.early;
    if (!it.begun)
      ++(it.visited ? counts.again : counts.first);
    else
      ++counts.retries;
    if (counts.again > counts.taken) ++counts.not_taken;
    it.begun = true;
    it.flying = true;
    ++host.flying;
    leave(host, page);
  }
  void came_back(const Flying& answer, std::int64_t now) {
    const std::uint64_t page = World::page_of(answer.page.url);
    Page& it = pages_[page];
    Host& host = hosts_[world_.host_of(page)];
    it.flying = false;
    --host.flying;
    const std::int64_t floor = std::max(
        options_.politeness.delay_ms,
        std::min(world_.crawl_delay(world_.host_of(page)), options_.politeness.crawl_delay_cap_ms));
    host.not_before = now + floor;
    if (answer.retry_after_ms != 0)
      host.told_until = std::max(host.told_until, now + answer.retry_after_ms);
    staged_answers_.push_back({page, answer.outcome, now, host.told_until});
  }
  void committed() {
    for (const std::uint64_t page : std::exchange(staged_links_, {})) {
      Page& it = pages_[page];
      if (it.admitted) continue;
      it.admitted = true;
      ++admitted;
      hosts_[world_.host_of(page)].fresh[static_cast<std::size_t>(world_.priority(page))].insert(
          page);
    }
    for (const Answer& answer : std::exchange(staged_answers_, {})) {
      Page& it = pages_[answer.page];
      Host& host = hosts_[world_.host_of(answer.page)];
      host.told_durably = std::max(host.told_durably, answer.told_until);
      host.heard = true;
      const OutcomeClass what = class_of(answer.outcome);
      if (what == OutcomeClass::kDone) {
        ++host.pages;
        it.finish();
        if (options_.max_host_pages != 0 && host.pages > options_.max_host_pages) ++counts.over_cap;
      } else if (what == OutcomeClass::kRetry) {
        ++it.tries;
        if (it.tries > options_.tries) ++counts.too_many_tries;
        it.not_before = answer.now + options_.retry_delay_ms;
        if (it.tries == options_.tries) it.finish();
      } else {
        it.silent = true;
      }
    }
  }
  // Notes that so many pages were taken in to be visited again.
  void took(std::uint64_t pages, std::int64_t now) {
    counts.taken += pages;
    for (; pages != 0; --pages) spend(now);
  }
  // Restores what was in flight or not yet committed.
  void killed(const std::vector<std::uint64_t>& in_flight, std::int64_t now) {
    ++counts.kills;
    staged_links_.clear();
    // The content of an answer that was lost with the process does not count: its page goes out
    // again. The same holds for the Crawl-delay if that was the host's first answer.
    for (const Answer& answer : std::exchange(staged_answers_, {})) {
      Host& host = hosts_[world_.host_of(answer.page)];
      host.told_until = host.told_durably;
      if (!host.heard) host.not_before = now + options_.politeness.delay_ms;
    }
    for (const std::uint64_t page : in_flight) {
      Page& it = pages_[page];
      Host& host = hosts_[world_.host_of(page)];
      it.flying = false;
      --host.flying;
      // A page in flight counts as visited when the state is opened again.
      host.not_before = std::max(host.not_before, now + options_.politeness.delay_ms);
    }
  }
  // Called at the end: every admitted page must have been visited, unless its host was silent for
  // too long.
  void count_lost() {
    for (std::uint64_t page = 0; page < pages_.size(); ++page) {
      const Page& it = pages_[page];
      if (it.admitted && !it.visited && !it.flying && !it.silent) ++counts.lost;
    }
  }

  Counts counts;
  std::uint64_t admitted = 0;

 private:
  struct Page {
    std::int64_t not_before = 0;
    std::uint32_t tries = 0;
    bool admitted = false, visited = false, flying = false, silent = false;
    // The page has gone out, and is not done with.
    bool begun = false;
    void finish() {
      visited = true;
      begun = false;
      tries = 0;
      not_before = 0;
    }
  };
  struct Host {
    std::int64_t not_before = INT64_MIN, told_until = INT64_MIN, told_durably = INT64_MIN;
    int flying = 0;
    bool heard = false;  // an answer of the host is durable
    std::uint64_t pages = 0;
    // Pages that were admitted and never sent, by priority.
    std::array<std::unordered_set<std::uint64_t>, 10> fresh;
  };
  struct Answer {
    std::uint64_t page;
    Outcome outcome;
    std::int64_t now, told_until;
  };
  void leave(Host& host, std::uint64_t page) {
    host.fresh[static_cast<std::size_t>(world_.priority(page))].erase(page);
  }
  // Spends from a bucket that holds one day's visits: each page that is taken in to be visited
  // again costs one.
  void spend(std::int64_t now) {
    const auto most = static_cast<double>(options_.recrawl.visits);
    bucket_ = std::min(most, bucket_ + static_cast<double>(now - bucket_ms_) * most /
                                           static_cast<double>(options_.recrawl.span_ms));
    bucket_ms_ = now;
    bucket_ -= 1;
    if (bucket_ < -1) ++counts.over_budget;
  }

  const World& world_;
  const Options& options_;
  std::vector<Host> hosts_;
  std::vector<Page> pages_;
  std::vector<std::uint64_t> staged_links_;
  std::vector<Answer> staged_answers_;
  double bucket_ = 0;
  std::int64_t bucket_ms_ = 0;
};

class Year {
 public:
  Year(const World& world, std::uint64_t seed)
      : world_(world), random_(seed), judge_(world, options_) {
    options_.in_flight = 256;
    options_.politeness.delay_ms = kSecond;
    options_.politeness.factor_percent = 0;
    options_.tries = 3;
    options_.max_host_pages = world.pages / world.hosts * 5;
    // All hosts are in play, as by default; or, in every other year, so few that most are brought
    // in for each page.
    if (seed % 2 == 0) options_.hosts_in_play = static_cast<std::size_t>(world.hosts / 4);
    options_.continuous = true;
    options_.recrawl = *parse_recrawl("best:" + std::to_string(visits_a_day(world)) + "/d");
    options_.seed = seed;
    options_.order = static_cast<Order>(seed % std::size(kOrders));
    begun_ = clock_.unix_ms();
  }

  void run() {
    open();
    offer(0, 0, {});
    frontier_->seal();
    commit();
    while (now() < kYear && !testing::Test::HasFailure()) turn();
    for (const Flying& left : drain()) judge_.came_back(left, now());
    judge_.count_lost();
  }
  const Judge& judge() const { return judge_; }
  MemoryStore& store() { return store_; }

 private:
  std::int64_t now() const { return clock_.unix_ms() - begun_; }
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  void open() {
    frontier_.reset();
    Result<std::unique_ptr<Frontier>> opened = Frontier::open(store_, clock_, options_);
    ASSERT_TRUE(opened.ok()) << opened.message();
    frontier_ = opened.take();
    frontier_->assume_rules();
    taken_ = 0;
    count_taken();
  }
  void commit() {
    const Status done = frontier_->commit();
    ASSERT_TRUE(done.ok()) << done.message();
    judge_.committed();
    settled_ = false;
    count_taken();
  }
  void count_taken() {
    judge_.took(frontier_->statistics().recrawled - taken_, now());
    taken_ = frontier_->statistics().recrawled;
  }
  void offer(std::uint64_t page, std::uint32_t depth, const std::string& via) {
    const std::string url = world_.url(page);
    ASSERT_EQ(frontier_->offer({.url = url,
                                .depth = depth,
                                .priority = static_cast<std::uint8_t>(9 - world_.priority(page)),
                                .via = via}),
              Frontier::Offer::kStaged);
    judge_.offered(page);
  }

  void turn() {
    if (!settled_) send_all();
    if (--until_kill_ == 0) return kill();
    const std::int64_t wait = frontier_->wait_ms();
    const std::int64_t answer = flying_.empty() ? INT64_MAX : flying_.top().back_ms - now();
    const std::int64_t step = std::min({wait, answer, kHour});
    clock_.advance_ms(std::max<std::int64_t>(step, flying_.empty() || step == wait ? 1 : 0));
    while (!flying_.empty() && flying_.top().back_ms <= now()) settle();
    if (now() - leases_ms_ > kHour) frontier_->expire_leases(), leases_ms_ = now();
    if (pick(4) != 0) commit();  // several turns may be one batch
    if (pick(4) == 0) commit();
  }

  // Must follow a commit: the marks of sent URLs are a batch of their own, and must not take half
  // of another with them.
  void send_all() {
    Dispatch page;
    while (frontier_->next(page)) {
      judge_.sent(World::page_of(page.url), now());
      send(page);
    }
    ASSERT_TRUE(frontier_->commit_flights().ok());
  }

  void send(const Dispatch& page) {
    const std::uint64_t number = World::page_of(page.url);
    const std::uint64_t host = world_.host_of(number);
    Flying out{0, ++flights_, page, Outcome::kOk, static_cast<std::int64_t>(20 + pick(800)), 0};
    if (world_.is_down(host, now())) {
      out.outcome = Outcome::kConnectFailed;
      out.time_ms = 10 * kSecond;
    } else if (pick(200) == 0) {
      out.outcome = Outcome::kRateLimited;
      if (pick(2) == 0) out.retry_after_ms = static_cast<std::int64_t>(1 + pick(7200)) * kSecond;
    } else if (pick(100) == 0) {
      out.outcome = Outcome::kServerError;
    } else if (draw(number, 7, 30) == 0) {
      out.outcome = Outcome::kMoved;
    }
    out.back_ms = now() + out.time_ms;
    flying_.push(out);
  }

  void settle() {
    const Flying answer = flying_.top();
    flying_.pop();
    const std::uint64_t number = World::page_of(answer.page.url);
    const OutcomeClass what = class_of(answer.outcome);
    if (answer.outcome == Outcome::kOk) {
      for (const std::uint64_t link : world_.links(number))
        offer(link, answer.page.depth + 1, answer.page.url);
    } else if (answer.outcome == Outcome::kMoved) {
      offer((number + 1) % world_.pages, answer.page.depth + 1, answer.page.url);
      for (const std::uint64_t link : world_.links(number))
        offer(link, answer.page.depth + 1, answer.page.url);
    }
    const auto period = kDay << draw(number, 8, 9);
    const std::string digest = std::to_string(now() / period);
    Settled result{
        .url = answer.page.url,
        .outcome = answer.outcome,
        .status = static_cast<std::uint16_t>(what == OutcomeClass::kPersistent ? 0 : 200),
        .time_ms = answer.time_ms,
        .size = 1000};
    if (what == OutcomeClass::kDone) result.digest = digest;
    result.has_rules = true;
    const std::int64_t delay = world_.crawl_delay(world_.host_of(number));
    if (delay != 0) result.crawl_delay_ms = delay;
    if (answer.retry_after_ms != 0) result.retry_after_ms = answer.retry_after_ms;
    judge_.came_back(answer, now());
    EXPECT_NE(frontier_->settle(result).verdict, Verdict::kStranger);
    settled_ = true;
  }

  std::vector<Flying> drain() {
    std::vector<Flying> out;
    for (; !flying_.empty(); flying_.pop()) out.push_back(flying_.top());
    return out;
  }

  // Kills the scheduler between any two batches; what is in flight is lost with the pipeline. Now
  // and then the machine reboots, too.
  void kill() {
    until_kill_ = 1 + pick(2 * kTurnsAKill);
    std::vector<std::uint64_t> in_flight;
    for (const Flying& each : drain()) in_flight.push_back(World::page_of(each.page.url));
    judge_.killed(in_flight, now());
    store_.drop_staged();
    settled_ = false;
    clock_.advance_ms(static_cast<std::int64_t>(pick(60'000)));
    if (pick(8) == 0) clock_.reboot("boot " + std::to_string(flights_));
    open();
  }

  static std::uint64_t visits_a_day(const World& world) {
    return world.pages / size_from("YEAR_DAYS_A_VISIT", 50);
  }

  World world_;
  MemoryStore store_;
  FakeClock clock_;
  std::int64_t begun_ = 0;
  Options options_;
  std::mt19937_64 random_;
  std::unique_ptr<Frontier> frontier_;
  std::priority_queue<Flying, std::vector<Flying>, std::greater<>> flying_;
  const std::uint64_t kTurnsAKill = size_from("YEAR_TURNS_A_KILL", 100);
  std::uint64_t flights_ = 0, until_kill_ = kTurnsAKill, taken_ = 0;
  std::int64_t leases_ms_ = 0;
  bool settled_ = false;  // since the last commit
  Judge judge_;
};

class YearTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(YearTest, BreaksNoRuleOfItsManual) {
  const World world{size_from("YEAR_HOSTS", 100), size_from("YEAR_PAGES", 4000)};
  Year year(world, size_from("YEAR_SEED", 0) + GetParam());
  year.run();
  const Judge::Counts& seen = year.judge().counts;
  std::printf(
      "%llu hosts, %llu of %llu pages admitted; %llu sent: %llu first, %llu retries, %llu again; "
      "%llu kills\n",
      static_cast<unsigned long long>(world.hosts),
      static_cast<unsigned long long>(year.judge().admitted),
      static_cast<unsigned long long>(world.pages), static_cast<unsigned long long>(seen.sent),
      static_cast<unsigned long long>(seen.first), static_cast<unsigned long long>(seen.retries),
      static_cast<unsigned long long>(seen.again), static_cast<unsigned long long>(seen.kills));
  EXPECT_EQ(seen.early, 0U);
  EXPECT_EQ(seen.told_to_wait, 0U);
  EXPECT_EQ(seen.crowded, 0U);
  EXPECT_EQ(seen.disorder, 0U);
  EXPECT_EQ(seen.over_cap, 0U);
  EXPECT_EQ(seen.unasked, 0U);
  EXPECT_EQ(seen.too_many_tries, 0U);
  EXPECT_EQ(seen.over_budget, 0U);
  EXPECT_EQ(seen.not_taken, 0U);
  EXPECT_EQ(seen.lost, 0U);
  EXPECT_GT(seen.first, world.pages / 2);
  EXPECT_GT(seen.again, world.pages);
  EXPECT_GT(seen.kills, 100U);
  const Result<std::uint64_t> checked =
      verify(year.store(), [](const std::string& problem) { ADD_FAILURE() << problem; });
  EXPECT_TRUE(checked.ok());
}

// Each year has an order of its own.
INSTANTIATE_TEST_SUITE_P(Seeds, YearTest, testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace spinneret::frontier
