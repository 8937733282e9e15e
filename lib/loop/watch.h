// SPDX-License-Identifier: Apache-2.0
// Tells when URLs in flight may be taken for lost: after a long enough silence of the pipeline that
// we did not cause ourselves.
//
//   call         | when                                | effect
//   -------------+-------------------------------------+------------------------------------------
//   hear()       | a line has come in, or one was sent | the silence starts again
//   is_quiet()   |                                     | whether the silence has lasted quiet_ms
//   take_look()  | in each turn                        | true once a second: time to check leases
//   forgive()    | after work that may have blocked    | if it took half a second or more, the
//                |                                     | silence starts again, and the next look
//                |                                     | comes after quiet_ms: results may have
//                |                                     | been in the pipe meanwhile
//
// No I/O: the caller passes the time, in milliseconds of the monotonic clock.
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
  // Returns true if it is time for a look, which then counts as taken.
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
