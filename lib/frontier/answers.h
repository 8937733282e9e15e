// SPDX-License-Identifier: Apache-2.0
// What a result says of its host, whatever becomes of its page: when the host may be asked again,
// by which rules, and whether it answers at all.
//
//   what has come back          the gap of its lane     patience     the row of the host
//   no request to the host      taken back              -            the Crawl-delay, if known
//   an answer                   as politeness has it    a life sign  + visit, bytes, address
//   ... that asks for a pause   so long, capped (*)     a life sign  likewise
//   ... after followed          as above, for the host  a life sign  likewise, but no address
//       redirects               that answered as well
//   no answer                   as politeness has it    one silence  likewise
//   a robots.txt                as any of these         likewise     likewise; tells the gate
//
// (*) The user is told. After a page without an answer the host may be given up.
//
//   a page that the gate holds back  its host                                       the page
//   held, given up, rules fetched    is left as it is                               waits
//   silent until its patience ended  is given up, except in a pause                 is put off
//   without rules too often          is given up, with the gate's reason            is put off
//   silent                           rests by Patience, at most as the gate says    waits
//   any other                        rests as long as the gate says, at most a day  waits
//
//   a page that needs rules first    the gate gets them before all else             waits
//   ... which are unavailable        is given up if its patience ended              has failed
//
// A page that waits or is put off stands in its host's window again. What else becomes of pages is
// seen to in returns.h and visits.h.
//
// Borrows its constructor arguments. Not thread-safe. Cost: O(log lanes) a result.
#ifndef SPINNERET_FRONTIER_ANSWERS_H_
#define SPINNERET_FRONTIER_ANSWERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/dispatch.h"
#include "frontier/flights.h"
#include "frontier/gate.h"
#include "frontier/host_table.h"
#include "frontier/lanes.h"
#include "frontier/moment.h"
#include "frontier/patience.h"
#include "frontier/politeness.h"
#include "frontier/random.h"
#include "frontier/statistics.h"
#include "url/parse.h"

namespace spinneret::frontier {

class Answers {
 public:
  // `random` gives the jitter of gaps. `notices` gets sentences for the user.
  Answers(HostTable& hosts, Gate& gate, Lanes& lanes, Patience& patience,
          const Politeness& politeness, Random& random, Statistics& statistics,
          std::vector<std::string>& notices)
      : hosts_(hosts),
        gate_(gate),
        lanes_(lanes),
        patience_(patience),
        politeness_(politeness),
        random_(random),
        statistics_(statistics),
        notices_(notices) {}

  // Takes the result of a flight that has just landed.
  void take(const Flight& flight, const Settled& result, const Moment& now);

  // Takes a page that the gate holds back: robots_reason says why, retry_after_ms for how long.
  enum class Held : std::uint8_t { kWaits, kPutOff };
  Held hold(const Flight& flight, const Settled& result, const Moment& now);
  // Takes a page that needs something first. Returns nothing if it waits for that, else why it has
  // failed.
  std::optional<Gate::Failed> need(const Flight& flight, const Settled& result, const Moment& now);

 private:
  void learn_crawl_delay(HostSlot slot, const Settled& result);
  void pace(const Flight& flight, const Settled& result, const Moment& now);
  HostSlot answered_by(HostSlot asked, std::string_view at);
  void pace_speaker(HostSlot slot, const Flight& flight, const Settled& result, const Moment& now);
  void count(HostSlot slot, const Settled& result);
  void keep_back(HostSlot slot, std::int64_t ms, std::string_view reason, const Moment& now);
  void tell_hold(HostSlot slot, const std::string& why, std::int64_t ms);

  HostTable& hosts_;
  Gate& gate_;
  Lanes& lanes_;
  Patience& patience_;
  const Politeness& politeness_;
  Random& random_;
  Statistics& statistics_;
  std::vector<std::string>& notices_;
  Url url_;  // reused
  std::string scratch_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_ANSWERS_H_
