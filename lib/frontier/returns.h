// SPDX-License-Identifier: Apache-2.0
// How what is in flight ends: with a result, or with none. The first line that holds:
//
//   a result of ...                              its host                    what becomes of it             verdict
//   nothing in flight                            -                           nothing                        kStranger
//   anything, `aborted`                          -                           stays in flight, marked        kPassing
//   a robots.txt                                 learns of it (answers.h)    the gate has its word          kPassing
//   a page that needs rules                      likewise                    waits for them                 kPassing
//   ... which cannot be had                      likewise                    has failed, and is given up    kPassing
//   a page that the gate holds back              likewise                    waits, or is put off           kPassing, kPutOff
//   a page                                       likewise                    as visits.h has it             its word
//
//   without a result ...                         then
//   its lease has ended, nothing can come        lost: as if `aborted` were its outcome, which is one of its tries
//   the pipeline died of it alone, a suspect     lost likewise; of a robots.txt it costs its host patience
//
// What is given up has no record that could be shown: it is kept until somebody takes it.
//
// Borrowed: all that it is made of. Not thread-safe. Cost: that of its rooms.
#ifndef SPINNERET_FRONTIER_RETURNS_H_
#define SPINNERET_FRONTIER_RETURNS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/outcome.h"
#include "frontier/answers.h"
#include "frontier/dispatch.h"
#include "frontier/flights.h"
#include "frontier/gate.h"
#include "frontier/moment.h"
#include "frontier/statistics.h"
#include "frontier/suspects.h"
#include "frontier/timepiece.h"
#include "frontier/url_row.h"
#include "frontier/visits.h"

namespace spinneret::frontier {

class Returns {
 public:
  Returns(const Timepiece& time, Gate& gate, Flights& flights, Visits& visits, Suspects& suspects,
          const Answers& answers, Statistics& statistics)
      : time_(time),
        gate_(gate),
        flights_(flights),
        visits_(visits),
        suspects_(suspects),
        answers_(answers),
        statistics_(statistics) {}

  // Marks what is in flight by that name, or recalls it, if it was too late to be sent. False: nothing is.
  bool note_aborted(const Settled& result);
  // A result that is not `aborted`. `row`: of the page, where is_last_word().
  Verdict settle(const Settled& result, UrlRow& row);
  // What was sent by then is lost.
  void expire(std::int64_t sent_ms);
  // The pipeline has died of the only one in flight, for which it is guilty.
  void convict_only();

  // URLs that were given up without a result to show, and why.
  struct GivenUp {
    Dispatch page;  // as it went out, without validators
    std::string error;
    std::string via;
    Outcome outcome = Outcome::kAborted;
  };
  std::vector<GivenUp> take_given_up() { return std::exchange(given_up_, {}); }

 private:
  Verdict fail(const Flight& flight, Settled result, const Gate::Failed& why, const Moment& now,
               UrlRow& row);
  void lose(const std::string& key, Outcome outcome, std::string_view error);
  void give_up(const Settled& result, Outcome outcome, const UrlRow& row);

  const Timepiece& time_;
  Gate& gate_;
  Flights& flights_;
  Visits& visits_;
  Suspects& suspects_;
  Answers answers_;
  Statistics& statistics_;
  std::vector<GivenUp> given_up_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_RETURNS_H_
