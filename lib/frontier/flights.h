// SPDX-License-Identifier: Apache-2.0
// What is in flight, by what a result says of itself, and how it returns to its queue.
//
//   queue --begin()--> in flight --land()---------> its result decides
//     ^                    |
//     |------recall()------|                        sent again; its host counts as visited
//     |                    |
//     `--bring_back()-- passed over <--pass_over()  the same, but behind the others of its lane
//
// So a pipeline that dies of one URL meets others first. What was passed over comes back with the
// next result, or once nothing else is left.
//
// The key of a page is its URL, that of a robots.txt "robots " and its URL: a page that happens to
// be one is another flight. A host with something in flight is marked, durably, before it is sent:
// see flight_log.h.
//
// Borrows its constructor arguments. Not thread-safe. Cost: O(1) a flight, O(flights) where all
// come back.
#ifndef SPINNERET_FRONTIER_FLIGHTS_H_
#define SPINNERET_FRONTIER_FLIGHTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontier/dispatch.h"
#include "frontier/flight_log.h"
#include "frontier/gate.h"
#include "frontier/host_table.h"
#include "frontier/lanes.h"
#include "frontier/patience.h"
#include "frontier/store.h"

namespace spinneret::frontier {

struct Flight {
  HostSlot host = 0;
  Place place;
  std::string entry;  // the encoded entry of the queue; empty for a robots.txt
  Purpose purpose = Purpose::kPage;
  Lanes::Departure from;
  bool aborted = false;                 // a stage said that it has aborted
  std::uint8_t raised = kLastPriority;  // a priority that a link gave meanwhile
  bool is_page() const { return purpose != Purpose::kRobots; }
};

class Flights {
 public:
  using ByKey = std::unordered_map<std::string, Flight>;

  Flights(Store& store, HostTable& hosts, Gate& gate, Lanes& lanes, Patience& patience)
      : hosts_(hosts), gate_(gate), lanes_(lanes), patience_(patience), marks_(store) {}

  static std::string key_of(Purpose purpose, std::string_view url);
  static std::string_view url_of(std::string_view key);

  // Sends what stands at `place`, and marks its host.
  void begin(std::string key, HostSlot slot, Purpose purpose, Place place, std::string_view entry,
             const Moment& now);
  // nullptr: nothing of that name is in flight.
  Flight* find(const std::string& key);
  // Takes out a flight that has come back, and brings back what was passed over. Nothing: it is not
  // in flight.
  std::optional<Flight> land(const std::string& key);
  // Recalls one flight. False: it is not in flight.
  bool recall(const std::string& key, const Moment& now);
  // Recall, or pass over, all that is in flight.
  void recall(const Moment& now);
  void pass_over(const Moment& now);
  void bring_back();
  bool any_passed_over() const { return !passed_over_.empty(); }

  const ByKey& all() const { return flights_; }
  std::uint64_t pages() const { return pages_; }  // robots.txt not counted
  std::vector<std::string> sent_by(std::int64_t mono_ms) const;

  // Loads the marks of an earlier run; see flight_log.h.
  const std::vector<HostId>& load_marks(std::vector<HostId> marked, std::uint64_t rows);
  // Stages the marks that are not durable. False: all are.
  bool stage_marks();
  // Stages that nothing is in flight.
  void clear_marks();

 private:
  void end(const Flight& flight);
  void take_back(const Flight& flight, const Moment& now);
  void return_to_queue(const Flight& flight, const Moment& now);

  HostTable& hosts_;
  Gate& gate_;
  Lanes& lanes_;
  Patience& patience_;
  FlightLog marks_;
  ByKey flights_;
  std::uint64_t pages_ = 0;
  // Those that were passed over: their hosts' windows are past them.
  std::vector<std::pair<HostSlot, Place>> passed_over_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_FLIGHTS_H_
