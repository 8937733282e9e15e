// SPDX-License-Identifier: Apache-2.0
#include "dedupe/fingerprint_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace spinneret::dedupe {
namespace {

// A segment that is filled to kFull is laid out again, over kGrowth times the homes.
constexpr double kFull = 0.86;
constexpr double kGrowth = 1.2;
constexpr std::uint32_t kFirstHomes = 128;
// Slots kept free behind the homes of a fresh layout. One segment in some thousand needs more.
constexpr std::uint32_t kTail = 64;
// Number of keys between prefetch and use: 16 do as well, 4 do not.
constexpr std::size_t kAhead = 32;

}  // namespace

template <typename Slot>
FingerprintTable<Slot>::FingerprintTable(std::uint64_t expected, std::uint32_t least_depth)
    : pool_(kRegionBytes), least_depth_(least_depth), depth_(least_depth) {
  // The middle between a full segment and one that was just split.
  constexpr std::uint64_t kRegionKeys = kRegionSlots * 3 / 4;
  while (expected >> depth_ > kRegionKeys) ++depth_;
  shift_ = 63 - depth_;
  const auto keys = static_cast<double>(expected >> depth_);
  // Four standard deviations over the mean, so that (nearly) no segment has to grow.
  const double homes = (keys + 4 * std::sqrt(keys)) / kFull + kFirstHomes;
  for (std::size_t i = 0; i < std::size_t{1} << depth_; ++i) {
    Segment* const fresh = new_segment(depth_);
    fresh->homes = std::min(static_cast<std::uint32_t>(homes), fresh->room - 2 * kTail);
    lay_out(*fresh, {});
    directory_.push_back(fresh);
  }
}

template <typename Slot>
typename FingerprintTable<Slot>::Segment* FingerprintTable<Slot>::new_segment(std::uint32_t depth) {
  segments_.push_back(std::make_unique<Segment>());
  Segment* const fresh = segments_.back().get();
  fresh->slots = static_cast<Slot*>(pool_.take());
  fresh->room = kRegionSlots;
  fresh->depth = depth;
  return fresh;
}

template <typename Slot>
Slot& FingerprintTable<Slot>::find_or_insert(const Slot& slot, bool& fresh) {
  while (true) {
    Segment& target = segment(slot);
    Slot* const at = seek(target, slot);
    fresh = !same_key(*at, slot);
    if (!fresh) return *at;
    if (target.count >= target.limit || target.extent + 1 >= target.room) {
      make_room(target);
      continue;
    }
    // The key here and those behind it move up by one, as far as the next gap.
    Slot* next = at;
    for (Slot carried = slot; carried.high != 0; ++next) std::swap(*next, carried);
    target.extent = std::max(target.extent, static_cast<std::uint32_t>(next - target.slots));
    ++target.count;
    ++size_;
    return *at;
  }
}

template <typename Slot>
const Slot* FingerprintTable<Slot>::find(const Slot& slot) const {
  const Slot* const at = seek(segment(slot), slot);
  return same_key(*at, slot) ? at : nullptr;
}

template <typename Slot>
void FingerprintTable<Slot>::insert_batch(std::span<const Slot> keys, bool* fresh) {
  const std::size_t count = keys.size();
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) prefetch(keys[i]);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) prefetch(keys[i + kAhead]);
    find_or_insert(keys[i], fresh[i]);
  }
}

template <typename Slot>
void FingerprintTable<Slot>::find_batch(std::span<const Slot> keys, bool* found) const {
  const std::size_t count = keys.size();
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) prefetch(keys[i]);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) prefetch(keys[i + kAhead]);
    found[i] = find(keys[i]) != nullptr;
  }
}

// Returns a factor from 1 to kGrowth. Segments that split together would otherwise fill up together
// for ever, and the load of the whole table would swing between its bounds instead of staying in
// the middle.
template <typename Slot>
double FingerprintTable<Slot>::slack() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return 1 + (kGrowth - 1) * static_cast<double>(random_ >> 40) / static_cast<double>(1 << 24);
}

// Uniform keys never need more depth than this. Other keys get larger regions, so that the
// directory cannot grow without end.
template <typename Slot>
bool FingerprintTable<Slot>::may_split(const Segment& full) const {
  return full.depth < static_cast<std::uint32_t>(std::bit_width(size_ / kRegionSlots)) + 3;
}

template <typename Slot>
void FingerprintTable<Slot>::make_room(Segment& full) {
  const auto wanted = static_cast<std::uint32_t>(full.homes * kGrowth);
  const bool fits = std::max(wanted, full.extent) + kTail < full.room;
  if (!fits && may_split(full)) return split(full);
  const std::span<const Slot> keys = take_out(full);
  if (!fits) move_to_region(full, full.room * std::size_t{2});
  full.homes = wanted;
  lay_out(full, keys);
}

// Moves the segment's keys, in order, to scratch_, and zeroes its slots.
template <typename Slot>
std::span<const Slot> FingerprintTable<Slot>::take_out(Segment& from) {
  scratch_.resize(std::max<std::size_t>(scratch_.size(), from.extent));
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < from.extent; ++i) {
    scratch_[count] = from.slots[i];
    count += from.slots[i].high != 0;
  }
  std::memset(static_cast<void*>(from.slots), 0, from.extent * sizeof(Slot));
  return std::span<const Slot>(scratch_).first(count);
}

template <typename Slot>
void FingerprintTable<Slot>::move_to_region(Segment& emptied, std::size_t room) {
  RegionPool::forget(emptied.slots, emptied.room * sizeof(Slot));
  emptied.slots = static_cast<Slot*>(pool_.take_large(room * sizeof(Slot)));
  emptied.room = static_cast<std::uint32_t>(room);
}

// Puts sorted keys into a zeroed segment whose homes and depth are set.
template <typename Slot>
void FingerprintTable<Slot>::lay_out(Segment& into, std::span<const Slot> keys) {
  // However crowded, the keys end within so many slots; only keys that are not uniform come near.
  const std::size_t most = into.homes + keys.size() + 2;
  if (most > into.room && needed(into, keys) + kTail > into.room) move_to_region(into, most);
  Slot* next = into.slots;
  for (const Slot& key : keys) {
    next = std::max(next, home(into, key));
    *next++ = key;
  }
  into.count = static_cast<std::uint32_t>(keys.size());
  into.limit = static_cast<std::uint32_t>(into.homes * kFull);
  into.extent = static_cast<std::uint32_t>(next - into.slots);
}

// Returns the number of slots up to the last of the keys.
template <typename Slot>
std::size_t FingerprintTable<Slot>::needed(const Segment& into, std::span<const Slot> keys) {
  std::size_t next = 0;
  for (const Slot& key : keys) {
    next = std::max(next, static_cast<std::size_t>(home(into, key) - into.slots)) + 1;
  }
  return next;
}

template <typename Slot>
void FingerprintTable<Slot>::split(Segment& full) {
  if (full.depth == depth_) double_directory();
  const std::uint32_t old_extent = full.extent;
  const std::span<const Slot> keys = take_out(full);
  Segment* const upper = new_segment(++full.depth);
  const std::uint64_t bit = std::uint64_t{1} << (64 - full.depth);
  const auto middle = std::partition_point(
      keys.begin(), keys.end(), [bit](const Slot& key) { return (key.high & bit) == 0; });
  const auto lower_count = static_cast<std::size_t>(middle - keys.begin());
  redirect(keys.front(), *upper, bit);
  lay_out_afresh(full, keys.first(lower_count));
  lay_out_afresh(*upper, keys.subspan(lower_count));
  forget_behind(full, old_extent);
}

// Makes those directory entries of the segment of `key` that have the bit lead to `upper`.
template <typename Slot>
void FingerprintTable<Slot>::redirect(const Slot& key, Segment& upper, std::uint64_t bit) {
  std::size_t at = key.high >> shift_ >> 1;
  const Segment* const lower = directory_[at];
  while (at > 0 && directory_[at - 1] == lower) --at;
  for (; at < directory_.size() && directory_[at] == lower; ++at) {
    const std::uint64_t prefix = static_cast<std::uint64_t>(at) << shift_ << 1;
    if ((prefix & bit) != 0) directory_[at] = &upper;
  }
}

// Gives back the pages of a segment that has become shorter; they are zero already.
template <typename Slot>
void FingerprintTable<Slot>::forget_behind(const Segment& shorter, std::uint32_t old_extent) {
  constexpr std::size_t kPage = 4096;
  const std::size_t used = ((shorter.extent + 1) * sizeof(Slot) + kPage - 1) / kPage * kPage;
  const std::size_t touched = old_extent * sizeof(Slot);
  if (touched > used) {
    RegionPool::forget(reinterpret_cast<char*>(shorter.slots) + used, touched - used);
  }
}

template <typename Slot>
void FingerprintTable<Slot>::lay_out_afresh(Segment& into, std::span<const Slot> keys) {
  const double full_homes = static_cast<double>(keys.size()) / kFull;
  into.homes = static_cast<std::uint32_t>(full_homes * slack()) + kFirstHomes / 2;
  lay_out(into, keys);
}

template <typename Slot>
void FingerprintTable<Slot>::double_directory() {
  std::vector<Segment*> twice;
  twice.reserve(directory_.size() * 2);
  for (Segment* const entry : directory_) twice.insert(twice.end(), 2, entry);
  directory_ = std::move(twice);
  ++depth_;
  --shift_;
}

template <typename Slot>
std::uint64_t FingerprintTable<Slot>::count(std::uint64_t prefix, std::uint32_t bits) const {
  std::uint64_t keys = 0;
  each_segment(prefix, bits, [&](const Segment& entry) { keys += entry.count; });
  return keys;
}

template <typename Slot>
void FingerprintTable<Slot>::for_each(std::uint64_t prefix, std::uint32_t bits,
                                      const std::function<void(const Slot&)>& visit) const {
  each_segment(prefix, bits, [&](const Segment& entry) {
    for (std::uint32_t i = 0; i < entry.extent; ++i) {
      if (entry.slots[i].high != 0) visit(entry.slots[i]);
    }
  });
}

template <typename Slot>
void FingerprintTable<Slot>::forget(std::uint64_t prefix, std::uint32_t bits) {
  each_segment(prefix, bits, [&](Segment& entry) {
    size_ -= entry.count;
    RegionPool::forget(entry.slots, entry.extent * sizeof(Slot));
    // The segment will be as full again, so it is laid out for half of its former homes.
    entry.homes = std::max(entry.homes / 2, std::min(entry.homes, kFirstHomes / 2));
    lay_out(entry, {});
  });
  scratch_ = {};
}

template <typename Slot>
void FingerprintTable<Slot>::clear() {
  segments_.clear();
  directory_.clear();
  pool_.release_all();
  depth_ = least_depth_;
  shift_ = 63 - depth_;
  size_ = 0;
  for (std::size_t i = 0; i < std::size_t{1} << depth_; ++i) {
    directory_.push_back(new_segment(depth_));
    lay_out_afresh(*directory_.back(), {});
  }
}

template <typename Slot>
std::uint64_t FingerprintTable<Slot>::bytes() const {
  std::uint64_t total =
      directory_.capacity() * sizeof(Segment*) + scratch_.capacity() * sizeof(Slot);
  for (const auto& entry : segments_) {
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t touched = (entry->extent + std::uint64_t{1}) * sizeof(Slot);
    total += (touched + kPage - 1) / kPage * kPage + sizeof(Segment) + sizeof entry;
  }
  return total;
}

template class FingerprintTable<Fingerprint64>;
template class FingerprintTable<Fingerprint128>;
template class FingerprintTable<ValuedFingerprint>;

}  // namespace spinneret::dedupe
