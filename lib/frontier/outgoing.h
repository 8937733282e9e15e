// SPDX-License-Identifier: Apache-2.0
// Sends what comes next of a host whose turn it is.
//
//   the host                                    then
//   wants rules                                 its robots.txt goes out
//   has something in its window                 the first of that goes out, with its validators
//   has an empty window, and more in its queue  its window is read, and the next hosts': windows.h
//   has only what was passed over               that comes back, to go out with its next turn
//   has a suspect next, something is in flight  nothing goes out until it may alone: suspects.h
//   has a place in front that cannot be read    nothing; it is noted, and the next commit fails
//
// Lanes decides whether a host may send, by time and by number.
//
// Borrows its constructor arguments. Not thread-safe. Cost: for a URL visited before, a read of its
// row.
#ifndef SPINNERET_FRONTIER_OUTGOING_H_
#define SPINNERET_FRONTIER_OUTGOING_H_

#include <string_view>

#include "frontier/backlog.h"
#include "frontier/dispatch.h"
#include "frontier/flights.h"
#include "frontier/gate.h"
#include "frontier/host_table.h"
#include "frontier/later.h"
#include "frontier/options.h"
#include "frontier/statistics.h"
#include "frontier/timepiece.h"
#include "frontier/windows.h"

namespace spinneret::frontier {

class Outgoing {
 public:
  Outgoing(const Timepiece& time, HostTable& hosts, Gate& gate, Flights& flights, Backlog& backlog,
           Later& later, Company& company, const Windows& windows, const Options& options,
           Statistics& statistics)
      : time_(time),
        hosts_(hosts),
        gate_(gate),
        flights_(flights),
        backlog_(backlog),
        later_(later),
        company_(company),
        windows_(windows),
        options_(options),
        statistics_(statistics) {}

  // False: nothing has gone out.
  bool send(HostSlot slot, Dispatch& out);

 private:
  bool send_page(HostSlot slot, Dispatch& out);
  void send_rules(HostSlot slot, Dispatch& out);
  bool must_go_alone(std::string_view key, HostSlot slot);
  void add_validators(HostSlot slot, std::string_view rest, Dispatch& out);
  void launch(HostSlot slot, Dispatch& out, Place place, std::string_view entry);

  const Timepiece& time_;
  HostTable& hosts_;
  Gate& gate_;
  Flights& flights_;
  Backlog& backlog_;
  Later& later_;
  Company& company_;
  Windows windows_;
  const Options& options_;
  Statistics& statistics_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_OUTGOING_H_
