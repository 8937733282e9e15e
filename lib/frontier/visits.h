// SPDX-License-Identifier: Apache-2.0
// What becomes of a page after a visit, and how it comes to its next one. The first line that holds
// counts:
//
//   a page comes back            it waits                         its row         verdict
//   only asked for, now wanted   at the end of its queue          not visited     kPassing
//   silent, in a pause           where it stood                   as it was       kPassing
//   failed, host given up        where it stood, for a next run   with all tries  kPutOff
//   failed, with tries left      in kLater, for the next one      one failure     kPassing
//   with its final result        in kLater, or nowhere            visited         kFinal
//
//   what falls due               goes
//   a failed try                 to the end of its queue
//   a revisit                    likewise, and counts as waiting; one visited in this run already
//                                stays for the next one, unless this one never ends
//   a place no row names         nowhere
//
// Patience decides which failure of a page is the last. A row has the shortest way to its page, and
// the best priority that was given meanwhile; silences of earlier runs are no tries of this one. A
// page votes for its links on the first visit that brings any.
//
// What a result says of the page's host has been taken in before: see answers.h.
//
// Borrows its constructor arguments. Not thread-safe. Cost: one read if the row is not all in its
// place, and two writes.
#ifndef SPINNERET_FRONTIER_VISITS_H_
#define SPINNERET_FRONTIER_VISITS_H_

#include <cstdint>
#include <string_view>

#include "frontier/admission.h"
#include "frontier/backlog.h"
#include "frontier/dispatch.h"
#include "frontier/flights.h"
#include "frontier/host_table.h"
#include "frontier/later.h"
#include "frontier/moment.h"
#include "frontier/patience.h"
#include "frontier/random.h"
#include "frontier/statistics.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

enum class Verdict : std::uint8_t {
  kFinal,     // the page's final result, for the user
  kPutOff,    // the same in this run: its host is given up, it waits for the next
  kPassing,   // it will be tried again, or was no page
  kStranger,  // nothing of that name is in flight: a result that came twice
};

// Whether the record is for the user.
inline bool is_last_word(Verdict verdict) {
  return verdict == Verdict::kFinal || verdict == Verdict::kPutOff;
}

class Visits {
 public:
  struct Rules {
    // A run takes what falls due while it lasts, even for the second time.
    bool goes_on = false;
    std::int64_t whole_before_ms = 0;  // see options.h
  };
  // `random` gives the jitter of tries.
  Visits(HostTable& hosts, Backlog& backlog, Later& later, Patience& patience, Admission& admission,
         Random& random, Statistics& statistics, const Rules& rules)
      : hosts_(hosts),
        backlog_(backlog),
        later_(later),
        patience_(patience),
        admission_(admission),
        random_(random),
        statistics_(statistics),
        rules_(rules) {}

  // Sets the number of the run, before its first visit.
  void begin_run(std::uint32_t run) { run_ = run; }

  // Settles a page that has landed with a result of its own. `row` gets its row, where
  // is_last_word().
  Verdict settle(const Flight& flight, const Settled& result, const Moment& now, UrlRow& row);
  // Puts off a page whose place is back in its host's window: it waits there for the next run.
  Verdict put_off(const Flight& flight, UrlRow& row);
  // Takes what Later hands out. Nothing may be staged.
  Later::Taken fall_due(const LaterKey& later);

 private:
  bool wants_more_by_now(HostSlot slot, const QueueEntry& entry, UrlRow& row);
  Verdict ask_for_more(const Flight& flight, const QueueEntry& entry, UrlRow& row);
  void read_row(const Flight& flight, const QueueEntry& entry, UrlRow& row);
  void vote(const Flight& flight, const QueueEntry& entry, std::string_view url, UrlRow& row);
  void store_retry(const Flight& flight, std::string_view rest, std::int64_t steady_ms,
                   UrlRow& row);
  void conclude(const Flight& flight, const QueueEntry& entry, const Settled& result, UrlRow& row);

  HostTable& hosts_;
  Backlog& backlog_;
  Later& later_;
  Patience& patience_;
  Admission& admission_;
  Random& random_;
  Statistics& statistics_;
  Rules rules_;
  std::uint32_t run_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_VISITS_H_
