// SPDX-License-Identifier: Apache-2.0
// The rows of a table in memory in the order of their keys: leaves of at most 128 entries, one
// behind the other. An entry has the first 16 bytes of its key as two numbers, which is the whole
// of most keys. So a search compares what lies side by side, and waits for two or three rows of
// memory; in a tree of a million nodes it waits for some twenty.
//
//   leaves   [first entry | entries ...] [first entry | entries ...] ...        none is empty
//
// Borrows the rows: each stays where it is, with its key, while it stands here. Not thread-safe.
#ifndef SPINNERET_FRONTIER_SORTED_ROWS_H_
#define SPINNERET_FRONTIER_SORTED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spinneret::frontier {

class SortedRows {
 public:
  using Row = std::pair<std::pmr::string, std::pmr::string>;  // key and value

  explicit SortedRows(std::pmr::memory_resource* memory) : memory_(memory), leaves_(memory) {}
  SortedRows(const SortedRows&) = delete;
  SortedRows& operator=(const SortedRows&) = delete;

  // Inserts a row whose key no other one has.
  void insert(const Row& row);
  // Removes a row that stands here.
  void erase(const Row& row);

  // A place among the rows, until the next change.
  struct At {
    std::size_t leaf, entry;
  };
  // The first row whose key is not before `key`.
  At lower_bound(std::string_view key) const;
  At end() const { return {leaves_.size(), 0}; }
  bool is_end(At at) const { return at.leaf == leaves_.size(); }
  At next(At at) const;
  const Row& row(At at) const { return *leaves_[at.leaf].entries[at.entry].row; }

 private:
  static constexpr std::size_t kMost = 128;

  struct Entry {
    std::uint64_t high, low;  // first 16 bytes of the key
    const Row* row;
  };
  struct Leaf {
    Entry first;
    std::pmr::vector<Entry> entries;
  };
  // The key to look for, which need not be that of a row.
  struct Wanted {
    explicit Wanted(std::string_view key);
    std::uint64_t high, low;
    std::string_view key;
  };
  static bool is_before(const Entry& entry, const Wanted& wanted);
  static bool is_of(const Entry& entry, const Wanted& wanted);
  // The last leaf that begins no later than the key, or the first leaf.
  std::size_t leaf_of(const Wanted& wanted) const;
  static std::size_t entry_of(const Leaf& leaf, const Wanted& wanted);
  void split(std::size_t leaf);

  std::pmr::memory_resource* memory_;
  std::pmr::vector<Leaf> leaves_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_SORTED_ROWS_H_
