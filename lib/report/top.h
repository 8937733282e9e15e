// SPDX-License-Identifier: Apache-2.0
// The N greatest of many entries, kept in a heap of N.
//
//   Top<Page> largest(20);
//   if (largest.would_take(size)) largest.add(size, Page{...});
//   for (const auto& [size, page] : largest.sorted()) ...   // greatest first, equal ones in order
#ifndef SPINNERET_REPORT_TOP_H_
#define SPINNERET_REPORT_TOP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace spinneret::report {

template <typename T>
class Top {
 public:
  explicit Top(std::size_t most) : most_(most) {}

  bool would_take(std::uint64_t key) const {
    return entries_.size() < most_ || key > entries_.front().key;
  }
  void add(std::uint64_t key, T value) {
    if (!would_take(key)) return;
    if (entries_.size() == most_) {
      std::pop_heap(entries_.begin(), entries_.end(), before);
      entries_.pop_back();
    }
    entries_.push_back({key, next_++, std::move(value)});
    std::push_heap(entries_.begin(), entries_.end(), before);
  }
  std::vector<std::pair<std::uint64_t, T>> sorted() const {
    std::vector<Entry> copy = entries_;
    std::sort(copy.begin(), copy.end(), before);
    std::vector<std::pair<std::uint64_t, T>> out;
    out.reserve(copy.size());
    for (Entry& entry : copy) out.emplace_back(entry.key, std::move(entry.value));
    return out;
  }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint64_t arrival;
    T value;
  };
  // The heap's front is the least entry; of equal ones, the last that was added.
  static bool before(const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key > b.key : a.arrival < b.arrival;
  }

  std::size_t most_;
  std::uint64_t next_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_TOP_H_
