// SPDX-License-Identifier: Apache-2.0
// Decides, when a pipeline has died, after which pause it is restarted, and when it is not
// restarted any more. Also decides whether it may have died at its start.
//
//   lives.begin(now);
//   if (lives.may_send(now)) ...
//   lives.note_result();
//   ...
//   if (lives.die(now, guilty).give_up) ...
//
// The first death causes no pause. Among quick deaths in a row, each after less than ten seconds,
// the pause doubles from 100 ms to 6.4 s. The fifth death without a result in between is the last
// one. Deaths whose guilty URL was found do not count, since that URL is not sent again; but
// after four of these in a row the others count, too. No I/O.
//
// A stage that is missing a file, or gets no memory, ends at its start, whatever was sent
// meanwhile. Therefore, if a pipeline has died without a result in a run that had some, the next
// pipeline gets nothing in its first two seconds: if it dies then, nothing is in flight, and no
// page is blamed.
#ifndef SPINNERET_LOOP_LIVES_H_
#define SPINNERET_LOOP_LIVES_H_

#include <cstdint>

namespace spinneret::loop {

class Lives {
 public:
  struct After {
    bool give_up = false;
    int deaths = 0;             // in a row
    std::int64_t pause_ms = 0;  // pause before the restart
  };

  void begin(std::int64_t now_ms);
  // Notes that a result came back, which proves that the pipeline works.
  void note_result();
  // Whether the current pipeline had time to start, but has given no result yet: if it dies now,
  // its start is not the cause.
  bool fresh(std::int64_t now_ms) const { return !passed_ && has_started(now_ms); }
  // Whether URLs may be sent to the current pipeline.
  bool may_send(std::int64_t now_ms) const { return !on_trial_ || has_started(now_ms); }
  // Notes the pipeline's death. `guilty` says that the URL that killed it was found.
  After die(std::int64_t now_ms, bool guilty);
  bool may_begin(std::int64_t now_ms) const { return now_ms >= begin_at_ms_; }

 private:
  bool has_started(std::int64_t now_ms) const;

  std::int64_t begun_ms_ = 0, begin_at_ms_ = 0;
  int quick_deaths_ = 0;  // in a row, each after a short life
  int deaths_ = 0;        // in a row, without a result between them
  int blames_ = 0;        // likewise, those for which a guilty URL was found
  // Whether the current pipeline has given a result; whether any has.
  bool passed_ = false;
  bool ever_passed_ = false;
  bool on_trial_ = false;  // whether the last one died without a result, for unknown cause
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_LIVES_H_
