// SPDX-License-Identifier: Apache-2.0
// Fingerprints on disk in ascending order, to be searched and merged: what a full part of a table becomes.
//
// A run holds keys whose first `prefix` bits are the same; of the others it is cut into stretches of equal width, each of
// about a page of keys. In memory are, for each stretch, how many keys stand before it, so that a search reads one stretch,
// and a filter (Bloom, in blocks of a cache line) that tells of most keys that they are not there. A key costs a 128th of
// a byte more than its share of the filter.
//
//   file     [ given back | keys of a run | given back | keys of another | ... end ]       one for all runs of a part
//   ranks    [ 0 | 251 | 509 | ... | size ]                                                a number a stretch, and one more
//
// Keys that are not uniform are kept rightly, but then a stretch may be long.
#ifndef SPINNERET_DEDUPE_SORTED_RUN_H_
#define SPINNERET_DEDUPE_SORTED_RUN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "dedupe/blocked_filter.h"
#include "dedupe/fingerprint.h"

namespace spinneret {

// An unnamed file that runs are appended to.
class RunFile {
 public:
  // Made in `folder` when first written.
  explicit RunFile(std::string folder) : folder_(std::move(folder)) {}
  Status open();
  int fd() const { return file_.get(); }
  const std::string& folder() const { return folder_; }
  std::uint64_t end() const { return end_; }
  void extend(std::uint64_t bytes) { end_ += bytes; }
  // The disk may have these bytes back. Where the file system knows no holes, it has them at the end.
  void give_back(std::uint64_t offset, std::uint64_t bytes);

 private:
  std::string folder_;
  Fd file_;
  std::uint64_t end_ = 0;
};

template <typename F>
class SortedRun {
 public:
  using Visit = std::function<void(const F&)>;
  static constexpr std::uint64_t kStretchKeys = 4096 / sizeof(F);
  struct Shape {
    unsigned prefix = 0;         // bits that all keys share
    std::uint64_t expected = 0;  // keys, or a few more
    double filter_bits = 8;      // of the filter for each key; below 1: none
  };
  // Keys [first, first + count) of the run.
  struct Stretch {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  // Writes what `each` visits, which ascends; an equal neighbour is written once.
  static Result<SortedRun> write(RunFile& file, const Shape& shape,
                                 const std::function<Status(const Visit&)>& each);
  // The merged runs are given back where that went well.
  static Result<SortedRun> merge(RunFile& file, const Shape& shape, std::vector<SortedRun>& runs);

  // The filter, to ask it without the run; until the filter changes.
  class Sight {
   public:
    explicit Sight(const SortedRun& run)
        : run_(&run),
          view_(run.filter_ ? run.filter_->view() : BlockedFilter::View()),
          prefix_(run.prefix_) {}
    // False where the key is surely not in the run.
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
  // Where it stands, if it is there.
  Stretch stretch_of(const F& key) const {
    const std::size_t stretch = stretch_number(key);
    return {ranks_[stretch], ranks_[stretch + 1] - ranks_[stretch]};
  }
  // Whether `keys`, as they were read of the key's stretch, can be its: a file that was changed is trouble.
  bool is_stretch(const F& key, std::span<const F> keys) const;
  std::uint64_t offset_of(const Stretch& stretch) const {
    return offset_ + stretch.first * sizeof(F);
  }
  // Reads its stretch, where the filter does not tell.
  Status contains(const F& key, bool& found) const;
  // All keys in order.
  Status for_each(const Visit& visit) const;

  // Another filter in place of the present one: the run is read for it.
  Status set_filter(double bits);
  void drop_filter() { filter_.reset(); }

  int fd() const { return fd_; }
  std::uint64_t size() const { return size_; }
  // Bits of the filter for each key.
  double filter_bits() const;
  std::uint64_t memory() const;

 private:
  class Cursor;
  class Writer;
  // `each`: Status(Writer&).
  template <typename Each>
  static Result<SortedRun> write_each(RunFile& file, const Shape& shape, const Each& each);
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

  int fd_ = -1;  // the RunFile's, which lives longer
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  unsigned prefix_ = 0;
  std::vector<std::uint32_t> ranks_;
  std::unique_ptr<BlockedFilter> filter_;
};

// The searches of a batch, read together: the disk is asked for all that the page cache has not before the first is
// waited for.
template <typename F>
class RunSearches {
 public:
  void clear() { searches_.clear(); }
  bool empty() const { return searches_.empty(); }
  // `index` comes back where the key is there. The run stays as it is until search() is done.
  void add(const SortedRun<F>& run, const F& key, std::size_t index) {
    searches_.push_back({&run, key, index, run.stretch_of(key), 0, false});
  }
  Status search(const std::function<void(std::size_t index)>& found);

 private:
  struct Search {
    const SortedRun<F>* run;
    F key;
    std::size_t index;
    typename SortedRun<F>::Stretch stretch;
    std::size_t at;  // in buffer_
    bool read;
  };
  Status search_some(std::span<Search> searches, const std::function<void(std::size_t)>& found);
  std::vector<Search> searches_;
  std::vector<F> buffer_;
};

}  // namespace spinneret

#endif  // SPINNERET_DEDUPE_SORTED_RUN_H_
