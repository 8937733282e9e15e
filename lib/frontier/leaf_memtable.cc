// SPDX-License-Identifier: Apache-2.0
#include "frontier/leaf_memtable.h"

#include <rocksdb/memtablerep.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace spinneret::frontier {
namespace {

using rocksdb::Slice;

// Bytes behind each key of the user: its sequence number and its kind.
constexpr std::size_t kTrailer = 8;
constexpr std::size_t kAhead = 4;  // how many entries ahead a walk prefetches keys

// The first eight bytes of a key as a number that sorts as they do. Bytes behind its end count as
// zeros.
std::uint64_t prefix_of(const Slice& key) {
  const std::size_t size = std::min<std::size_t>(key.size() - kTrailer, 8);
  std::array<unsigned char, 8> bytes{};
  std::memcpy(bytes.data(), key.data(), size);
  std::uint64_t number = 0;
  for (const unsigned char byte : bytes) number = number << 8 | byte;
  return number;
}

class LeafMemtable : public rocksdb::MemTableRep {
 public:
  LeafMemtable(const KeyComparator& compare, rocksdb::Allocator* memory)
      : MemTableRep(memory), compare_(compare) {}

  void Insert(rocksdb::KeyHandle handle) override;
  bool Contains(const char* key) const override;
  std::size_t ApproximateMemoryUsage() override { return leaves_.capacity() * sizeof(Top); }
  Iterator* GetIterator(rocksdb::Arena*) override;
  Iterator* GetDynamicPrefixIterator(rocksdb::Arena*) override;

 private:
  static constexpr std::uint32_t kMost = 64;

  struct Entry {
    std::uint64_t prefix;
    const char* key;  // in RocksDB's encoding: its size, itself, and its trailer
  };
  struct Leaf {
    std::uint32_t size = 0;
    std::array<Entry, kMost> entries;
  };
  struct Top {
    Entry first;
    Leaf* leaf;
  };
  // The key to look for, which need not be there.
  struct Wanted {
    explicit Wanted(const Slice& internal) : prefix(prefix_of(internal)), key(internal) {}
    std::uint64_t prefix;
    Slice key;
  };
  struct At {
    std::size_t leaf = 0;
    std::uint32_t entry = 0;
  };
  class Walk;
  class KeptWalk;

  // Below 0 where the entry is before the key.
  int order(const Entry& entry, const Wanted& wanted) const {
    if (entry.prefix != wanted.prefix) return entry.prefix < wanted.prefix ? -1 : 1;
    return compare_(entry.key, wanted.key);
  }
  bool is_of(std::size_t leaf, const Wanted& wanted) const {
    return order(leaves_[leaf].first, wanted) <= 0 &&
           (leaf + 1 == leaves_.size() || order(leaves_[leaf + 1].first, wanted) > 0);
  }
  std::size_t leaf_of(const Wanted& wanted) const;
  std::uint32_t entry_of(const Leaf& leaf, const Wanted& wanted) const;
  At find(const Wanted& wanted) const;
  Leaf* make_leaf();
  std::size_t split(std::size_t at, const Entry& added, const Wanted& wanted);
  void* take_room();
  void give_room(void* room);

  const KeyComparator& compare_;
  std::vector<Top> leaves_;
  std::size_t last_ = 0;       // the leaf of the last write
  std::uint64_t changes_ = 0;  // number of writes
  // The memory of walks. RocksDB thinks it its own, and destroys some walks without giving it back;
  // those of another thread may be in the middle of that.
  struct Room {
    std::thread::id of;
    void* room;
  };
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::byte[]>> rooms_;
  std::vector<Room> free_rooms_;
};

class LeafMemtable::Walk : public rocksdb::MemTableRep::Iterator {
 public:
  explicit Walk(LeafMemtable& rows) : rows_(rows) {}
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  static void* operator new(std::size_t, void* room) { return room; }
  // Its memory is not of the heap: see give_room().
  static void operator delete(void*) {}  // NOLINT(misc-new-delete-overloads): new has a place

  bool Valid() const override { return key_ != nullptr; }
  const char* key() const override { return key_; }
  void Next() override {
    find_again();
    ++at_.entry;
    load();
  }
  void Prev() override {
    find_again();
    if (at_.entry == 0 && at_.leaf == 0) {
      key_ = nullptr;
      return;
    }
    if (at_.entry == 0) at_ = {at_.leaf - 1, rows_.leaves_[at_.leaf - 1].leaf->size};
    --at_.entry;
    load();
  }
  void Seek(const Slice& internal, const char* encoded) override {
    go_to(Wanted(encoded == nullptr ? internal : rows_.compare_.decode_key(encoded)));
  }
  void SeekForPrev(const Slice& internal, const char* encoded) override {
    const Wanted wanted(encoded == nullptr ? internal : rows_.compare_.decode_key(encoded));
    go_to(wanted);
    if (!Valid()) return SeekToLast();
    if (rows_.compare_(key_, wanted.key) > 0) Prev();
  }
  void SeekToFirst() override {
    changes_ = rows_.changes_;
    at_ = {};
    load();
  }
  void SeekToLast() override {
    changes_ = rows_.changes_;
    if (rows_.leaves_.empty()) return load();
    at_ = {rows_.leaves_.size() - 1, rows_.leaves_.back().leaf->size - 1};
    load();
  }

 private:
  void go_to(const Wanted& wanted) {
    changes_ = rows_.changes_;
    at_ = rows_.find(wanted);
    load();
  }
  // Finds out where its entry stands now.
  void find_again() {
    if (changes_ != rows_.changes_) go_to(Wanted(rows_.compare_.decode_key(key_)));
  }
  // Behind the last entry of a leaf is the first of the next.
  void load() {
    key_ = nullptr;
    if (at_.leaf < rows_.leaves_.size() && at_.entry == rows_.leaves_[at_.leaf].leaf->size)
      at_ = {at_.leaf + 1, 0};
    if (at_.leaf >= rows_.leaves_.size()) return;
    const Leaf& leaf = *rows_.leaves_[at_.leaf].leaf;
    key_ = leaf.entries[at_.entry].key;
    if (at_.entry + kAhead < leaf.size) __builtin_prefetch(leaf.entries[at_.entry + kAhead].key);
  }

 protected:
  LeafMemtable& rows_;

 private:
  At at_;
  std::uint64_t changes_ = 0;
  const char* key_ = nullptr;
};

// A walk that goes on while others do.
class LeafMemtable::KeptWalk : public Walk {
 public:
  using Walk::Walk;
  ~KeptWalk() override { rows_.give_room(this); }
  KeptWalk(const KeptWalk&) = delete;
  KeptWalk& operator=(const KeptWalk&) = delete;
};

// The last leaf that begins no later than the key, or the first of all.
std::size_t LeafMemtable::leaf_of(const Wanted& wanted) const {
  const auto behind = std::partition_point(leaves_.begin(), leaves_.end(), [&](const Top& top) {
    return order(top.first, wanted) <= 0;
  });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind - leaves_.begin() - 1, 0));
}

// The first entry that is not before the key.
std::uint32_t LeafMemtable::entry_of(const Leaf& leaf, const Wanted& wanted) const {
  const auto* const begin = leaf.entries.data();
  const auto* const at = std::partition_point(
      begin, begin + leaf.size, [&](const Entry& entry) { return order(entry, wanted) < 0; });
  return static_cast<std::uint32_t>(at - begin);
}

LeafMemtable::At LeafMemtable::find(const Wanted& wanted) const {
  if (leaves_.empty()) return {};
  const std::size_t leaf = leaf_of(wanted);
  return {leaf, entry_of(*leaves_[leaf].leaf, wanted)};
}

bool LeafMemtable::Contains(const char* key) const {
  const Wanted wanted(compare_.decode_key(key));
  const At at = find(wanted);
  return at.leaf < leaves_.size() && at.entry < leaves_[at.leaf].leaf->size &&
         order(leaves_[at.leaf].leaf->entries[at.entry], wanted) == 0;
}

// The leaf is in RocksDB's memory, which goes with the memtable and is counted.
LeafMemtable::Leaf* LeafMemtable::make_leaf() {
  char* bytes = nullptr;
  std::size_t size = sizeof(Leaf) + alignof(Leaf);
  Allocate(size, &bytes);
  void* aligned = bytes;
  std::align(alignof(Leaf), sizeof(Leaf), aligned, size);
  return new (aligned) Leaf;
}

// Moves half of a full leaf to a new one behind it; nothing, where the key comes behind all others,
// as each does where they come in order. Returns the leaf that the key belongs to.
std::size_t LeafMemtable::split(std::size_t at, const Entry& added, const Wanted& wanted) {
  Leaf& left = *leaves_[at].leaf;
  const bool behind_all = at + 1 == leaves_.size() && order(left.entries[kMost - 1], wanted) < 0;
  const std::uint32_t kept = behind_all ? kMost : kMost / 2;
  Leaf* const right = make_leaf();
  leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                 Top{behind_all ? added : left.entries[kept], right});
  std::copy(left.entries.begin() + kept, left.entries.end(), right->entries.begin());
  right->size = kMost - kept;
  left.size = kept;
  return order(leaves_[at + 1].first, wanted) <= 0 ? at + 1 : at;
}

void LeafMemtable::Insert(rocksdb::KeyHandle handle) {
  const char* const key = static_cast<const char*>(handle);
  const Wanted wanted(compare_.decode_key(key));
  const Entry added{wanted.prefix, key};
  ++changes_;
  if (leaves_.empty()) leaves_.push_back({added, make_leaf()});
  if (!is_of(last_, wanted)) last_ = leaf_of(wanted);
  if (leaves_[last_].leaf->size == kMost) last_ = split(last_, added, wanted);
  Leaf& leaf = *leaves_[last_].leaf;
  const std::uint32_t at = entry_of(leaf, wanted);
  std::copy_backward(leaf.entries.begin() + at, leaf.entries.begin() + leaf.size,
                     leaf.entries.begin() + leaf.size + 1);
  leaf.entries[at] = added;
  ++leaf.size;
  if (at == 0) leaves_[last_].first = added;
}

rocksdb::MemTableRep::Iterator* LeafMemtable::GetIterator(rocksdb::Arena*) {
  return new (take_room()) KeptWalk(*this);
}

// The walk of a lookup. It ends before the next one of its thread begins, and RocksDB never
// destroys it: with memory of its own, each lookup took as much more until the memtable was
// flushed.
rocksdb::MemTableRep::Iterator* LeafMemtable::GetDynamicPrefixIterator(rocksdb::Arena*) {
  alignas(Walk) thread_local std::array<std::byte, sizeof(Walk)> room;
  return new (room.data()) Walk(*this);
}

void* LeafMemtable::take_room() {
  const std::lock_guard lock(mutex_);
  const std::thread::id own = std::this_thread::get_id();
  const auto at = std::find_if(free_rooms_.begin(), free_rooms_.end(),
                               [own](const Room& room) { return room.of == own; });
  if (at != free_rooms_.end()) {
    void* const room = at->room;
    *at = free_rooms_.back();
    free_rooms_.pop_back();
    return room;
  }
  free_rooms_.reserve(rooms_.size() + 1);  // so that giving one back does not fail
  return rooms_.emplace_back(std::make_unique<std::byte[]>(sizeof(KeptWalk))).get();
}

void LeafMemtable::give_room(void* room) {
  const std::lock_guard lock(mutex_);
  free_rooms_.push_back({std::this_thread::get_id(), room});
}

class LeafMemtables : public rocksdb::MemTableRepFactory {
 public:
  using MemTableRepFactory::CreateMemTableRep;
  rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator& compare,
                                          rocksdb::Allocator* memory,
                                          const rocksdb::SliceTransform*,
                                          rocksdb::Logger*) override {
    return new LeafMemtable(compare, memory);
  }
  const char* Name() const override { return "spinneret.LeafMemtables"; }
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> make_leaf_memtables() {
  return std::make_shared<LeafMemtables>();
}

}  // namespace spinneret::frontier
