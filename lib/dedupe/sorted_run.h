// SPDX-License-Identifier: Apache-2.0
// Fingerprints on disk in ascending order, to be searched and merged: what a full table becomes.
//
// In memory a run keeps the first key of every page (4 KiB), so that a search reads one page.
#ifndef SPINNERET_DEDUPE_SORTED_RUN_H_
#define SPINNERET_DEDUPE_SORTED_RUN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "dedupe/fingerprint.h"

namespace spinneret {

template <typename F>
class SortedRun {
 public:
  using Visit = std::function<void(const F&)>;
  // Writes what `each` visits, which ascends; an equal neighbour is written once.
  static Result<SortedRun> write(const std::string& folder,
                                 const std::function<Status(const Visit&)>& each);
  static Result<SortedRun> merge(const std::string& folder, std::vector<SortedRun> runs);

  // Whether the key is in the run. Reads a page, where its bounds do not tell.
  Status contains(const F& key, bool& found) const;
  // All keys in order.
  Status for_each(const Visit& visit) const;

  std::uint64_t size() const { return size_; }
  std::uint64_t memory() const { return fences_.capacity() * sizeof(F); }

 private:
  static constexpr std::uint64_t kPageKeys = 4096 / sizeof(F);
  class Cursor;

  Fd file_;
  std::uint64_t size_ = 0;
  std::vector<F> fences_;  // fences_[i]: key number i * kPageKeys
};

}  // namespace spinneret

#endif  // SPINNERET_DEDUPE_SORTED_RUN_H_
