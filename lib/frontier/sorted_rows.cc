// SPDX-License-Identifier: Apache-2.0
#include "frontier/sorted_rows.h"

#include <algorithm>

namespace spinneret::frontier {
namespace {

// Eight bytes of the key as a number that sorts as they do. Bytes behind its end count as zeros.
std::uint64_t eight_bytes(std::string_view key, std::size_t begin) {
  std::uint64_t number = 0;
  for (std::size_t at = begin; at < begin + 8; ++at)
    number = number << 8 | (at < key.size() ? static_cast<unsigned char>(key[at]) : 0U);
  return number;
}

}  // namespace

SortedRows::Wanted::Wanted(std::string_view text)
    : high(eight_bytes(text, 0)), low(eight_bytes(text, 8)), key(text) {}

bool SortedRows::is_before(const Entry& entry, const Wanted& wanted) {
  if (entry.high != wanted.high) return entry.high < wanted.high;
  if (entry.low != wanted.low) return entry.low < wanted.low;
  return std::string_view(entry.row->first) < wanted.key;
}

bool SortedRows::is_of(const Entry& entry, const Wanted& wanted) {
  return entry.high == wanted.high && entry.low == wanted.low &&
         std::string_view(entry.row->first) == wanted.key;
}

std::size_t SortedRows::leaf_of(const Wanted& wanted) const {
  // The first leaf that begins with the key itself, or behind it.
  const auto behind =
      std::partition_point(leaves_.begin(), leaves_.end(),
                           [&wanted](const Leaf& leaf) { return is_before(leaf.first, wanted); });
  const auto at = static_cast<std::size_t>(behind - leaves_.begin());
  return at == 0 || (behind != leaves_.end() && is_of(behind->first, wanted)) ? at : at - 1;
}

std::size_t SortedRows::entry_of(const Leaf& leaf, const Wanted& wanted) {
  const auto at =
      std::partition_point(leaf.entries.begin(), leaf.entries.end(),
                           [&wanted](const Entry& entry) { return is_before(entry, wanted); });
  return static_cast<std::size_t>(at - leaf.entries.begin());
}

void SortedRows::insert(const Row& row) {
  const Wanted wanted(row.first);
  const Entry entry{wanted.high, wanted.low, &row};
  if (leaves_.empty()) leaves_.push_back({entry, std::pmr::vector<Entry>(memory_)});
  const std::size_t at = leaf_of(wanted);
  Leaf& leaf = leaves_[at];
  leaf.entries.insert(leaf.entries.begin() + static_cast<std::ptrdiff_t>(entry_of(leaf, wanted)),
                      entry);
  leaf.first = leaf.entries.front();
  if (leaf.entries.size() == kMost) split(at);
}

void SortedRows::split(std::size_t leaf) {
  std::pmr::vector<Entry>& left = leaves_[leaf].entries;
  const auto half = left.begin() + kMost / 2;
  std::pmr::vector<Entry> right(memory_);
  right.reserve(kMost);
  right.assign(half, left.end());
  left.erase(half, left.end());
  const Entry first = right.front();
  leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(leaf) + 1,
                 Leaf{first, std::move(right)});
}

void SortedRows::erase(const Row& row) {
  const Wanted wanted(row.first);
  const std::size_t at = leaf_of(wanted);
  Leaf& leaf = leaves_[at];
  leaf.entries.erase(leaf.entries.begin() + static_cast<std::ptrdiff_t>(entry_of(leaf, wanted)));
  if (leaf.entries.empty()) {
    leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(at));
  } else {
    leaf.first = leaf.entries.front();
  }
}

SortedRows::At SortedRows::lower_bound(std::string_view key) const {
  if (leaves_.empty()) return end();
  const Wanted wanted(key);
  const std::size_t leaf = leaf_of(wanted);
  const std::size_t entry = entry_of(leaves_[leaf], wanted);
  return entry == leaves_[leaf].entries.size() ? At{leaf + 1, 0} : At{leaf, entry};
}

SortedRows::At SortedRows::next(At at) const {
  const bool last = at.entry + 1 == leaves_[at.leaf].entries.size();
  return last ? At{at.leaf + 1, 0} : At{at.leaf, at.entry + 1};
}

}  // namespace spinneret::frontier
