// SPDX-License-Identifier: Apache-2.0
// How long hosts that do not answer are tolerated, what becomes of their URLs, and when the fault
// is ours.
//
//   silences of a host in a row    then
//   some                           it is left alone for its delay, doubled with each (rest_ms)
//   Politeness::patience of them   it is given up until its rest (rest.h) ends; then one is enough
//   any, while nothing answers     a pause (outage.h), and afterwards they count for nothing
//   it answers, in whatever way    it is forgiven, and asked as before
//
//   fate of a page whose try has failed: the first line that holds counts
//   its host is given up, and that was no sign of life         kPutOff
//   it has tries left                                          kAgain
//   it was no silence, or the host answered between its tries  kLast
//   fewer silences in a row than are tolerated                 kAgain, or kLast after the first one
//                                                              of a host that has answered
//   as many                                                    kPutOff, and the host is given up
//
// A page that is put off waits for the next run with all its tries. Only the host's row is durable
// of all this.
//
// Borrows its constructor arguments. Not thread-safe. Times are of the monotonic clock. Cost: O(log
// hosts given up).
#ifndef SPINNERET_FRONTIER_PATIENCE_H_
#define SPINNERET_FRONTIER_PATIENCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "frontier/host_table.h"
#include "frontier/lanes.h"
#include "frontier/outage.h"
#include "frontier/politeness.h"
#include "frontier/rest.h"
#include "frontier/statistics.h"

namespace spinneret::frontier {

class Patience {
 public:
  // `tries`: of a URL. `statistics` counts hosts that are given up, and has the pause. `notices`
  // gets sentences for the user.
  Patience(HostTable& hosts, Lanes& lanes, const Politeness& politeness, std::uint32_t tries,
           Statistics& statistics, std::vector<std::string>& notices)
      : hosts_(hosts),
        lanes_(lanes),
        politeness_(politeness),
        tries_(tries),
        statistics_(statistics),
        notices_(notices) {}

  // Takes in what a request sent at `sent_ms` says of its host. `outcome`: why, where it is
  // silence.
  void take_sign(HostSlot slot, Sign sign, Outcome outcome, std::int64_t sent_ms,
                 const Moment& now);
  // Decides about a page whose try has failed. `failures` includes this one.
  enum class Fate : std::uint8_t { kAgain, kLast, kPutOff };
  Fate fate_of(HostSlot slot, std::uint32_t failures, Sign sign, const Moment& now);

  // Gives a host up for this run, or until its rest is over.
  void finish(HostSlot slot, Finish why, const Moment& now);
  // The same if the patience with the host is spent. Returns whether it is.
  bool finish_if_spent(HostSlot slot, const Moment& now);
  // Returns all that are given up now, in no order. Cost: O(hosts that were, in this run).
  std::vector<HostSlot> given_up() const;
  // How long a host that has just been silent is left alone.
  std::int64_t rest_ms(const HostPlay& play, const Moment& now) const;
  // Asks hosts again whose rest is over; and says when the next rest ends; INT64_MAX: none does.
  void end_rests(const Moment& now);
  std::int64_t next_rest_ms() const { return rests_.next_ms(); }
  // Grows with each host that is given up or asked again.
  std::uint64_t changes() const { return changes_; }

  // Ends a pause that has been as long as it may be.
  void end_pause_in_time(const Moment& now);
  bool is_suspicious(const Moment& now) const { return outage_.is_suspicious(now.mono_ms); }
  bool is_silent(HostSlot slot) const { return outage_.is_silent(slot); }
  // Begins a pause, where that is the likelier cause. `others`: number of flights to hosts that are
  // not silent.
  void weigh(std::size_t others, const Moment& now);
  bool paused() const { return outage_.paused(); }
  // When the next request may go out in a pause; INT64_MAX: when one has come back.
  std::int64_t probe_ms() const { return outage_.probe_ms(); }
  // The lane for the next request in a pause: every other time one that has fallen silent, else
  // nothing, for any lane. All of the former may be gone for good.
  std::optional<LaneId> next_probe(const Moment& now);
  void probed() { outage_.probed(); }
  void landed(std::int64_t sent_ms) { outage_.landed(sent_ms); }

 private:
  bool is_spent(const HostPlay& play, const Moment& now) const;
  void take_back(HostSlot slot, std::uint32_t failures);
  void end_pause(const Host& by, const Moment& now);

  HostTable& hosts_;
  Lanes& lanes_;
  const Politeness& politeness_;
  std::uint32_t tries_;
  Statistics& statistics_;
  std::vector<std::string>& notices_;
  Rests rests_;
  Outage outage_;
  std::size_t probes_ = 0;  // number of requests in pauses
  std::uint64_t changes_ = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_PATIENCE_H_
