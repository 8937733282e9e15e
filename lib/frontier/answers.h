// SPDX-License-Identifier: Apache-2.0
// What a result says of its host, whatever becomes of its page: when it may be asked again, by which rules, and whether
// it is there at all.
//
//   what has come back ...             the gap of its lane                      patience       its row
//   the gate's word, or that of a      taken back: it was not asked             -              the Crawl-delay, if told
//   stage that did not ask
//   an answer                          as politeness has it                     as of life     likewise; visit, bytes, address
//   an answer that asks for a pause    so long, capped; the user is told        as of life     likewise
//   ... of where a redirect has led    likewise of both; so is any answer's gap  as of life    likewise; no address
//   nothing                            as politeness has it                     one silence    likewise; page: perhaps given up
//   a robots.txt, of whatever kind     as any of these                          likewise       likewise; the gate has its word
//
//   a page that the gate holds back    its host                                               the page
//   held, given up, rules on their way is left as it is                                       waits
//   silent for as long as is borne     is given up, but not in a pause                        is put off
//   without rules for too often        is given up, with the gate's reason                    is put off
//   silent                             rests as Patience has it, at most as the gate asks     waits
//   any other                          rests as long as the gate asks, at most a day          waits
//
//   a page that needs rules first      the gate asks for them, before all else                waits
//   ... that cannot be had             is given up if it is spent                             has failed
//
// What waits or is put off stands in its host's window again. What becomes of the page otherwise is not seen to here.
//
// Borrowed: all that it is made of. Not thread-safe. Cost: O(log lanes) a result.
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
  // `random`: of the jitter of gaps. `notices`: sentences for the user.
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

  // What has just landed.
  void take(const Flight& flight, const Settled& result, const Moment& now);

  // Of a page that the gate holds back: robots_reason says why, retry_after_ms for how long.
  enum class Held : std::uint8_t { kWaits, kPutOff };
  Held hold(const Flight& flight, const Settled& result, const Moment& now);
  // Of a page that needs something first. Nothing: it waits for that. Else it has failed, and why.
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
