// SPDX-License-Identifier: Apache-2.0
// A synthetic web, and owners of partitions that crawl it, with complete frontiers, over a bus and
// leases in memory. An owner may be killed at any turn, and its state outlives it.
#ifndef SPINNERET_TESTS_UNIT_CLUSTER_CRAWLER_H_
#define SPINNERET_TESTS_UNIT_CLUSTER_CRAWLER_H_

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "bus/bus.h"
#include "cluster/beater.h"
#include "cluster/household.h"
#include "cluster/member.h"
#include "frontier/frontier.h"
#include "frontier/memory_store.h"
#include "lease/memory_leases.h"
#include "url/partition.h"

namespace spinneret::cluster {

inline constexpr int kSites = 25;
inline constexpr int kPages = 12;  // pages of a site
inline constexpr int kSeeds = 8;
inline constexpr std::int64_t kTtlMs = 10'000;

inline std::string page(int site, int number) {
  return "http://www.site" + std::to_string(site) + ".example/" + std::to_string(number);
}
// Except for the seeds every page has exactly one in-link, so that a lost link loses all pages
// behind it. Successive pages are on different sites.
inline std::string page_at(int index) { return page(index % kSites, index / kSites); }
inline int index_of(const std::string& url) {
  int site = 0, number = 0;
  return std::sscanf(url.c_str(), "http://www.site%d.example/%d", &site, &number) == 2
             ? number * kSites + site
             : -1;
}

// A partition's state, which outlives its owners, and its present owner.
//
// The crawlers of one household are in one process, which `strike`, called between any two steps,
// may end by throwing.
class Crawler {
 public:
  Crawler(
      PartOf part, bus::Bus& bus, lease::MemoryLeaseEngine& engine, FakeClock& clock,
      Household* household = nullptr, std::function<void()> strike = [] {})
      : household_(household),
        strike_(std::move(strike)),
        partition_(part.index),
        partitions_(part.count),
        bus_(bus),
        engine_(engine),
        clock_(clock) {}

  void turn(std::mt19937& random) {
    if (!member_) begin();
    if (!taken_ && !(taken_ = taken(member_->take()))) return;
    if (clock_.boot_ns() - beat_ns_ >= kTtlMs * 100'000) {
      beat_ns_ = clock_.boot_ns();
      Member* const all[] = {member_.get()};
      renew(all, *leases_, clock_);
    }
    if (!member_->lost().empty()) return kill();
    if (!frontier_ && !(member_->may_open() && open())) return;
    member_->exchange();
    commit();
    if (member_->over({.idle = frontier_->exhausted() && frontier_->in_flight() == 0}))
      over_ = true;
    if (!member_->may_send()) return;
    frontier::Dispatch out;
    while (frontier_->next(out)) {
      ASSERT_GT(member_->send_by_ms(), clock_.boot_ns() / 1'000'000);
      flying_.push_back(out.url);
      fetched_.push_back(out.url);
    }
    ASSERT_TRUE(frontier_->commit_flights().ok());
    // Some of the URLs in flight come back, with their links first.
    for (std::size_t i = flying_.size(); i-- > 0;) {
      if (random() % 3 == 0) continue;
      const std::string url = flying_[i];
      flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(i));
      if (const int next = index_of(url) + kSeeds; next < kSites * kPages) offer(page_at(next));
      frontier_->settle(
          {.url = url, .outcome = Outcome::kOk, .status = 200, .time_ms = 1, .has_rules = true});
    }
    if (random() % 2 == 0) commit();
  }
  void kill() {
    frontier_.reset();
    if (member_ != nullptr) member_->move_to(nullptr);
    member_.reset();
    store_.drop_staged();
    flying_.clear();
    taken_ = over_ = false;
  }
  bool over() const { return over_; }
  frontier::MemoryStore& store() { return store_; }
  const std::vector<std::string>& fetched() const { return fetched_; }

 private:
  void begin() {
    // The crawlers of a household have the name of one node, because one of them asks for all.
    const int node = household_ == nullptr ? ++nodes_ : 0;
    leases_ = std::make_unique<lease::MemoryLeases>(engine_, clock_, "node" + std::to_string(node),
                                                    kTtlMs);
    member_ = std::make_unique<Member>(MemberSettings{.partition = partition_,
                                                      .partitions = partitions_.count(),
                                                      .ttl_ms = kTtlMs,
                                                      .terms = "t"},
                                       Member::Engines{bus_, *leases_}, clock_);
  }
  static bool taken(const Result<bool>& result) { return result.ok() && *result; }
  bool open() {
    if (!member_->open(store_).ok()) return false;
    member_->move_to(household_);
    frontier::Options options;
    options.politeness.delay_ms = 100;
    options.partitions = &partitions_;
    options.partition = partition_;
    Result<std::unique_ptr<frontier::Frontier>> opened =
        frontier::Frontier::open(store_, clock_, options);
    EXPECT_TRUE(opened.ok()) << opened.message();
    if (!opened.ok()) return false;
    frontier_ = opened.take();
    frontier_->assume_rules();
    for (int seed = 0; seed < kSeeds; ++seed) offer(page_at(seed), /*seed=*/true);
    frontier_->seal();
    return true;
  }
  void offer(const std::string& link, bool seed = false) {
    if (frontier_->offer({.url = link}) == frontier::Frontier::Offer::kElsewhere && !seed)
      member_->offer(frontier_->elsewhere(), link);
  }
  void commit() {
    member_->stage([this](std::string_view, std::string_view lines) {
      while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        ASSERT_EQ(frontier_->offer({.url = lines.substr(0, end)}),
                  frontier::Frontier::Offer::kStaged);
        lines.remove_prefix(end + 1);
      }
      frontier_->seal();
    });
    strike_();
    ASSERT_TRUE(frontier_->commit().ok());
    strike_();
    member_->committed();
    strike_();
  }

  Household* household_;
  std::function<void()> strike_;
  std::uint32_t partition_;
  Partitions partitions_;
  bus::Bus& bus_;
  lease::MemoryLeaseEngine& engine_;
  FakeClock& clock_;
  frontier::MemoryStore store_;
  std::unique_ptr<lease::MemoryLeases> leases_;
  std::unique_ptr<Member> member_;
  std::unique_ptr<frontier::Frontier> frontier_;
  std::vector<std::string> flying_, fetched_;
  std::int64_t beat_ns_ = 0;
  int nodes_ = 0;
  bool taken_ = false, over_ = false;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_TESTS_UNIT_CLUSTER_CRAWLER_H_
