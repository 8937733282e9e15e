// SPDX-License-Identifier: Apache-2.0
#include "frontier/flights.h"

#include <algorithm>

namespace spinneret::frontier {
namespace {

constexpr std::string_view kRules = "robots ";

}  // namespace

std::string Flights::key_of(Purpose purpose, std::string_view url) {
  std::string key(purpose == Purpose::kRobots ? kRules : std::string_view());
  key += url;
  return key;
}

std::string_view Flights::url_of(std::string_view key) {
  return key.starts_with(kRules) ? key.substr(kRules.size()) : key;
}

// --- there and back ------------------------------------------------------------------------------

void Flights::begin(std::string key, HostSlot slot, Purpose purpose, Place place,
                    std::string_view entry, const Moment& now) {
  Flight flight{slot, place, std::string(entry), purpose, lanes_.depart(slot, now)};
  if (flight.is_page()) {
    ++pages_;
    hosts_.play(slot).flying.push_back(place);
  }
  Host& host = hosts_.host(slot);
  if (!host.marked) marks_.mark(host.id);
  host.marked = true;
  flights_.insert_or_assign(std::move(key), std::move(flight));
}

Flight* Flights::find(const std::string& key) {
  const auto at = flights_.find(key);
  return at == flights_.end() ? nullptr : &at->second;
}

std::optional<Flight> Flights::land(const std::string& key) {
  const auto at = flights_.find(key);
  if (at == flights_.end()) return std::nullopt;
  std::optional<Flight> flight = std::move(at->second);
  flights_.erase(at);
  bring_back();
  end(*flight);
  return flight;
}

void Flights::end(const Flight& flight) {
  std::erase(hosts_.play(flight.host).flying, flight.place);
  if (flight.is_page()) --pages_;
  lanes_.land(flight.host, flight.from);
  patience_.landed(flight.from.sent_ms);
}

// Takes a flight back, except that the caller must put its place back into the host's window.
void Flights::take_back(const Flight& flight, const Moment& now) {
  end(flight);
  lanes_.back_off(flight.host, now);
  hosts_.touch(flight.host);
  if (!flight.is_page()) gate_.recalled(flight.host);
  lanes_.follow_address(flight.host);
}

void Flights::return_to_queue(const Flight& flight, const Moment& now) {
  take_back(flight, now);
  if (flight.is_page()) hosts_.play(flight.host).queue.returned(flight.place);
}

bool Flights::recall(const std::string& key, const Moment& now) {
  const auto at = flights_.find(key);
  if (at == flights_.end()) return false;
  return_to_queue(at->second, now);
  flights_.erase(at);
  return true;
}

void Flights::recall(const Moment& now) {
  for (const auto& [key, flight] : flights_) return_to_queue(flight, now);
  flights_.clear();
}

// A flight stays passed over only if its lane has something else to send by the time that it might
// go out again.
void Flights::pass_over(const Moment& now) {
  for (const auto& [key, flight] : flights_) {
    take_back(flight, now);
    if (flight.is_page()) passed_over_.emplace_back(flight.host, flight.place);
  }
  flights_.clear();
  const auto alone =
      std::stable_partition(passed_over_.begin(), passed_over_.end(),
                            [this](const auto& each) { return lanes_.has_more(each.first); });
  for (auto each = alone; each != passed_over_.end(); ++each)
    hosts_.play(each->first).queue.returned(each->second);
  passed_over_.erase(alone, passed_over_.end());
}

void Flights::bring_back() {
  for (const auto& [slot, place] : std::exchange(passed_over_, {})) {
    hosts_.play(slot).queue.returned(place);
    lanes_.want(slot);
  }
}

std::vector<std::string> Flights::sent_by(std::int64_t mono_ms) const {
  std::vector<std::string> out;
  for (const auto& [key, flight] : flights_) {
    if (flight.from.sent_ms <= mono_ms) out.push_back(key);
  }
  return out;
}

// --- marks ---------------------------------------------------------------------------------------

const std::vector<HostId>& Flights::load_marks(std::vector<HostId> marked, std::uint64_t rows) {
  marks_.load(std::move(marked), rows);
  return marks_.marked();
}

bool Flights::stage_marks() {
  if (!marks_.pending()) return false;
  marks_.stage(flights_.size(), [this](HostId id) {
    HostSlot slot = 0;
    if (!hosts_.lookup(id, slot)) return true;
    Host& host = hosts_.host(slot);
    const bool idle = hosts_.nothing_flying(host) && host.rules != Rules::kFlying;
    if (idle) host.marked = false;
    return idle;
  });
  return true;
}

void Flights::clear_marks() {
  for (const HostId id : marks_.clear()) {
    HostSlot slot = 0;
    if (hosts_.lookup(id, slot)) hosts_.host(slot).marked = false;
  }
}

}  // namespace spinneret::frontier
