// SPDX-License-Identifier: Apache-2.0
// What is staged in a Store since its last commit: changes by table, their bytes in one arena.
//
//   staged.add(Table::kUrls, Staged::Kind::kPut, key, row);
//   staged.for_each(Table::kUrls,
//                   [&](Staged::Kind kind, std::string_view key, std::string_view value) { ... });
//   staged.clear();
//
// A table's changes are given in the order of their keys, and those of one key as they came. Views
// live until the next add() or clear(). Not thread-safe.
#ifndef SPINNERET_FRONTIER_STAGED_CHANGES_H_
#define SPINNERET_FRONTIER_STAGED_CHANGES_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/store.h"

namespace spinneret::frontier {

class Staged {
 public:
  enum class Kind : std::uint8_t { kPut, kErase, kEraseSingle };

  void add(Table table, Kind kind, std::string_view key, std::string_view value) {
    changes_[static_cast<std::size_t>(table)].push_back(
        {arena_.size(), static_cast<std::uint32_t>(key.size()),
         static_cast<std::uint32_t>(value.size()), kind});
    ++size_;
    arena_ += key;
    arena_ += value;
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return arena_.size(); }

  template <typename Each>
  void for_each(Table table, Each each) {
    std::vector<Change>& changes = changes_[static_cast<std::size_t>(table)];
    const auto by_key = [this](const Change& a, const Change& b) { return key_of(a) < key_of(b); };
    if (!std::is_sorted(changes.begin(), changes.end(), by_key))
      std::stable_sort(changes.begin(), changes.end(), by_key);
    for (const Change& change : changes) {
      const std::string_view value =
          std::string_view(arena_).substr(change.begin + change.key_size, change.value_size);
      each(change.kind, key_of(change), value);
    }
  }

  // `keep`: whether the memory is kept for the next batch, or given back.
  void clear(bool keep) {
    for (std::vector<Change>& changes : changes_) changes.clear();
    size_ = 0;
    arena_.clear();
    if (!keep) arena_.shrink_to_fit();
  }

 private:
  // Its key and then its value stand in arena_.
  struct Change {
    std::size_t begin;
    std::uint32_t key_size, value_size;
    Kind kind;
  };
  std::string_view key_of(const Change& change) const {
    return std::string_view(arena_).substr(change.begin, change.key_size);
  }

  std::array<std::vector<Change>, kTableCount> changes_;
  std::size_t size_ = 0;
  std::string arena_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_STAGED_CHANGES_H_
