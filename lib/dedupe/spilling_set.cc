// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dedupe/blocked_filter.h"
#include "dedupe/fingerprint_set.h"
#include "dedupe/fingerprint_table.h"
#include "dedupe/sorted_run.h"

namespace spinneret {
namespace {

constexpr std::size_t kMergeRuns = 8;
// Left for merge buffers, fences and what allocators waste; of little memory, a quarter.
constexpr std::uint64_t kReserve = std::uint64_t{12} << 20;
// The filter's share of the memory once there are runs, in sixteenths. More for the filter means fewer
// pages read, less means more runs; with 512 MiB and 350 M keys these are 7 bits a key and 5 % of the
// fresh keys that read a page for nothing.
constexpr std::uint64_t kFilterShare = 10;
constexpr std::uint64_t kTableShare = 4;
constexpr unsigned kProbes = 5;

template <typename F>
class SpillingSet : public FingerprintSet<F> {
 public:
  SpillingSet(std::uint64_t memory, std::string folder)
      : memory_(memory - std::min(memory / 4, kReserve)), folder_(std::move(folder)) {}

  Status insert_batch(std::span<const F> keys, bool* fresh) override {
    table_.insert_batch(keys, fresh);
    if (filter_) {
      for (const F& key : keys) filter_->prefetch(key.high);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        // What a run has is now in the table too: the next repeat reads nothing.
        if (!fresh[i]) continue;
        if (const Status read = look_in_runs(keys[i], fresh[i]); !read.ok()) return read;
      }
    }
    for (std::size_t i = 0; i < keys.size(); ++i) size_ += fresh[i];
    return table_.bytes() > table_budget() ? spill() : Status();
  }

  Status find_batch(std::span<const F> keys, bool* fresh) override {
    table_.find_batch(keys, fresh);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      fresh[i] = !fresh[i];
      if (!fresh[i] || !filter_) continue;
      if (const Status read = look_in_runs(keys[i], fresh[i]); !read.ok()) return read;
    }
    return {};
  }

  std::uint64_t size() const override { return size_; }
  std::uint64_t bytes() const override {
    std::uint64_t total = table_.bytes() + (filter_ ? filter_->bytes() : 0);
    for (const auto& level : levels_) {
      for (const SortedRun<F>& run : level) total += run.memory();
    }
    return total;
  }

 private:
  // Bits of the key that choose its place in the filter's block; a 64-bit key has them all in `high`.
  static std::uint64_t low_of(const F& key) {
    if constexpr (requires { key.low; }) return key.low;
    return key.high * 0x9E3779B97F4A7C15 ^ key.high >> 29;
  }

  std::uint64_t table_budget() const { return filter_ ? memory_ / 16 * kTableShare : memory_; }

  Status look_in_runs(const F& key, bool& fresh) {
    if (!filter_->may_contain(key.high, low_of(key))) return {};
    // The largest run first: most old keys are there.
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      for (const SortedRun<F>& run : *level) {
        bool found = false;
        if (const Status read = run.contains(key, found); !read.ok()) return read;
        if (!found) continue;
        fresh = false;
        return {};
      }
    }
    return {};
  }

  // The table becomes a run, and its keys enter the filter. The filter is made only once the first, large
  // table is gone.
  Status spill() {
    using Run = SortedRun<F>;
    Result<Run> run = Run::write(folder_, [this](const typename Run::Visit& visit) {
      table_.for_each(visit);
      return Status();
    });
    if (!run.ok()) return run.error();
    table_.clear();
    if (!filter_) filter_ = std::make_unique<BlockedFilter>(memory_ / 16 * kFilterShare, kProbes);
    const Status read =
        run->for_each([this](const F& key) { filter_->insert(key.high, low_of(key)); });
    if (!read.ok()) return read;
    return add(0, run.take());
  }

  Status add(std::size_t level, SortedRun<F> run) {
    if (levels_.size() <= level) levels_.resize(level + 1);
    levels_[level].push_back(std::move(run));
    if (levels_[level].size() < kMergeRuns) return {};
    Result<SortedRun<F>> merged = SortedRun<F>::merge(folder_, std::exchange(levels_[level], {}));
    if (!merged.ok()) return merged.error();
    return add(level + 1, merged.take());
  }

  std::uint64_t memory_;
  std::string folder_;
  FingerprintTable<F> table_;
  std::unique_ptr<BlockedFilter> filter_;
  std::vector<std::vector<SortedRun<F>>> levels_;
  std::uint64_t size_ = 0;
};

}  // namespace

template <typename F>
std::unique_ptr<FingerprintSet<F>> make_spilling_set(std::uint64_t memory, std::string folder) {
  return std::make_unique<SpillingSet<F>>(memory, std::move(folder));
}

template std::unique_ptr<FingerprintSet<Fingerprint64>> make_spilling_set(std::uint64_t,
                                                                          std::string);
template std::unique_ptr<FingerprintSet<Fingerprint128>> make_spilling_set(std::uint64_t,
                                                                           std::string);

}  // namespace spinneret
