// SPDX-License-Identifier: Apache-2.0
// One random script for a frontier on each store, the one in memory and RocksDB, which does all
// that a frontier can do. The output, and the tables at the end, must be the same byte for byte.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/frontier.h"
#include "frontier/host_log.h"
#include "frontier/host_row.h"
#include "frontier/inspect.h"
#include "frontier/memory_store.h"
#include "frontier/rocks_store.h"
#include "frontier/slowest_host.h"
#include "frontier/upkeep.h"
#include "support/sanitized.h"

namespace spinneret::frontier {
namespace {

constexpr unsigned kHosts = 9;
constexpr unsigned kPages = 60;
constexpr const char* kBest = "best:20/1m,least=1s,most=1h";

class Script {
 public:
  Script(Store& store, unsigned seed, std::optional<PolitenessKey> key = std::nullopt)
      : store_(store), random_(seed) {
    options_.seed = seed;
    options_.in_flight = 1 + pick(12);
    options_.tries = 1 + pick(4);
    options_.key = static_cast<PolitenessKey>(pick(3));
    options_.key = key.value_or(options_.key);
    options_.politeness.per_host = 1 + pick(3);
    options_.politeness.delay_ms = pick(2) * 1000;
    options_.politeness.patience = pick(6);
    options_.retry_delay_ms = 1 + pick(5000);
    options_.lease_ms = 20'000;
    options_.crowd = pick(2) == 0 ? 1 + pick(3) : 16;
    options_.hosts_in_play = pick(2) == 0 ? 1 + pick(4) : 1000;
    if (pick(2) == 0) options_.log_page = 1 + pick(4);
    if (pick(4) == 0)
      options_.politeness.throttle = 1 + pick(5), options_.politeness.throttle_ms = 60'000;
    if (pick(4) == 0) options_.max_host_pages = 1 + pick(20);
    if (pick(3) == 0) options_.max_depth = 3;
    if (pick(2) == 0) options_.recrawl = *parse_recrawl(pick(2) == 0 ? "adaptive:1m..1h" : kBest);
    options_.continuous = pick(4) == 0;
    if (pick(2) == 0) options_.order = static_cast<Order>(pick(4));
  }

  // Runs the script and returns all that could be seen, as text.
  std::string run(int steps) {
    open();
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
    restart(/*orderly=*/true);
    frontier_.reset();
    dump();
    return out_;
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  void say(const std::string& what) { out_ += what + "\n"; }

  void open() {
    Result<std::unique_ptr<Frontier>> opened = Frontier::open(store_, clock_, options_);
    ASSERT_TRUE(opened.ok()) << opened.message();
    frontier_ = opened.take();
  }

  void step() {
    switch (pick(12)) {
      case 0:
      case 1:
      case 2: return offer();
      case 3:
      case 4: return send();
      case 5:
      case 6:
      case 7: return settle();
      case 8: return commit();
      case 9: clock_.advance_ms(pick(4000)); return;
      default: return seldom();
    }
  }

  void seldom() {
    switch (pick(16)) {
      case 0: return restart(/*orderly=*/true);
      case 1: return restart(/*orderly=*/false);
      case 2: frontier_->recall_flights(); return commit();
      case 3:
        say(frontier_->blame_flights(pick(2) == 0) ? "guilty" : "not guilty");
        return commit();
      case 4: frontier_->expire_leases(pick(3) == 0); return commit();
      case 5: clock_.advance_ms(pick(3'000'000)); return commit();
      case 6: return frontier_->drop_tail();
      case 7: return upkeep();
      case 8: return look();
      case 9:
        // Only the wall clock is set, in either direction.
        clock_.jump_wall_ms(static_cast<std::int64_t>(pick(100'000)) - 50'000);
        return;
      default: return commit();
    }
  }

  std::string url(unsigned host, unsigned page) {
    return (page % 5 == 0 ? "https://a" : "http://a") + std::to_string(host) + ".b" +
           std::to_string(host % 3) + ".test/" + std::to_string(page);
  }
  std::string any_url() { return url(pick(kHosts), pick(kPages)); }

  void offer() {
    for (unsigned i = 0; i <= pick(6); ++i) {
      const std::string target = any_url();
      const std::string via = any_url();
      Candidate candidate{.url = target,
                          .depth = pick(5),
                          .priority = static_cast<std::uint8_t>(pick(10)),
                          .is_sitemap = pick(9) == 0,
                          .via = via};
      candidate.raises = pick(3) == 0;
      if (pick(5) == 0) candidate.modified_ms = clock_.unix_ms() - pick(100'000);
      if (pick(5) == 0) candidate.interval_ms = 1 + pick(100'000);
      if (pick(5) == 0) candidate.extra = "\tid=7";
      say("offer " + target + " " + std::to_string(static_cast<int>(frontier_->offer(candidate))));
    }
    if (pick(2) == 0) frontier_->seal();
  }

  void send() {
    commit();  // next() requires this
    Dispatch dispatch;
    while (frontier_->next(dispatch)) {
      say("send " + dispatch.url + " " + std::to_string(static_cast<int>(dispatch.purpose)) + " " +
          std::to_string(dispatch.depth) + " " + std::to_string(dispatch.priority) +
          dispatch.extra + " " + dispatch.etag);
      pipe_.push_back(dispatch);
      if (pick(8) == 0) break;
    }
    EXPECT_TRUE(frontier_->commit_flights().ok());
    say("wait " + std::to_string(frontier_->wait_ms()) + " in flight " +
        std::to_string(frontier_->in_flight()));
  }

  Outcome outcome() {
    constexpr Outcome kSome[] = {Outcome::kOk,
                                 Outcome::kOk,
                                 Outcome::kOk,
                                 Outcome::kOk,
                                 Outcome::kNotModified,
                                 Outcome::kNotFound,
                                 Outcome::kGone,
                                 Outcome::kRedirect,
                                 Outcome::kServerError,
                                 Outcome::kRateLimited,
                                 Outcome::kTimeout,
                                 Outcome::kDnsFailed,
                                 Outcome::kNeeds,
                                 Outcome::kNeeds,
                                 Outcome::kBlockedByRobots,
                                 Outcome::kBlockedByPolicy,
                                 Outcome::kAborted,
                                 Outcome::kRefusedAddress};
    return kSome[pick(std::size(kSome))];
  }

  void settle() {
    if (pipe_.empty()) return;
    const std::size_t at = pick(static_cast<unsigned>(pipe_.size()));
    const Dispatch dispatch = pipe_[at];
    pipe_.erase(pipe_.begin() + static_cast<std::ptrdiff_t>(at));
    const std::string needs = dispatch.url.substr(0, dispatch.url.find('/', 8)) + "/robots.txt";
    const std::string digest = std::to_string(pick(3));
    const std::string ip = "10.0.0." + std::to_string(pick(3));
    Settled result{.url = dispatch.url,
                   .purpose = dispatch.purpose,
                   .outcome = outcome(),
                   .status = 200,
                   .time_ms = pick(3000),
                   .size = pick(9999)};
    if (dispatch.purpose == Purpose::kRobots && result.outcome == Outcome::kNeeds)
      result.outcome = Outcome::kOk;
    if (pick(9) != 0) result.needs = needs;
    result.digest = digest;
    if (pick(2) == 0) result.ip = ip;
    if (pick(3) == 0) result.etag = "\"e\"";
    if (pick(4) == 0) result.retry_after_ms = pick(60'000);
    if (pick(4) == 0) result.crawl_delay_ms = pick(9000);
    result.has_rules = pick(2) == 0;
    if (pick(5) == 0) result.status = 0, result.size = 0;
    if (pick(3) == 0) result.robots_reason = pick(2) == 0 ? kVisitTime : "server-error";
    if (pick(9) == 0) result.expires_ms = clock_.unix_ms() + pick(9'000'000);
    for (unsigned i = pick(6); i != 0; --i) {
      const std::string target = any_url();
      frontier_->offer({.url = target, .depth = pick(5), .via = dispatch.url});
    }
    const Settlement found = frontier_->settle(result);
    say("settle " + dispatch.url + " " + std::string(to_string(result.outcome)) + " " +
        std::to_string(static_cast<int>(found.verdict)) +
        (found.verdict == Verdict::kFinal ? found.row.via : ""));
    if (pick(2) == 0) commit();
  }

  void commit() {
    const Status done = frontier_->commit();
    ASSERT_TRUE(done.ok()) << done.message();
    for (const Frontier::GivenUp& each : frontier_->take_given_up())
      say("given up " + each.page.url + " " + each.error);
    for (const std::string& notice : frontier_->take_notices()) say(notice);
    say(frontier_->exhausted() ? "exhausted" : "more");
  }

  // If not orderly, this is like kill -9, with nothing staged that only one of the stores could
  // forget.
  void restart(bool orderly) {
    pipe_.clear();
    frontier_->drop_tail();
    if (orderly) {
      const Status closed = frontier_->close();
      ASSERT_TRUE(closed.ok()) << closed.message();
    } else {
      commit();
    }
    waits_.clear();
    lanes_ = lanes_of(frontier_->hosts(), /*idle_only=*/true);
    take_waits(frontier_->hosts(), clock_.monotonic_ns() / 1'000'000, orderly, waits_);
    frontier_.reset();
    verify_state();
    if (const auto* memory = dynamic_cast<const MemoryStore*>(&store_)) open_both_ways(*memory);
    if (pick(4) == 0) options_.order = static_cast<Order>(pick(4));
    if (pick(4) == 0 && orderly) options_.recrawl = *parse_recrawl(pick(2) == 0 ? "1h" : kBest);
    open();
  }

  // Opens the state by the log of hosts, and without it: by the rows and a count of all queues.
  // Then both are closed.
  void open_both_ways(const MemoryStore& state) {
    MemoryStore logged = state;
    MemoryStore counted = state;
    ASSERT_EQ(counted.rows(Table::kMeta).count("hosts:log"), 1U);
    forget_host_log(counted);
    ASSERT_TRUE(counted.commit().ok());
    // Only the log knows whether a host was ever heard: the rows of URLs to be visited again do not
    // show it.
    std::map<std::string, std::int64_t> log_waits, row_waits;
    LaneNames log_lanes, row_lanes;
    const std::string by_log = opened(logged, log_waits, log_lanes);
    const std::string by_rows = opened(counted, row_waits, row_lanes);
    EXPECT_EQ(by_log, by_rows);
    EXPECT_TRUE(log_lanes == row_lanes);
    for (const auto& [origin, lane] : lanes_) EXPECT_EQ(log_lanes[origin], lane) << origin;
    // No gap is forgotten, except for parts of a millisecond. (Rows are less exact: they keep the
    // gap of a page for which, in the end, no request was made.) Where lanes are addresses, hosts
    // change them.
    for (const auto& [origin, wait_ms] : waits_) {
      EXPECT_GE(log_waits[origin], options_.key == PolitenessKey::kIp ? 0 : wait_ms - 2) << origin;
    }
  }

  // Fills in by origin how long its lane waits; without `marked` it leaves out lanes that a mark
  // keeps waiting.
  static void take_waits(const HostTable& hosts, std::int64_t now_ms, bool marked,
                         std::map<std::string, std::int64_t>& out) {
    for (HostId id = 0; id < hosts.id_end(); ++id) {
      HostSlot slot = 0;
      if (!hosts.lookup(id, slot)) continue;
      const Lane& lane = hosts.lane(hosts.host(slot).lane);
      bool has_marks = false;
      hosts.for_each_of(lane, [&](HostSlot each) { return has_marks |= hosts.host(each).marked; });
      if (has_marks && !marked) continue;
      out[std::string(hosts.host(slot).origin)] = std::max<std::int64_t>(lane.next_ms - now_ms, 0);
    }
  }

  using LaneNames = std::map<std::string, std::uint64_t>;  // by origin, hashed

  // A flight keeps the lane from which it was sent: `idle_only` leaves out its host, which may know
  // another address.
  static LaneNames lanes_of(const HostTable& hosts, bool idle_only) {
    LaneNames out;
    for (HostId id = 0; id < hosts.id_end(); ++id) {
      HostSlot slot = 0;
      if (!hosts.lookup(id, slot)) continue;
      const Host& host = hosts.host(slot);
      const bool is_idle = hosts.nothing_flying(host) && host.rules != Rules::kFlying;
      if (is_idle || !idle_only) out[std::string(host.origin)] = hosts.lane(host.lane).name;
    }
    return out;
  }

  // Returns what a frontier knows of its hosts as it opens, and the hosts' rows after its end.
  std::string opened(MemoryStore& store, std::map<std::string, std::int64_t>& waits,
                     LaneNames& lanes) {
    std::string out;
    Result<std::unique_ptr<Frontier>> made = Frontier::open(store, clock_, options_);
    EXPECT_TRUE(made.ok());
    if (!made.ok()) return out;
    const HostCounts& all = (*made)->statistics().all;
    for (const std::uint64_t count :
         {all.waiting, all.done, all.error, all.blocked, all.pages, all.visits, all.bytes})
      out += std::to_string(count) + " ";
    const HostTable& hosts = (*made)->hosts();
    take_waits(hosts, clock_.monotonic_ns() / 1'000'000, /*marked=*/true, waits);
    lanes = lanes_of(hosts, /*idle_only=*/false);
    for (HostId id = 0; id < hosts.id_end(); ++id) {
      HostSlot slot = 0;
      if (!hosts.lookup(id, slot)) continue;
      const Host& host = hosts.host(slot);
      out += "\n" + std::string(host.origin) + " waiting " + std::to_string(hosts.waiting(host)) +
             " pages " + std::to_string(hosts.pages(host)) + " front " +
             std::to_string(hosts.front(host)) + (host.marked ? " marked" : "") + " lane of " +
             std::to_string(hosts.lane(host.lane).members);
    }
    EXPECT_TRUE((*made)->close().ok());
    made->reset();
    const Result<std::uint64_t> checked =
        verify(store, [](const std::string& problem) { ADD_FAILURE() << problem; });
    EXPECT_TRUE(checked.ok());
    for (const auto& [origin, bytes] : store.rows(Table::kHosts)) {
      HostRow row;
      EXPECT_TRUE(decode_host_row(bytes, row));
      out += "\n" + origin + " " + std::to_string(row.counts.waiting) + " " +
             std::to_string(row.counts.done);
    }
    return out;
  }

  void verify_state() {
    const Result<std::uint64_t> checked =
        verify(store_, [](const std::string& problem) { ADD_FAILURE() << problem; });
    ASSERT_TRUE(checked.ok()) << checked.message();
    say("verified " + std::to_string(*checked));
  }

  void upkeep() {
    pipe_.clear();
    frontier_->drop_tail();
    ASSERT_TRUE(frontier_->close().ok());
    frontier_.reset();
    Result<Upkeep> upkeep = Upkeep::open(store_);
    ASSERT_TRUE(upkeep.ok());
    switch (pick(3)) {
      case 0: {
        const std::string end = std::to_string(pick(10));
        const auto gone = upkeep->forget(
            [&](std::string_view each) { return each.ends_with(end) && pick(3) == 0; },
            [&](std::string_view each, const UrlRow&) { say("gone " + std::string(each)); },
            [] { return true; });
        ASSERT_TRUE(gone.ok());
        break;
      }
      case 1: {
        const auto cleared = upkeep->clear_errors();
        ASSERT_TRUE(cleared.ok());
        say("cleared " + std::to_string(*cleared));
        break;
      }
      default: {
        UrlRow row;
        row.state = static_cast<UrlState>(pick(4));
        row.visits = row.state == UrlState::kWaiting ? 0 : 1;
        const auto taken = upkeep->import(any_url(), row);
        ASSERT_TRUE(taken.ok());
        HostRow host;
        host.next_wall_ms = clock_.unix_ms() + 5000;
        host.wait_ms = 5000;
        say(std::string(*taken ? "new " : "known ") +
            (upkeep->import_host(any_url(), host) ? "host" : ""));
        ASSERT_TRUE(upkeep->commit().ok());
        break;
      }
    }
    verify_state();
    open();
  }

  void look() {
    const Statistics& s = frontier_->statistics();
    say("waiting " + std::to_string(s.all.waiting) + " done " + std::to_string(s.all.done) +
        " error " + std::to_string(s.all.error) + " hosts " + std::to_string(s.hosts) + " known " +
        std::to_string(s.known));
    std::size_t all = 0;
    for (const Frontier::Finished& each : frontier_->finished_hosts(3, all)) {
      say(each.origin + " " + each.why + " " + std::to_string(each.waiting));
    }
    say(std::to_string(all) + " finished; least " +
        std::to_string(
            SlowestHost().left_ms(frontier_->hosts(), clock_.monotonic_ns() / 1'000'000)));
    const Result<std::optional<FoundUrl>> found = find_url(store_, any_url());
    ASSERT_TRUE(found.ok());
    say(found->has_value() ? std::string(to_string((*found)->row.state)) : "unknown");
  }

  void dump() {
    for (std::size_t i = 0; i < kOwnTableCount; ++i) {
      const std::unique_ptr<Cursor> at = store_.scan(static_cast<Table>(i));
      for (at->seek({}); at->valid(); at->next()) {
        say(std::to_string(i) + " " + std::string(at->key()) + " = " + std::string(at->value()));
      }
    }
  }

  Store& store_;
  FakeClock clock_;
  Options options_;
  std::mt19937 random_;
  std::unique_ptr<Frontier> frontier_;
  std::vector<Dispatch> pipe_;
  std::map<std::string, std::int64_t> waits_;  // as the last frontier ended
  LaneNames lanes_;                            // likewise, for hosts that were idle
  std::string out_;
};

// Returns where two texts differ, with some text before.
std::string difference(const std::string& a, const std::string& b) {
  const auto at = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const std::size_t from = at < 300 ? 0 : at - 300;
  return "..." + a.substr(from, 500) + "\n--- against\n..." + b.substr(from, 500);
}

TEST(StoreTwins, OneScriptHasOneOutcomeOnBoth) {
  const std::string path = testing::TempDir() + "/twin_test." + std::to_string(getpid());
  for (unsigned seed = 1; seed <= (kSanitized ? 10 : 40) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryStore memory;
    const std::string first = Script(memory, seed).run(400);
    std::filesystem::remove_all(path);
    Result<std::unique_ptr<Store>> rocks = open_rocks_store(path, {});
    ASSERT_TRUE(rocks.ok()) << rocks.message();
    const std::string second = Script(**rocks, seed).run(400);
    EXPECT_TRUE(first == second) << difference(first, second);
  }
  std::filesystem::remove_all(path);
}

// Bug: a host whose address became known while more of its URLs were in flight stayed in the lane
// of its name. In which of the two lanes it was opened depended on whether it was in play when the
// log was written.
TEST(Lanes, BugAHostWasInAnotherLaneAfterAReopening) {
  for (const PolitenessKey key :
       {PolitenessKey::kHost, PolitenessKey::kDomain, PolitenessKey::kIp}) {
    for (unsigned seed = 1; seed <= (kSanitized ? 10 : 40) && !testing::Test::HasFailure();
         ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", key " +
                   std::to_string(static_cast<int>(key)));
      MemoryStore memory;
      Script(memory, seed, key).run(400);
    }
  }
}

}  // namespace
}  // namespace spinneret::frontier
