// SPDX-License-Identifier: Apache-2.0
// The lives of a pipeline: when one that has died is started anew, and when no more.
//
//   lives.begin(now);  lives.note_result();  ...  if (lives.die(now, guilty).give_up) ...
//
// A first death costs no pause. In a row of quick ones, each after less than ten seconds, the pause doubles from 100 ms to 6.4 s.
// The fifth without a result between them is the last, but for those whose cause was found: a guilty URL is out of the way. Not
// all of them can be: five in a row count again. Pure.
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
  // Something has come back that shows that the pipeline works.
  void note_result();
  // Whether nothing has passed the present one.
  bool fresh() const { return !passed_; }
  // It has died; `guilty`: a URL was found that it died of.
  After die(std::int64_t now_ms, bool guilty);
  bool may_begin(std::int64_t now_ms) const { return now_ms >= begin_at_ms_; }

 private:
  std::int64_t begun_ms_ = 0, begin_at_ms_ = 0;
  int quick_deaths_ = 0;  // in a row, each after a short life
  int deaths_ = 0;        // in a row, without a result between them
  int blames_ = 0;        // likewise: those for which a URL was found guilty
  bool passed_ = false;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_LIVES_H_
