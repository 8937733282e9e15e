// SPDX-License-Identifier: Apache-2.0
#include "dedupe/blocked_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace spinneret::dedupe {
namespace {

constexpr double kBlockBits = 512;

}  // namespace

BlockedFilter::BlockedFilter(std::uint64_t bytes, unsigned probes)
    : pool_(4096),
      blocks_(std::max<std::uint64_t>(bytes / kBlockBytes, 1)),
      probes_(std::clamp(probes, 1U, 16U)),
      words_(static_cast<std::uint64_t*>(pool_.take_large(blocks_ * kBlockBytes))) {}

bool BlockedFilter::insert(std::uint64_t high, std::uint64_t low) {
  std::uint64_t* const words = block(high);
  std::uint64_t missing = 0;
  for_each_probe(low, probes_, [&](std::uint32_t word, std::uint64_t mask) {
    missing |= ~words[word] & mask;
    words[word] |= mask;
    return true;
  });
  return missing != 0;
}

double BlockedFilter::false_rate() const {
  double sum = 0;
  for (std::uint64_t i = 0; i < blocks_; ++i) {
    int bits = 0;
    for (std::uint64_t word = 0; word < 8; ++word) bits += std::popcount(words_[i * 8 + word]);
    sum += std::pow(bits / kBlockBits, probes_);
  }
  return sum / static_cast<double>(blocks_);
}

namespace {

// The value of false_rate() to expect with `keys` keys in `bytes`.
double expected_rate(std::uint64_t bytes, unsigned probes, double keys) {
  const std::uint64_t whole_blocks = bytes / 64;
  const double blocks = std::max(1.0, static_cast<double>(whole_blocks));
  const double mean = keys / blocks;
  // The number of keys in a block has a Poisson distribution; nothing is left beyond ten
  // deviations.
  const double spread = 10 * std::sqrt(mean) + 10;
  const auto last = static_cast<unsigned>(mean + spread);
  double rate = 0;
  for (auto n = static_cast<unsigned>(std::max(0.0, mean - spread)); n <= last; ++n) {
    const double weight =
        std::exp(n * std::log(std::max(mean, 1e-300)) - mean - std::lgamma(n + 1.0));
    const double full = 1 - std::pow(1 - 1 / kBlockBits, static_cast<double>(n) * probes);
    rate += weight * std::pow(full, probes);
  }
  return rate;
}

}  // namespace

FilterPlan plan_filter(std::uint64_t bytes, double rate) {
  FilterPlan best;
  for (unsigned probes = 1; probes <= 16; ++probes) {
    double low = 0;
    double high = static_cast<double>(bytes) * 8;
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (expected_rate(bytes, probes, middle) <= rate ? low : high) = middle;
    }
    if (static_cast<std::uint64_t>(low) > best.capacity) {
      best = {probes, static_cast<std::uint64_t>(low)};
    }
  }
  return best;
}

}  // namespace spinneret::dedupe
