// SPDX-License-Identifier: Apache-2.0
// Fingerprints on disk in ascending order, which can be searched and merged: a full part of a table
// becomes a run.
//
// All keys of a run agree in their first `prefix` bits. By their other bits the run is divided into
// stretches of equal width, each about a page of keys. Two things are kept in memory: the number of
// keys in front of each stretch, so that a search reads one stretch; and a filter (Bloom, in blocks
// of a cache line) that rules out most keys that are not there. A stretch usually lies in two pages
// of the file; where a key must be far from the boundary between them, only one page is read. Each
// stretch has two sums, one of the keys in its first page and one of the rest, so that a change of
// the file is noticed wherever it is read. Besides its share of the filter a key costs a 32nd of a
// byte (a 64th with 64 bits).
//
//   file     [ given back | keys of a run | given back | keys of another | ... end ]
//   pages    |       |       |       |       |       |       |       |       |
//   stretch             [front | rest]
//   ranks    [ 0 | 251 | 509 | ... | size ]
//   saved    [ keys | ranks | sums | filter ]
//
// One file serves all runs of a part; a saved run is alone in its file. Front and rest have a sum
// of 16 bits each. There is one rank for each stretch, and one more.
//
// Keys that are not uniform work, too, but may make a stretch long.
#ifndef SPINNERET_DEDUPE_SORTED_RUN_H_
#define SPINNERET_DEDUPE_SORTED_RUN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "dedupe/blocked_filter.h"
#include "dedupe/fingerprint.h"
#include "dedupe/region_pool.h"
#include "dedupe/run_file.h"

namespace spinneret::dedupe {

// Where save() has put the parts of a run, and sums that tell whether they are unchanged.
struct SavedRun {
  std::uint64_t keys = 0;
  std::uint64_t stretches = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t probes = 0;
  std::uint64_t table_sum = 0;  // hash of ranks and sums
  std::uint64_t filter_sum = 0;
};

template <typename F>
class SortedRun {
 public:
  using Visit = std::function<void(const F&)>;
  SortedRun() = default;  // no run yet; to be moved into
  static constexpr std::uint64_t kStretchKeys = 4096 / sizeof(F);
  struct Shape {
    unsigned prefix = 0;         // leading bits that all keys share
    std::uint64_t expected = 0;  // expected number of keys, or a few more
    double filter_bits = 8;      // bits of the filter for each key; below 1: no filter
  };
  // Keys [first, first + count) of the run.
  struct Stretch {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  // Writes the keys that `each` visits in ascending order; of equal neighbours only one is written.
  static Result<SortedRun> write(RunFile& file, const Shape& shape,
                                 const std::function<Status(const Visit&)>& each);
  static Result<SortedRun> merge(RunFile& file, const Shape& shape,
                                 std::span<const SortedRun* const> runs);
  // Merges runs piece by piece. Until the merge is done the runs must stay where they are, and
  // nothing else may be written to the file.
  class Merger {
   public:
    Merger(RunFile& file, const Shape& shape, std::span<const SortedRun* const> runs);
    ~Merger();
    // Merges so many more keys; sets `done` when all are merged.
    Status step(std::uint64_t keys, bool& done);
    SortedRun take();
    // The memory that the new run takes so far.
    std::uint64_t memory() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
  };
  // Returns the run's bytes to the disk.
  void give_back(RunFile& file) const { file.give_back(offset_, size_ * sizeof(F)); }

  // For a run that is alone in its file: appends the parts that are in memory, for load().
  Result<SavedRun> save(RunFile& file);
  // Loads all but the filter, which load_filter() can read afterwards. The file must be as long as
  // `saved` says. Returns an Error where the file has changed.
  static Result<SortedRun> load(const RunFile& file, const SavedRun& saved);
  Status load_filter(const SavedRun& saved);

  // The filter, to be asked without the run; valid until the filter changes.
  class Sight {
   public:
    explicit Sight(const SortedRun& run)
        : run_(&run),
          view_(run.filter_ ? run.filter_->view() : BlockedFilter::View()),
          prefix_(run.prefix_) {}
    // Returns false where the key is certainly not in the run.
    bool may_contain(const F& key) const {
      return view_.may_contain(key.high << prefix_, low_of(key));
    }
    [[gnu::always_inline]] void prefetch(const F& key) const {
      __builtin_prefetch(view_.block(key.high << prefix_));
    }
    const SortedRun& run() const { return *run_; }

   private:
    const SortedRun* run_;
    BlockedFilter::View view_;
    unsigned prefix_;
  };
  bool may_contain(const F& key) const { return Sight(*this).may_contain(key); }
  // Returns the stretch in which the key is, if the run has it.
  Stretch stretch_of(const F& key) const {
    const std::size_t stretch = stretch_number(key);
    return {ranks_[stretch], ranks_[stretch + 1] - ranks_[stretch]};
  }
  // From now on a stretch in which a key was found stays in memory, if it can hold all of them.
  void hold_stretches();
  // Returns a stretch that is held in memory, or nullptr; hold() adds one.
  const F* held(const Stretch& stretch, const F& key) const {
    return held_ != nullptr && held_->there[stretch_number(key)] ? held_->keys + stretch.first
                                                                 : nullptr;
  }
  void hold(const Stretch& stretch, const F& key, const F* keys) const {
    if (held_ == nullptr || held(stretch, key) != nullptr) return;
    std::copy_n(keys, stretch.count, held_->keys + stretch.first);
    held_->there[stretch_number(key)] = true;
    held_->bytes += stretch.count * sizeof(F);
  }
  // Returns the part of the key's stretch to read: a single page, where the key is unlikely to be
  // in the other.
  Stretch part_of(const F& key, const Stretch& stretch) const;
  // Returns whether `keys`, read from that part, can be right. If not, the file was changed.
  bool is_part(const F& key, const Stretch& part, std::span<const F> keys) const;
  // Returns whether a key that is not among the part's keys can be in no other part of its stretch.
  bool decides(const F& key, const Stretch& part, std::span<const F> keys) const;
  std::uint64_t offset_of(const Stretch& stretch) const {
    return offset_ + stretch.first * sizeof(F);
  }
  // Reads the key's stretch, unless the filter rules the key out.
  Status contains(const F& key, bool& found) const;
  // Visits all keys in order.
  Status for_each(const Visit& visit) const;

  // Replaces the filter; reads the whole run.
  Status set_filter(double bits);
  void drop_filter() { filter_.reset(); }

  const RunFile& file() const { return *file_; }
  std::uint64_t size() const { return size_; }
  // Bits of the filter for each key.
  double filter_bits() const;
  std::uint64_t memory() const;

 private:
  class Cursor;
  class Writer;
  class StretchSum;
  // A run without keys, at the end of the file.
  SortedRun(const RunFile& file, const Shape& shape);
  static std::uint64_t low_of(const F& key) {
    if constexpr (requires { key.low; }) return key.low;
    return key.high * 0x9E3779B97F4A7C15 ^ key.high >> 29;
  }
  std::size_t stretch_number(const F& key) const {
    const unsigned __int128 fraction = key.high << prefix_;
    return static_cast<std::size_t>(fraction * (ranks_.size() - 1) >> 64);
  }
  void make_filter(std::uint64_t keys, double bits);
  void add_to_filter(const F& key) { filter_->insert(key.high << prefix_, low_of(key)); }

  static constexpr std::uint64_t kPageKeys = 4096 / sizeof(F);
  // Returns how many keys of a stretch are in its first page, if the stretch spans two.
  std::uint64_t front_of(const Stretch& stretch) const {
    return kPageKeys - (offset_ / sizeof(F) + stretch.first) % kPageKeys;
  }
  // Returns the sum of keys, which does not depend on their order.
  static std::uint32_t sum_of(std::span<const F> keys) {
    std::uint64_t sum = 0;
    for (const F& key : keys) sum += mixed(key);
    return static_cast<std::uint32_t>(sum >> 48);
  }
  static std::uint64_t mixed(const F& key) {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(key.high ^ 0x2D358DCCAA6C78A5) *
        (low_of(key) ^ 0x8BB84B93962EACC9);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  struct Held {
    explicit Held(std::uint64_t run_keys, std::size_t stretches)
        : keys(static_cast<F*>(pool.take_large(run_keys * sizeof(F)))), there(stretches) {}
    RegionPool pool{4096};  // one region, which takes memory as it is filled
    F* keys;
    std::vector<bool> there;
    std::uint64_t bytes = 0;
  };

  const RunFile* file_ = nullptr;  // must outlive the run
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  unsigned prefix_ = 0;
  std::vector<std::uint32_t> ranks_;
  std::vector<std::uint32_t> sums_;
  std::unique_ptr<BlockedFilter> filter_;
  std::unique_ptr<Held> held_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_SORTED_RUN_H_
