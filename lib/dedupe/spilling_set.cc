// SPDX-License-Identifier: Apache-2.0
// A set in bounded memory: the newest keys in a table, the others in sorted runs on disk, by parts
// of the key space.
//
//   table    [ part 0 | part 1 | ... | part 63 ]        all memory at first; later, what the runs'
//                                                       filters leave
//   part     levels of runs: when memory is full, the largest part of the table becomes a run of
//            level 0; kMergeRuns runs of a level become one of the next
//
// So each spill takes a 64th of the keys. One merge goes on at a time, of the runs of one part, by
// some thousand keys with each batch; the part spills nothing meanwhile. As the largest part is
// spilled first, the parts are soon full to all degrees, and runs are twice as long as the mean of
// a part in the table.
//
// Each run has a filter. Of the memory for filters, a large run gets fewer bits a key than a small
// one, so that the chance of a read in vain is in proportion to its size, which makes their sum
// least (Dayan et al. 2017). When there are more keys, the filters of old runs are made anew with
// fewer bits. The filters are Bloom filters in blocks: a binary fuse filter of the same bits errs
// half as often, but costs 40 ns a key to make against 5, and a key's filter is made some four
// times.
#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dedupe/fingerprint_set.h"
#include "dedupe/fingerprint_table.h"
#include "dedupe/run_searches.h"
#include "dedupe/sorted_run.h"

namespace spinneret::dedupe {
namespace {

// With 8 there is one merge less of each key, and more runs to search: the same CPU time for 12 M
// lines in 32M.
constexpr std::size_t kMergeRuns = 4;
// Memory for buffers of merges and searches, and for the overhead of allocators; at most a quarter
// of all.
constexpr std::uint64_t kReserve = std::uint64_t{12} << 20;
// The table's least share, in sixteenths.
constexpr std::uint64_t kTableShare = 3;
constexpr unsigned kMostPrefix = 6;
// The least memory for each part.
constexpr std::uint64_t kPartMemory = std::uint64_t{256} << 10;
// One error in a hundred and fewer. With 16 the filters soon take the table's memory, and are then
// made anew again and again.
constexpr double kMostFilterBits = 11;
// Below this the largest level of a part is kept in one run, since the chance of a useless read
// grows with the number of runs of its size. Where memory has a byte for each key this halves the
// reads, for one more merge of each key.
constexpr double kFewFilterBits = 10.8;
// The number of keys by which a merge goes on with each batch: a millisecond. On average merges
// need a sixth of it.
constexpr std::uint64_t kMergeStep = std::uint64_t{1} << 14;
// One more bit of a filter for each key divides its errors by e^this.
constexpr double kGain = 0.48;

template <typename F>
class SpillingSet : public FingerprintSet<F> {
 public:
  SpillingSet(std::uint64_t memory, const std::string& folder)
      : memory_(memory - std::min(memory / 4, kReserve)),
        prefix_(std::min(kMostPrefix, whole_bits(memory_ / kPartMemory))),
        table_(0, prefix_) {
    // Parts must not move, since runs know their files by address.
    parts_.reserve(std::size_t{1} << prefix_);
    for (std::size_t i = 0; i < std::size_t{1} << prefix_; ++i) parts_.emplace_back(folder);
  }

  Status insert_batch(std::span<const F> keys, bool* fresh) override {
    table_.insert_batch(keys, fresh);
    // A key that a run has is now in the table, too, so that its next repeat reads nothing.
    if (Status looked = look_in_runs(keys, fresh); !looked.ok()) return looked;
    for (std::size_t i = 0; i < keys.size(); ++i) size_ += fresh[i];
    return keep_bounds();
  }

  Status find_batch(std::span<const F> keys, bool* fresh) override {
    table_.find_batch(keys, fresh);
    for (std::size_t i = 0; i < keys.size(); ++i) fresh[i] = !fresh[i];
    return look_in_runs(keys, fresh);
  }

  std::uint64_t size() const override { return size_; }
  std::uint64_t bytes() const override {
    return table_.bytes() + run_bytes_ + (merger_ ? merger_->memory() : 0);
  }

 private:
  using Run = SortedRun<F>;
  struct Level {
    std::vector<Run> runs;
    std::size_t made_of = 0;  // number of runs, before some were merged within the level
  };
  struct Part {
    explicit Part(std::string folder) : file(std::move(folder)) {}
    RunFile file;
    std::vector<Level> levels;
    // The sights of all runs, side by side, since every new key looks at all of them.
    std::vector<typename Run::Sight> sights;
  };
  struct Merge {
    std::size_t part;
    std::size_t level;
  };

  static unsigned whole_bits(std::uint64_t parts) {
    return static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(parts, 1))) - 1;
  }

  std::size_t part_of(const F& key) const {
    return static_cast<std::size_t>(key.high >> 1 >> (63 - prefix_));
  }

  Level& level_of(const Merge& place) { return parts_[place.part].levels[place.level]; }
  template <typename Visit>
  void each_run(Part& part, const Visit& visit) {
    for (Level& level : part.levels) {
      for (Run& run : level.runs) visit(run);
    }
  }
  // Visits all runs except those that are being merged, which are about to go.
  template <typename Visit>
  void each_lasting_run(const Visit& visit) {
    for (Part& part : parts_) {
      for (Level& level : part.levels) {
        if (&level == merged_level_) continue;
        for (Run& run : level.runs) visit(run);
      }
    }
  }

  // Clears fresh[i] for keys that some run has.
  Status look_in_runs(std::span<const F> keys, bool* fresh) {
    if (run_bytes_ == 0) return {};
    return searches_.search_batch(
        keys, fresh, [this](const F& key) -> const auto& { return parts_[part_of(key)].sights; },
        [fresh](std::size_t i) { fresh[i] = false; });
  }

  Status keep_bounds() {
    const std::uint64_t late = merges_.size() / 8;
    if (Status merged = merge(kMergeStep * (1 + late)); !merged.ok()) return merged;
    while (bytes() > memory_) {
      if (table_.size() != 0 && (run_bytes_ == 0 || table_.bytes() > memory_ / 16 * kTableShare)) {
        if (Status spilled = spill(); !spilled.ok()) return spilled;
      } else if (Run* const run = generous_run(); run != nullptr) {
        if (Status shrunk = shrink(*run); !shrunk.ok()) return shrunk;
      } else if (table_.size() != 0) {
        if (Status spilled = spill(); !spilled.ok()) return spilled;
      } else {
        break;
      }
    }
    return {};
  }

  // Makes a run of the table's largest part. A part that is being merged cannot be spilled, since
  // its file is being written.
  Status spill() {
    std::size_t largest = 0;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (merger_ && i == merging_.part) continue;
      const std::uint64_t keys = table_.count(i, prefix_);
      if (keys > most) most = keys, largest = i;
    }
    // If keys are not uniform, the part that is being merged may have nearly all of them.
    if (merger_ && most * parts_.size() * 2 < table_.size()) {
      if (Status merged = merge(UINT64_MAX); !merged.ok()) return merged;
      if (bytes() <= memory_) return {};
      return spill();
    }
    Part& part = parts_[largest];
    const auto write = [&](const typename Run::Visit& visit) {
      table_.for_each(largest, prefix_, visit);
      return Status();
    };
    Result<Run> run = Run::write(part.file, {prefix_, most, filter_bits(most)}, write);
    if (!run.ok()) return run.error();
    table_.forget(largest, prefix_);
    add({largest, 0}, run.take(), 1);
    return {};
  }

  void add(const Merge& place, Run run, std::size_t made_of) {
    auto& levels = parts_[place.part].levels;
    if (levels.size() <= place.level) levels.resize(place.level + 1);
    Level& level = levels[place.level];
    run_bytes_ += run.memory();
    run_keys_ += run.size();
    const bool few_bits = run.filter_bits() < kFewFilterBits;
    level.runs.push_back(std::move(run));
    level.made_of += made_of;
    look_again(parts_[place.part]);
    const bool one_is_better =
        few_bits && level.runs.size() > 1 && place.level + 1 == levels.size();
    if (level.made_of >= kMergeRuns || one_is_better) merges_.push_back(place);
  }

  void look_again(Part& part) {
    part.sights.clear();
    each_run(part, [&part](Run& run) { part.sights.emplace_back(run); });
  }

  // Goes on with a merge, or begins the next one that is due.
  Status merge(std::uint64_t keys) {
    if (!merger_) {
      if (merges_.empty()) return {};
      merging_ = merges_.front();
      merges_.pop_front();
      if (level_of(merging_).runs.size() < 2) return {};  // it was queued twice
      begin_merge();
    }
    bool done = false;
    if (Status merged = merger_->step(keys, done); !merged.ok()) return merged;
    if (done) end_merge();
    return {};
  }

  void begin_merge() {
    std::vector<const Run*> runs;
    std::uint64_t keys = 0;
    for (const Run& run : level_of(merging_).runs) {
      keys += run.size();
      runs.push_back(&run);
    }
    merged_level_ = &level_of(merging_);
    merged_keys_ = 0;
    const double bits = filter_bits(keys);
    merged_keys_ = keys;
    merger_.emplace(parts_[merging_.part].file, typename Run::Shape{prefix_, keys, bits}, runs);
  }

  void end_merge() {
    Run merged = merger_->take();
    merger_.reset();
    Part& part = parts_[merging_.part];
    Level& level = level_of(merging_);
    for (Run& run : level.runs) {
      run_bytes_ -= run.memory();
      run_keys_ -= run.size();
      run.give_back(part.file);
    }
    level.runs.clear();
    merged_level_ = nullptr;
    const std::size_t made_of = std::exchange(level.made_of, 0);
    if (made_of < kMergeRuns) {
      add(merging_, std::move(merged), made_of);
    } else {
      add({merging_.part, merging_.level + 1}, std::move(merged), 1);
    }
  }

  // Sets level_ so that all filters together take the memory for filters. A filter's bits a key are
  // `level_` less the logarithm of the run's size. `fresh` is the size of a run that is about to be
  // made.
  void set_filter_level(std::uint64_t fresh) {
    sizes_.clear();
    const auto add = [this](std::uint64_t keys) {
      const auto size = static_cast<double>(std::max<std::uint64_t>(keys, 1));
      sizes_.push_back({size, std::log(size)});
    };
    add(fresh);
    if (merged_level_ != nullptr) add(merged_keys_);
    each_lasting_run([&](Run& run) { add(run.size()); });
    const double ranks = static_cast<double>(run_keys_ + fresh) * 8 / Run::kStretchKeys;
    const double room = static_cast<double>(memory_ / 16 * (16 - kTableShare)) * 0.97 - ranks;
    double low = 0;
    double high = 64;
    for (int i = 0; i < 30; ++i) {
      level_ = (low + high) / 2;
      double bits = 0;
      for (const auto& [size, logarithm] : sizes_) bits += size * bits_at_level(logarithm);
      (bits / 8 <= room ? low : high) = level_;
    }
    level_ = low;
  }
  double bits_at_level(double logarithm) const {
    return std::clamp((level_ - logarithm) / kGain, 0.0, kMostFilterBits);
  }
  double filter_bits(std::uint64_t keys) {
    set_filter_level(keys);
    return bits_at_level(std::log(static_cast<double>(std::max<std::uint64_t>(keys, 1))));
  }

  // Returns the run whose filter exceeds its due size by most.
  Run* generous_run() {
    set_filter_level(0);
    Run* found = nullptr;
    double most = 0;
    each_lasting_run([&](Run& run) {
      const auto size = static_cast<double>(run.size());
      const double over = run.filter_bits() - bits_at_level(std::log(size));
      if (run.filter_bits() > 0 && over * size > most) most = over * size, found = &run;
    });
    return found;
  }
  Status shrink(Run& run) {
    const std::uint64_t before = run.memory();
    run_bytes_ -= before;
    // Takes somewhat less than the run's due, or its filter would soon have to be made again.
    const double bits = bits_at_level(std::log(static_cast<double>(run.size()))) * 0.93;
    Status made = run.set_filter(bits);
    // No filter is smaller than a page; without this the smallest would be made again and again.
    if (run.memory() >= before) run.drop_filter();
    run_bytes_ += run.memory();
    for (Part& part : parts_) {
      if (&part.file == &run.file()) look_again(part);
    }
    return made;
  }

  std::uint64_t memory_;
  unsigned prefix_;  // bits of a key that say which part it is in
  FingerprintTable<F> table_;
  std::vector<Part> parts_;
  std::deque<Merge> merges_;  // merges that are due
  // The present merge, of merging_; merged_level_ has its runs.
  std::optional<typename Run::Merger> merger_;
  Merge merging_{};
  const Level* merged_level_ = nullptr;
  std::uint64_t merged_keys_ = 0;
  std::uint64_t run_bytes_ = 0;
  std::uint64_t run_keys_ = 0;
  std::uint64_t size_ = 0;
  double level_ = 0;
  std::vector<std::pair<double, double>> sizes_;  // sizes of runs, and their logarithms
  RunSearches<F> searches_;
};

}  // namespace

template <typename F>
std::unique_ptr<FingerprintSet<F>> make_spilling_set(std::uint64_t memory, std::string folder) {
  return std::make_unique<SpillingSet<F>>(memory, folder);
}

template std::unique_ptr<FingerprintSet<Fingerprint64>> make_spilling_set(std::uint64_t,
                                                                          std::string);
template std::unique_ptr<FingerprintSet<Fingerprint128>> make_spilling_set(std::uint64_t,
                                                                           std::string);

}  // namespace spinneret::dedupe
