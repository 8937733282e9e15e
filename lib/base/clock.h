// SPDX-License-Identifier: Apache-2.0
// Time as an interface, so that tests can set it and never have to sleep. Measure gaps with
// monotonic_ns(); store and show unix_ms().
#ifndef SPINNERET_BASE_CLOCK_H_
#define SPINNERET_BASE_CLOCK_H_

#include <cstdint>
#include <string>

namespace spinneret {

class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since some fixed moment of this boot; never goes back.
  virtual std::int64_t monotonic_ns() const = 0;
  // Milliseconds since 1970-01-01T00:00:00Z, by the wall clock; may jump.
  virtual std::int64_t unix_ms() const = 0;
  // Nanoseconds since this boot, including the time that the machine was suspended. All processes
  // of one boot share this clock.
  virtual std::int64_t boot_ns() const { return monotonic_ns(); }
  // Names this boot. Where it is empty this boot cannot be told from others, and a boot_ns() that
  // another run has stored means nothing.
  virtual std::string boot_id() const { return {}; }
};

// The machine's clocks. Thread-safe; never destroyed.
const Clock& system_clock();

// A clock that moves only when a test moves it. Not thread-safe.
class FakeClock : public Clock {
 public:
  explicit FakeClock(std::int64_t unix_ms = 1'700'000'000'000) : unix_ms_(unix_ms) {}
  // Begins at the times that another clock shows.
  explicit FakeClock(const Clock& from)
      : monotonic_ns_(from.monotonic_ns()),
        unix_ms_(from.unix_ms()),
        asleep_ns_(from.boot_ns() - from.monotonic_ns()),
        boot_id_(from.boot_id()) {}
  std::int64_t monotonic_ns() const override { return monotonic_ns_; }
  std::int64_t unix_ms() const override { return unix_ms_; }
  std::int64_t boot_ns() const override { return monotonic_ns_ + asleep_ns_; }
  std::string boot_id() const override { return boot_id_; }
  // Moves both clocks on by `ms`.
  void advance_ms(std::int64_t ms) {
    monotonic_ns_ += ms * 1'000'000;
    unix_ms_ += ms;
  }
  // Moves the clocks that count from the boot on by less than a millisecond, which the wall clock
  // does not show.
  void advance_ns(std::int64_t ns) { monotonic_ns_ += ns; }
  // Moves the wall clock alone, as when an administrator sets it.
  void jump_wall_ms(std::int64_t ms) { unix_ms_ += ms; }
  // Simulates another boot, or another machine: from here on only the wall clock tells how much
  // time has passed.
  void reboot(const std::string& id) {
    boot_id_ = id;
    asleep_ns_ = 0;
    monotonic_ns_ = 1'000'000'000;
  }

 private:
  std::int64_t monotonic_ns_ = 1'000'000'000;
  std::int64_t unix_ms_;
  std::int64_t asleep_ns_ = 0;
  std::string boot_id_ = "boot";
};

}  // namespace spinneret

#endif  // SPINNERET_BASE_CLOCK_H_
