// SPDX-License-Identifier: Apache-2.0
// Keeps keys in a filter of fixed size: some fresh keys are taken for seen, at a known rate.
#ifndef SPINNERET_DEDUPE_FILTER_SET_H_
#define SPINNERET_DEDUPE_FILTER_SET_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dedupe/blocked_filter.h"
#include "dedupe/seen_set.h"

namespace spinneret::dedupe {

class FilterSet : public SeenSet {
 public:
  // Makes a filter of `memory` bytes, arranged to hold as many keys as possible before the rate of
  // false positives exceeds `rate`.
  FilterSet(std::uint64_t memory, double rate, std::uint64_t seed, KeyHash hash);
  Status insert_batch(std::span<const std::string_view> keys, bool* fresh) override;
  Status find_batch(std::span<const std::string_view> keys, bool* fresh) override;
  std::uint64_t size() const override { return size_; }
  std::uint64_t bytes() const override { return filter_.bytes(); }
  // Tells how many keys the filter has, and its rate of false positives.
  std::string report() const override;

 private:
  FilterPlan plan_;
  BlockedFilter filter_;
  double rate_;
  std::uint64_t seed_;
  KeyHash hash_;
  std::uint64_t size_ = 0;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_FILTER_SET_H_
