// SPDX-License-Identifier: Apache-2.0
#include "dedupe/indexed_set.h"

#include <algorithm>
#include <bit>
#include <chrono>

namespace spinneret::dedupe {
namespace {

constexpr std::uint64_t kTableKeys = std::uint64_t{1} << 22;
// A run has at least so many keys. The next opening reads fewer from the log, in some 10 ms.
constexpr std::uint64_t kLeastRun = std::uint64_t{1} << 18;
constexpr std::size_t kMergeRuns = 4;
constexpr double kMostFilterBits = 10;  // a key; one look-up in a hundred is in vain
constexpr std::uint64_t kMostKeys = UINT32_MAX;

// Returns the tier of a run. Runs of one tier differ in size by less than four times.
int tier(std::uint64_t keys) { return static_cast<int>(std::bit_width(keys)) / 2; }

// Visits the keys of a table that are not in a sorted list.
template <typename F>
void visit_rest(const FingerprintTable<F>& table, const std::vector<F>& without,
                const typename SortedRun<F>::Visit& visit) {
  auto at = without.begin();
  table.for_each([&](const F& key) {
    while (at != without.end() && key_less(*at, key)) ++at;
    if (at == without.end() || !same_key(*at, key)) visit(key);
  });
}

template <typename T>
bool is_ready(const std::future<T>& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

// Half of the memory bound is for filters; the other half is for two tables, for recalled keys, and
// for a merge.
template <typename F>
IndexedSet<F>::IndexedSet(StoreIndex<F> index, std::uint64_t memory, bool read_only)
    : index_(std::move(index)),
      memory_(memory),
      read_only_(read_only),
      table_keys_(memory == 0 ? kTableKeys
                              : std::max<std::uint64_t>(memory / 2 / (5 * sizeof(F)), 1024)) {}

template <typename F>
IndexedSet<F>::~IndexedSet() {
  if (written_.valid()) written_.wait();
  if (merge_) merge_->result.wait();
}

template <typename F>
LogMark IndexedSet<F>::open(const SeenLog& log) {
  seed_ = log.header().seed;
  runs_ = index_.open(log, memory_ == 0 ? UINT64_MAX : memory_ / 2);
  if (!read_only_) index_.remove_others(runs_);
  look_again();
  covered_ = mark_ = runs_.empty() ? SeenLog::start() : runs_.back()->to;
  return covered_;
}

template <typename F>
Status IndexedSet<F>::insert_batch(std::span<const F> keys, bool* fresh) {
  if (!failed_.ok()) return failed_;
  table_->insert_batch(keys, fresh);
  return look_behind(keys, fresh, &recalled_);
}

template <typename F>
Status IndexedSet<F>::find_batch(std::span<const F> keys, bool* fresh) {
  table_->find_batch(keys, fresh);
  for (std::size_t i = 0; i < keys.size(); ++i) fresh[i] = !fresh[i];
  return look_behind(keys, fresh, nullptr);
}

template <typename F>
Status IndexedSet<F>::recall_batch(std::span<const F> keys, bool* fresh) {
  if (!failed_.ok()) return failed_;
  table_->insert_batch(keys, fresh);
  return {};
}

// Clears fresh[i] for the keys that the frozen table or a run has.
template <typename F>
Status IndexedSet<F>::look_behind(std::span<const F> keys, bool* fresh, std::vector<F>* recalled) {
  if (runs_.empty() && !frozen_) return {};
  const auto found = [&](std::size_t i) {
    fresh[i] = false;
    if (recalled != nullptr) recalled->push_back(keys[i]);
  };
  if (frozen_) {
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i + kAhead < keys.size()) frozen_->prefetch(keys[i + kAhead]);
      if (fresh[i] && frozen_->find(keys[i]) != nullptr) found(i);
    }
  }
  return searches_.search_batch(
      keys, fresh, [this](const F&) -> const auto& { return sights_; }, found);
}

template <typename F>
void IndexedSet<F>::logged(const LogMark& mark) {
  mark_ = mark;
  if (!read_only_ && failed_.ok()) failed_ = keep_bounds();
}

template <typename F>
Status IndexedSet<F>::keep_bounds() {
  if (Status taken = take_written(Take::kIfReady); !taken.ok()) return taken;
  if (Status taken = take_merged(Take::kIfReady); !taken.ok()) return taken;
  if (table_->size() < table_keys_ || !report_.empty()) return {};
  // A stream of keys that were seen long ago fills the table, too, but makes no run.
  if (table_->size() - std::min<std::uint64_t>(recalled_.size(), table_->size()) <
      table_keys_ / 4) {
    forget_recalled();
    return {};
  }
  return freeze();
}

// A table that could not be written stays in frozen_ and is still searched; so are runs that could
// not be merged.
template <typename F>
Status IndexedSet<F>::give_up(const std::string& why, Take how) {
  if (memory_ != 0 && how != Take::kClose) return Error{why};
  report_ = why + ": the store goes on without, and its next opening makes the index anew";
  return {};
}

template <typename F>
void IndexedSet<F>::forget_recalled() {
  std::sort(recalled_.begin(), recalled_.end(), key_less<F>);
  auto rest = std::make_shared<Table>();
  visit_rest<F>(*table_, recalled_, [&](const F& key) { rest->insert(key); });
  table_ = std::move(rest);
  recalled_.clear();
}

template <typename F>
Status IndexedSet<F>::freeze() {
  if (Status taken = take_written(Take::kWait); !taken.ok() || !report_.empty()) return taken;
  frozen_ = std::exchange(table_, std::make_shared<Table>());
  const std::uint64_t keys = frozen_->size();
  written_ = std::async(
      std::launch::async, [this, keys, table = frozen_, recalled = std::exchange(recalled_, {}),
                           from = covered_, to = mark_, bits = filter_bits(keys)]() mutable {
        std::sort(recalled.begin(), recalled.end(), key_less<F>);
        return index_.write(seed_, from, to, [&](RunFile& file) {
          return SortedRun<F>::write(file, {0, keys, bits}, [&](const auto& visit) -> Status {
            visit_rest<F>(*table, recalled, visit);
            return {};
          });
        });
      });
  covered_ = mark_;
  return {};
}

template <typename F>
Status IndexedSet<F>::take_written(Take how) {
  if (!written_.valid()) return {};
  if (how == Take::kIfReady && !is_ready(written_)) return {};
  Result<Run> run = written_.get();
  if (!run.ok()) return give_up(run.message(), how);
  runs_.push_back(run.take());
  frozen_.reset();
  look_again();
  start_due_merge();
  return {};
}

template <typename F>
Status IndexedSet<F>::take_merged(Take how) {
  if (!merge_) return {};
  if (how == Take::kIfReady && !is_ready(merge_->result)) return {};
  Result<Run> run = merge_->result.get();
  const auto first = runs_.begin() + static_cast<std::ptrdiff_t>(merge_->first);
  const auto end = first + static_cast<std::ptrdiff_t>(merge_->count);
  merge_.reset();
  if (!run.ok()) return give_up(run.message(), how);
  for (auto old = first; old != end; ++old) index_.remove(**old);
  *first = run.take();
  runs_.erase(first + 1, end);
  look_again();
  start_due_merge();
  return {};
}

// Merges neighbours of at most some tier, if there are enough of that tier among them, so that
// there are few runs of each tier.
template <typename F>
void IndexedSet<F>::start_due_merge() {
  if (merge_ || !report_.empty()) return;
  for (int most = 0; most < 40; ++most) {
    std::uint64_t keys = 0;
    std::size_t first = 0, of_tier = 0;
    for (std::size_t i = 0; i <= runs_.size(); ++i) {
      const std::uint64_t own = i < runs_.size() ? runs_[i]->run.size() : kMostKeys;
      if (tier(own) <= most && keys + own < kMostKeys) {
        keys += own;
        of_tier += tier(own) == most;
        continue;
      }
      if (of_tier >= kMergeRuns) {
        std::vector<Run> runs(runs_.begin() + static_cast<std::ptrdiff_t>(first),
                              runs_.begin() + static_cast<std::ptrdiff_t>(i));
        merge_.emplace(first, i - first, merge_runs(std::move(runs), keys));
        return;
      }
      first = i + 1, keys = 0, of_tier = 0;
    }
  }
}

template <typename F>
std::future<Result<typename StoreIndex<F>::Run>> IndexedSet<F>::merge_runs(std::vector<Run> runs,
                                                                           std::uint64_t keys) {
  return std::async(
      std::launch::async, [this, keys, runs = std::move(runs), bits = filter_bits(keys)] {
        std::vector<const SortedRun<F>*> sorted;
        for (const Run& run : runs) sorted.push_back(&run->run);
        return index_.write(seed_, runs.front()->from, runs.back()->to, [&](RunFile& file) {
          return SortedRun<F>::merge(file, {0, keys, bits}, sorted);
        });
      });
}

template <typename F>
Status IndexedSet<F>::close() {
  if (read_only_ || !failed_.ok()) return failed_;
  if (Status taken = take_written(Take::kClose); !taken.ok()) return taken;
  if (mark_.entries - covered_.entries >= std::min(kLeastRun, table_keys_)) {
    if (Status frozen = freeze(); !frozen.ok()) return frozen;
  }
  if (Status taken = take_written(Take::kClose); !taken.ok()) return taken;
  start_due_merge();
  while (merge_) {
    if (Status taken = take_merged(Take::kClose); !taken.ok()) return taken;
  }
  return {};
}

template <typename F>
void IndexedSet<F>::look_again() {
  sights_.clear();
  for (const Run& run : runs_) sights_.emplace_back(run->run);
}

// Returns the bits of a filter for each key. Where memory is bounded, they come from what the
// present filters leave of their half.
template <typename F>
double IndexedSet<F>::filter_bits(std::uint64_t keys) const {
  if (memory_ == 0) return kMostFilterBits;
  std::uint64_t taken = 0;
  for (const Run& run : runs_) taken += run->saved.filter_bytes;
  const auto left = static_cast<double>(memory_ / 2 - std::min(memory_ / 2, taken));
  return std::min(kMostFilterBits,
                  left * 8 / static_cast<double>(std::max<std::uint64_t>(keys, 1)));
}

template <typename F>
std::uint64_t IndexedSet<F>::bytes() const {
  std::uint64_t bytes =
      table_->bytes() + (frozen_ ? frozen_->bytes() : 0) + recalled_.capacity() * sizeof(F);
  for (const Run& run : runs_) bytes += run->run.memory();
  return bytes;
}

template class IndexedSet<Fingerprint64>;
template class IndexedSet<Fingerprint128>;

}  // namespace spinneret::dedupe
