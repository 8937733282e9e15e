// SPDX-License-Identifier: Apache-2.0
// Says when what is in flight may be taken for lost: when nothing has been heard for long enough, and when it was not we
// who were held up.
//
//   call         | when                                     | effect
//   -------------+------------------------------------------+-------------------------------------------------------
//   hear()       | a line has come in, or one has gone out  | the silence begins anew
//   is_quiet()   |                                          | whether the silence has lasted for quiet_ms
//   take_look()  | in each turn                             | true once a second: leases are to be looked at
//   forgive()    | after work that may have blocked         | if it took half a second or more, the silence begins anew,
//                |                                          | and the next look comes after quiet_ms: results may have
//                |                                          | been lying in the pipe meanwhile
//
// No I/O: the caller says what time it is, in milliseconds of the monotonic clock.
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
  // Returns true if it is time for a look. The look counts as taken by that.
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
