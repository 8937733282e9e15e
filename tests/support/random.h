// SPDX-License-Identifier: Apache-2.0
// Random numbers for tests and benchmarks, the same for the same seed on every machine: splitmix64
// (Steele, Lea, Flood 2014).
#ifndef SPINNERET_TESTS_SUPPORT_RANDOM_H_
#define SPINNERET_TESTS_SUPPORT_RANDOM_H_

#include <cstdint>

namespace spinneret::support {

constexpr std::uint64_t kSplitMixStep = 0x9E3779B97F4A7C15;

// Maps each number to another that looks random.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += kSplitMixStep;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : state_(seed) {}
  std::uint64_t next() {
    const std::uint64_t at = state_;
    state_ += kSplitMixStep;
    return mixed(at);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  // Returns a number between both ends, which may be among them.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  // Returns a number in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace spinneret::support

#endif  // SPINNERET_TESTS_SUPPORT_RANDOM_H_
