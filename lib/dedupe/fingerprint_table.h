// SPDX-License-Identifier: Apache-2.0
// A set (or map) of fingerprints in memory: 17 to 22 bytes a 128-bit key at any size, no pause, no
// peak.
//
//   FingerprintTable<Fingerprint128> seen;
//   if (seen.insert(f)) first_time();
//   seen.insert_batch(fingerprints, fresh);  // the same, with cache misses overlapped: 3x as fast
//
// A directory maps the top bits of a key to a segment. A segment is a sorted array with gaps: the
// home of a key is proportional to its bits, and the key stands there or, in order, behind it.
//
//   directory  [ 0 | 1 | 2 | 2 | ... ]             one entry a value of the top `depth_` bits
//                |   |   |___|                     a segment of less depth has several entries
//   segment    [ a . b c . . d e f . . g h | i . . `homes` slots that are some key's home, then
//                                                  keys pushed over the end; slots[extent] is empty
//
// A full segment is laid out again, in place, over kGrowth times as many homes, until it fills its
// region (kRegionBytes); then it is split in two. Both are sequential passes without branches that
// depend on the data. So growth touches only 256 KiB at a time, and memory follows the number of
// keys closely. Regions are reserved, not allocated: pages that were never touched cost nothing.
//
// Buckets of a cache line were tried instead of the order. They are as fast for keys that are found
// and a third slower for others, take twice as long to grow, and would have to be sorted to make
// runs.
//
// Keys should be uniform in their high bits, as seeded hashes are; others work, too, but slower.
// Not thread-safe. Never fails: when memory runs out the kernel ends the process.
#ifndef SPINNERET_DEDUPE_FINGERPRINT_TABLE_H_
#define SPINNERET_DEDUPE_FINGERPRINT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dedupe/fingerprint.h"
#include "dedupe/region_pool.h"

namespace spinneret::dedupe {

template <typename Slot>
class FingerprintTable {
 public:
  static constexpr std::size_t kRegionBytes = std::size_t{256} << 10;
  static constexpr std::size_t kRegionSlots = kRegionBytes / sizeof(Slot);

  // Lays out space for `expected` keys, so that they are inserted without growth. All keys of a
  // segment agree in their first `least_depth` bits at least.
  explicit FingerprintTable(std::uint64_t expected = 0, std::uint32_t least_depth = 0);

  // Returns true where the key was not there.
  bool insert(const Slot& slot) {
    bool fresh = false;
    find_or_insert(slot, fresh);
    return fresh;
  }
  // Returns the key's slot, to read or change its value. The slot is valid until the next
  // insertion.
  Slot& find_or_insert(const Slot& slot, bool& fresh);
  // Returns nullptr where the key is not there.
  const Slot* find(const Slot& slot) const;

  // The same for many keys in order: keys[i] is fresh where neither the table nor keys[0..i) has
  // it.
  void insert_batch(std::span<const Slot> keys, bool* fresh);
  void find_batch(std::span<const Slot> keys, bool* found) const;
  // Inlining is forced: gcc 12 finds that as a function of its own it has no effect, and drops the
  // calls.
  [[gnu::always_inline]] void prefetch(const Slot& slot) const {
    const char* const line = reinterpret_cast<const char*>(home(segment(slot), slot));
    __builtin_prefetch(line);
    __builtin_prefetch(line + 64);
    __builtin_prefetch(line + 128);
  }

  // Visits every slot, in ascending order of the keys.
  void for_each(const std::function<void(const Slot&)>& visit) const { for_each(0, 0, visit); }
  void clear();
  // The following act on the keys whose first `bits` bits (at most the least depth) are `prefix`:
  // count() counts them, for_each() visits them, and forget() removes them and gives their memory
  // back to the kernel.
  std::uint64_t count(std::uint64_t prefix, std::uint32_t bits) const;
  void for_each(std::uint64_t prefix, std::uint32_t bits,
                const std::function<void(const Slot&)>& visit) const;
  void forget(std::uint64_t prefix, std::uint32_t bits);

  std::uint64_t size() const { return size_; }
  // Bytes of memory that the keys take: touched pages of regions, and the directory.
  std::uint64_t bytes() const;

 private:
  struct Segment {
    Slot* slots = nullptr;
    std::uint32_t homes = 0;   // slots that are some key's home
    std::uint32_t extent = 0;  // no slot from here on holds a key; extent < room
    std::uint32_t count = 0;   // keys
    std::uint32_t limit = 0;   // beyond so many keys, lay out again or split
    std::uint32_t room = 0;    // slots of the region
    std::uint32_t depth = 0;   // leading key bits that all its keys share
  };

  // Calls visit(segment) for segments with keys of the prefix.
  template <typename Visit>
  void each_segment(std::uint64_t prefix, std::uint32_t bits, const Visit& visit) const {
    Segment* last = nullptr;
    for (std::size_t at = prefix << (depth_ - bits); at < (prefix + 1) << (depth_ - bits); ++at) {
      if (directory_[at] == last) continue;
      last = directory_[at];
      visit(*last);
    }
  }
  Segment& segment(const Slot& slot) const { return *directory_[slot.high >> shift_ >> 1]; }
  static Slot* home(const Segment& segment, const Slot& slot) {
    const unsigned __int128 fraction = slot.high << segment.depth;
    return segment.slots + static_cast<std::size_t>(fraction * segment.homes >> 64);
  }
  // Returns the first slot, from the key's home on, that is empty or not before the key.
  static Slot* seek(const Segment& segment, const Slot& slot) {
    Slot* at = home(segment, slot);
    // The 0 of an empty slot wraps round to the largest number, which also ends the walk.
    while (at->high - 1 < slot.high - 1) ++at;
    while (at->high == slot.high && low_less(*at, slot)) ++at;
    return at;
  }
  Segment* new_segment(std::uint32_t depth);
  void make_room(Segment& full);
  bool may_split(const Segment& full) const;
  void split(Segment& full);
  void double_directory();
  void redirect(const Slot& key, Segment& upper, std::uint64_t bit);
  void forget_behind(const Segment& shorter, std::uint32_t old_extent);
  std::span<const Slot> take_out(Segment& from);
  void move_to_region(Segment& emptied, std::size_t room);
  static std::size_t needed(const Segment& into, std::span<const Slot> keys);
  void lay_out(Segment& into, std::span<const Slot> keys);
  void lay_out_afresh(Segment& into, std::span<const Slot> keys);
  double slack();

  RegionPool pool_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<Segment*> directory_;
  std::uint32_t least_depth_;
  std::uint32_t depth_;
  // 63 - depth_: a shift by 64 is undefined, so segment() shifts once more, by 1
  std::uint32_t shift_;
  std::uint64_t size_ = 0;
  std::uint64_t random_ = 0x9E3779B97F4A7C15;
  std::vector<Slot> scratch_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_FINGERPRINT_TABLE_H_
