// SPDX-License-Identifier: Apache-2.0
// How flights end: with a result, or without one. The first line that holds counts:
//
//   a result of                   its host    what becomes of it           verdict
//   nothing in flight             -           nothing                      kStranger
//   anything, `aborted`           -           stays in flight, marked      kPassing
//   a robots.txt                  answers.h   the gate is told             kPassing
//   a page that needs rules       answers.h   waits for them               kPassing
//   ... which are unavailable     answers.h   has failed, and is given up  kPassing
//   a page that is held back      answers.h   waits, or is put off         kPassing, kPutOff
//   a page                        answers.h   visits.h                     visits.h
//
//   without a result              then
//   its lease has ended, nothing  lost: it ends with the outcome `aborted`, which is one of its
//   can come                      tries
//   the pipeline died of it, a    lost likewise; a robots.txt costs its host patience
//   suspect, alone
//
// A page that is given up so has no record to show: it is kept until take_given_up().
//
// Borrows its constructor arguments. Not thread-safe. Cost: that of its parts.
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

  // Marks the flight of an `aborted` record, or recalls it if it was too late to be sent. False:
  // there is none.
  bool note_aborted(const Settled& result);
  // Settles a result that is not `aborted`. `row` gets the page's, where is_last_word().
  Verdict settle(const Settled& result, UrlRow& row);
  // Ends, as lost, what was sent by then.
  void expire(std::int64_t sent_ms);
  // Ends the only flight, which is guilty of the pipeline's death.
  void convict_only();

  // URLs that were given up without a result to show, and why.
  struct GivenUp {
    Dispatch page;  // the page as it went out, without validators
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
