// SPDX-License-Identifier: Apache-2.0
// Random bits that a seed reproduces, for jitter and draws: a test must see the same run twice.
#ifndef SPINNERET_FRONTIER_RANDOM_H_
#define SPINNERET_FRONTIER_RANDOM_H_

#include <cstdint>

namespace spinneret::frontier {

// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_RANDOM_H_
