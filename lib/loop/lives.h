// SPDX-License-Identifier: Apache-2.0
// Decides, when a pipeline has died, after which pause it is started again, and when no more; and whether it may have
// died of its own start.
//
//   lives.begin(now);  if (lives.may_send(now)) ...  lives.note_result();  ...  if (lives.die(now, guilty).give_up) ...
//
// The first death causes no pause. Among quick deaths in a row, each after less than ten seconds, the pause doubles
// from 100 ms to 6.4 s. The fifth death without a result in between is the last one, except that deaths do not count
// whose cause was found, since the guilty URL is out of the way; but of these, too, five in a row are too many. No
// I/O.
//
// A stage whose file is away, or that gets no memory, ends at its start, whatever was sent meanwhile. So a pipeline that
// has died without a result, in a run that had some, is followed by one that gets nothing in its first two seconds:
// what dies then dies with nothing in flight, and no page bears the blame.
#ifndef SPINNERET_LOOP_LIVES_H_
#define SPINNERET_LOOP_LIVES_H_

#include <cstdint>

namespace spinneret::loop {

class Lives {
 public:
  struct After {
    bool give_up = false;
    int deaths = 0;             // in a row
    std::int64_t pause_ms = 0;  // before the next one is started
  };

  void begin(std::int64_t now_ms);
  // Notes that something came back, so that the pipeline works.
  void note_result();
  // Whether nothing has come out of the present pipeline yet, though it had time to start: whatever it dies of now is
  // no fault of its start.
  bool fresh(std::int64_t now_ms) const { return !passed_ && has_started(now_ms); }
  // Whether the present pipeline may be given something.
  bool may_send(std::int64_t now_ms) const { return !on_trial_ || has_started(now_ms); }
  // Notes its death. `guilty` says that the URL it died of was found.
  After die(std::int64_t now_ms, bool guilty);
  bool may_begin(std::int64_t now_ms) const { return now_ms >= begin_at_ms_; }

 private:
  bool has_started(std::int64_t now_ms) const;

  std::int64_t begun_ms_ = 0, begin_at_ms_ = 0;
  int quick_deaths_ = 0;  // in a row, each after a short life
  int deaths_ = 0;        // in a row, without a result between them
  int blames_ = 0;        // likewise: those for which a URL was found guilty
  bool passed_ = false;
  bool ever_passed_ = false;  // something has, one of them
  bool on_trial_ = false;     // the one before has died without a result, and nobody knows why
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_LIVES_H_
