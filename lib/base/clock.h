// SPDX-License-Identifier: Apache-2.0
// Time as an interface, so that tests set it and nothing sleeps for luck.
// Gaps are measured with monotonic_ns(); times that are stored or shown are unix_ms().
#ifndef SPINNERET_BASE_CLOCK_H_
#define SPINNERET_BASE_CLOCK_H_

#include <cstdint>

namespace spinneret {

class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since some fixed moment of this boot; never goes back.
  virtual std::int64_t monotonic_ns() const = 0;
  // Milliseconds since 1970-01-01T00:00:00Z, by the wall clock; may jump.
  virtual std::int64_t unix_ms() const = 0;
};

// The machine's clocks. Thread-safe; lives for ever.
const Clock& system_clock();

// Stands still until told otherwise. Not thread-safe.
class FakeClock : public Clock {
 public:
  explicit FakeClock(std::int64_t unix_ms = 1'700'000'000'000) : unix_ms_(unix_ms) {}
  std::int64_t monotonic_ns() const override { return monotonic_ns_; }
  std::int64_t unix_ms() const override { return unix_ms_; }
  // Both clocks go on by `ms`.
  void advance_ms(std::int64_t ms) {
    monotonic_ns_ += ms * 1'000'000;
    unix_ms_ += ms;
  }
  // The wall clock alone jumps, as when an administrator sets it.
  void jump_wall_ms(std::int64_t ms) { unix_ms_ += ms; }

 private:
  std::int64_t monotonic_ns_ = 1'000'000'000;
  std::int64_t unix_ms_;
};

}  // namespace spinneret

#endif  // SPINNERET_BASE_CLOCK_H_
