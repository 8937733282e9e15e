// SPDX-License-Identifier: Apache-2.0
// A set in bounded memory: the newest keys in a table, the others in sorted runs on disk, by parts of the key space.
//
//   table    [ part 0 | part 1 | ... | part 63 ]        all memory at first; later what the runs' filters leave
//   part     levels of runs: when memory is full, the largest part of the table becomes a run of level 0;
//            kMergeRuns runs of a level become one of the next
//
// So each spill and each merge is that of a 64th of the keys, and one such step at most follows a batch, but where memory
// asks for more. As the largest part goes first, parts are soon full to all degrees, and runs are twice as long as the
// table's mean.
//
// A filter a run, Bloom in blocks: a binary fuse filter of the same bits errs half as often, but costs 40 ns a key to make
// against 5, and a key's filter is made some four times.
//
// Each run has a filter. Of the memory for filters, a large run gets fewer bits a key than a small one, so that the
// chance of a read in vain is in proportion to its size, which makes their sum least (Dayan et al. 2017). When there are
// more keys, the filters of old runs are made anew with fewer bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dedupe/fingerprint_set.h"
#include "dedupe/fingerprint_table.h"
#include "dedupe/sorted_run.h"

namespace spinneret {
namespace {

// With 8 there is a merge less of each key, and more runs to ask: the same CPU time for 12 M lines in 32M.
constexpr std::size_t kMergeRuns = 4;
// Left for buffers of merges and searches, and what allocators waste; of little memory, a quarter.
constexpr std::uint64_t kReserve = std::uint64_t{12} << 20;
// The table's least share, in sixteenths.
constexpr std::uint64_t kTableShare = 3;
constexpr unsigned kMostPrefix = 6;
constexpr std::uint64_t kPartMemory = std::uint64_t{256} << 10;  // at least
// One error in a hundred and fewer. With 16 the filters take the table's memory soon, and are then made anew and anew.
constexpr double kMostFilterBits = 11;
// A bit of a filter for each key divides its errors by e^this.
constexpr double kGain = 0.48;

template <typename F>
class SpillingSet : public FingerprintSet<F> {
 public:
  SpillingSet(std::uint64_t memory, const std::string& folder)
      : memory_(memory - std::min(memory / 4, kReserve)),
        prefix_(std::min(kMostPrefix, whole_bits(memory_ / kPartMemory))),
        table_(0, prefix_) {
    parts_.reserve(std::size_t{1} << prefix_);  // runs know their files by address
    for (std::size_t i = 0; i < std::size_t{1} << prefix_; ++i) parts_.emplace_back(folder);
  }

  Status insert_batch(std::span<const F> keys, bool* fresh) override {
    table_.insert_batch(keys, fresh);
    // What a run has is now in the table too: the next repeat reads nothing.
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
  std::uint64_t bytes() const override { return table_.bytes() + run_bytes_; }

 private:
  using Run = SortedRun<F>;
  struct Part {
    explicit Part(std::string folder) : file(std::move(folder)) {}
    RunFile file;
    std::vector<std::vector<Run>> levels;
    std::vector<typename Run::Sight>
        sights;  // of all runs, side by side: what every new key looks at
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

  template <typename Visit>
  void each_run(Part& part, const Visit& visit) {
    for (auto& level : part.levels) {
      for (Run& run : level) visit(run);
    }
  }

  // Of the fresh ones among the keys, those that some run has are not.
  Status look_in_runs(std::span<const F> keys, bool* fresh) {
    if (run_bytes_ == 0) return {};
    return searches_.search_batch(
        keys, fresh, [this](const F& key) -> const auto& { return parts_[part_of(key)].sights; },
        [fresh](std::size_t i) { fresh[i] = false; });
  }

  Status keep_bounds() {
    // A batch has one such step, unless merges fall behind.
    const std::size_t may_wait = bytes() > memory_ ? parts_.size() / 16 : 0;
    if (merges_.size() > may_wait) {
      if (Status merged = merge(); !merged.ok()) return merged;
    }
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

  // The table's largest part becomes a run.
  Status spill() {
    std::size_t largest = 0;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::uint64_t keys = table_.count(i, prefix_);
      if (keys > most) most = keys, largest = i;
    }
    Part& part = parts_[largest];
    const auto write = [&](const typename Run::Visit& visit) {
      table_.for_each(largest, prefix_, visit);
      return Status();
    };
    Result<Run> run = Run::write(part.file, {prefix_, most, filter_bits(most)}, write);
    if (!run.ok()) return run.error();
    table_.forget(largest, prefix_);
    add({largest, 0}, run.take());
    return {};
  }

  void add(const Merge& place, Run run) {
    auto& levels = parts_[place.part].levels;
    if (levels.size() <= place.level) levels.resize(place.level + 1);
    run_bytes_ += run.memory();
    run_keys_ += run.size();
    levels[place.level].push_back(std::move(run));
    look_again(parts_[place.part]);
    if (levels[place.level].size() == kMergeRuns) merges_.push_back(place);
  }

  void look_again(Part& part) {
    part.sights.clear();
    each_run(part, [&part](Run& run) { part.sights.emplace_back(run); });
  }

  Status merge() {
    const Merge place = merges_.front();
    merges_.pop_front();
    Part& part = parts_[place.part];
    std::vector<Run> runs = std::exchange(part.levels[place.level], {});
    part.sights.clear();
    std::uint64_t keys = 0;
    for (Run& run : runs) {
      keys += run.size();
      run_bytes_ -= run.memory();
      run.drop_filter();  // nobody asks while they are merged
    }
    run_keys_ -= keys;
    std::vector<const Run*> merges;
    for (const Run& run : runs) merges.push_back(&run);
    Result<Run> merged = Run::merge(part.file, {prefix_, keys, filter_bits(keys)}, merges);
    if (!merged.ok()) return merged.error();
    for (const Run& run : runs) run.give_back(part.file);
    add({place.part, place.level + 1}, merged.take());
    return {};
  }

  // The bits a key that filters get: `level_` less the logarithm of the run's size, so that together they take the
  // memory there is for them. `fresh`: the size of a run that is about to be made.
  void set_filter_level(std::uint64_t fresh) {
    sizes_.clear();
    const auto add = [this](std::uint64_t keys) {
      const auto size = static_cast<double>(std::max<std::uint64_t>(keys, 1));
      sizes_.push_back({size, std::log(size)});
    };
    add(fresh);
    for (Part& part : parts_) each_run(part, [&](Run& run) { add(run.size()); });
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

  // The run whose filter has most over what it should.
  Run* generous_run() {
    set_filter_level(0);
    Run* found = nullptr;
    double most = 0;
    for (Part& part : parts_) {
      each_run(part, [&](Run& run) {
        const auto size = static_cast<double>(run.size());
        const double over = run.filter_bits() - bits_at_level(std::log(size));
        if (run.filter_bits() > 0 && over * size > most) most = over * size, found = &run;
      });
    }
    return found;
  }
  Status shrink(Run& run) {
    const std::uint64_t before = run.memory();
    run_bytes_ -= before;
    // Some less than its due, or there would soon be another to make.
    const double bits = bits_at_level(std::log(static_cast<double>(run.size()))) * 0.93;
    Status made = run.set_filter(bits);
    // No filter is smaller than a page: without end, the smallest would be made anew.
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
  std::deque<Merge> merges_;  // that are due
  std::uint64_t run_bytes_ = 0;
  std::uint64_t run_keys_ = 0;
  std::uint64_t size_ = 0;
  double level_ = 0;
  std::vector<std::pair<double, double>> sizes_;  // of runs, and their logarithms
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

}  // namespace spinneret
