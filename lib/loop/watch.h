// SPDX-License-Identifier: Apache-2.0
// When what is in flight may be taken for lost: once nothing has been heard for long enough, and not because we were held up
// ourselves.
//
//   hear()  --- quiet_ms ---> is_quiet()                  a line has come in, or something has gone out
//   take_look() ... a second ... take_look() ...          how often leases are looked at
//   forgive(): what had begun before half a second, or more, has held us up: both begin anew, the looks after quiet_ms only,
//              for results have been lying in the pipe meanwhile
//
// Pure: it is told the time, in milliseconds of the monotonic clock.
#ifndef SPINNERET_LOOP_WATCH_H_
#define SPINNERET_LOOP_WATCH_H_

#include <cstdint>

namespace spinneret::loop {

class Watch {
 public:
  explicit Watch(std::int64_t quiet_ms) : quiet_ms_(quiet_ms) {}

  void begin(std::int64_t now_ms) { heard_ms_ = looked_ms_ = now_ms; }
  void hear(std::int64_t now_ms) { heard_ms_ = now_ms; }
  void forgive(std::int64_t since_ms, std::int64_t now_ms) {
    if (now_ms - since_ms < kStallMs) return;
    heard_ms_ = now_ms;
    looked_ms_ = now_ms + quiet_ms_;
  }
  // True: it is time for a look, which has been taken by this.
  bool take_look(std::int64_t now_ms) {
    if (now_ms - looked_ms_ < kLookMs) return false;
    looked_ms_ = now_ms;
    return true;
  }
  bool is_quiet(std::int64_t now_ms) const { return now_ms - heard_ms_ >= quiet_ms_; }

 private:
  static constexpr std::int64_t kStallMs = 500;
  static constexpr std::int64_t kLookMs = 1000;

  std::int64_t quiet_ms_;
  std::int64_t heard_ms_ = 0;
  std::int64_t looked_ms_ = 0;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_WATCH_H_
