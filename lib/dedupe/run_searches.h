// SPDX-License-Identifier: Apache-2.0
// The searches of a batch of keys in sorted runs.
//
//   RunSearches<Fingerprint128> searches;
//   Status status = searches.search_batch(keys, fresh, sights_of,
//                                         [&](std::size_t i) { fresh[i] = false; });
#ifndef SPINNERET_DEDUPE_RUN_SEARCHES_H_
#define SPINNERET_DEDUPE_RUN_SEARCHES_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "dedupe/sorted_run.h"

namespace spinneret::dedupe {

// Searches for a batch of keys together: the disk is asked for all pages that the page cache lacks
// before the first of them is waited for.
template <typename F>
class RunSearches {
 public:
  void clear() { searches_.clear(); }
  bool empty() const { return searches_.empty(); }
  // Calls found(i) for each keys[i] with fresh[i] that is in one of the runs of sights_of(keys[i]),
  // a list of SortedRun::Sight.
  template <typename SightsOf>
  Status search_batch(std::span<const F> keys, const bool* fresh, const SightsOf& sights_of,
                      const std::function<void(std::size_t index)>& found) {
    // The filters' cache lines of so many keys fit the first-level cache.
    constexpr std::size_t kAhead = 16;
    clear();
    for (std::size_t first = 0; first < keys.size(); first += kAhead) {
      const std::size_t end = std::min(first + kAhead, keys.size());
      for (std::size_t i = first; i < end; ++i) {
        if (!fresh[i]) continue;
        for (const auto& sight : sights_of(keys[i])) sight.prefetch(keys[i]);
      }
      for (std::size_t i = first; i < end; ++i) {
        if (!fresh[i]) continue;
        for (const auto& sight : sights_of(keys[i])) {
          if (sight.may_contain(keys[i])) add(sight.run(), keys[i], i);
        }
      }
    }
    return empty() ? Status() : search(found);
  }
  // search() passes `index` to its callback if the run has the key. The run must not change until
  // then.
  void add(const SortedRun<F>& run, const F& key, std::size_t index) {
    const auto stretch = run.stretch_of(key);
    searches_.push_back({&run, key, index, stretch, run.part_of(key, stretch), 0, nullptr});
  }
  Status search(const std::function<void(std::size_t index)>& found);

 private:
  struct Search {
    const SortedRun<F>* run;
    F key;
    std::size_t index;
    typename SortedRun<F>::Stretch stretch;
    typename SortedRun<F>::Stretch part;  // the part of the stretch that is read
    std::size_t at;                       // where the part is in buffer_
    const F* keys;                        // the keys of the part, in buffer_ or held by the run
  };
  Status read_at_once(Search& search);
  Status read(Search& search);
  Status take(Search& search);
  Status search_some(std::span<Search> searches, const std::function<void(std::size_t)>& found);
  std::vector<Search> searches_;
  std::vector<F> buffer_;
  unsigned missed_ = 0;  // reads in a row that the page cache did not have
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_RUN_SEARCHES_H_
