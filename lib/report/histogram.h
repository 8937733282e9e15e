// SPDX-License-Identifier: Apache-2.0
// The distribution of values, for percentiles: exact up to 63, then with 32 steps to each doubling
// (at most 3 % off). Takes 15 KB, whatever the values.
#ifndef SPINNERET_REPORT_HISTOGRAM_H_
#define SPINNERET_REPORT_HISTOGRAM_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace spinneret::report {

class Histogram {
 public:
  void add(std::uint64_t value) {
    ++counts_[index_of(value)];
    ++count_;
    greatest_ = value > greatest_ ? value : greatest_;
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t greatest() const { return greatest_; }

  // Returns the value that `percent` of all values do not exceed; 0 if there are no values.
  std::uint64_t percentile(double percent) const {
    const double wanted = static_cast<double>(count_) * percent / 100;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen != 0 && static_cast<double>(seen) >= wanted)
        return top_of(i) < greatest_ ? top_of(i) : greatest_;
    }
    return greatest_;
  }

 private:
  // Returns the index of a value: below 64 the value itself, otherwise 32 * (number of the
  // doubling) + the five bits below its highest bit.
  static constexpr std::size_t kSteps = 32;
  static std::size_t index_of(std::uint64_t value) {
    if (value < 2 * kSteps) return static_cast<std::size_t>(value);
    const auto shift = static_cast<std::size_t>(std::bit_width(value)) - 6;
    return shift * kSteps + static_cast<std::size_t>(value >> shift);
  }
  // Returns the greatest value with that index.
  static std::uint64_t top_of(std::size_t index) {
    if (index < 2 * kSteps) return index;
    const std::size_t shift = index / kSteps - 1;
    return ((std::uint64_t{index % kSteps + kSteps} + 1) << shift) - 1;
  }

  std::array<std::uint64_t, kSteps* 60> counts_ = {};
  std::uint64_t count_ = 0;
  std::uint64_t greatest_ = 0;
};

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_HISTOGRAM_H_
