// SPDX-License-Identifier: Apache-2.0
// Silence: which hosts are given up for this run, asked again, or forgiven; and URLs that the pipeline never gives back.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "frontier/frontier.h"

namespace spinneret::frontier {
namespace {

constexpr std::uint32_t kLeastSilences = 3;

// Without what tells a robots.txt's flight from that of the page of the same name.
std::string_view url_of_flight(std::string_view key) {
  const std::size_t space = key.find(' ');
  return space == std::string_view::npos ? key : key.substr(space + 1);
}

}  // namespace

void Frontier::take_sign(const Flight& flight, const Settled& result) {
  Host& host = hosts_.host(flight.host);
  const Sign sign = sign_in(result);
  if (sign != Sign::kNone) {
    const bool quick = sign == Sign::kLife && result.time_ms < Slots::kSilentMs;
    lanes_.note_sign(flight.host, quick, flight.purpose != Purpose::kRobots,
                     now().mono_ms - flight.from.sent_ms);
  }
  if (sign == Sign::kSilence)
    outage_.silence(flight.host, host.heard, flight.from.sent_ms, now().mono_ms);
  if (sign == Sign::kLife) {
    if (outage_.paused()) end_pause(host);
    outage_.life(now().mono_ms);
    host.heard = true;
    rests_.forget(flight.host);
    if (host.finished) take_back(flight.host, 0);
  }
  HostPlay& play = hosts_.play(flight.host);
  if (sign == Sign::kLife || !outage_.paused()) {
    count_sign(play.row, sign, result.outcome);
    if (sign == Sign::kLife) play.silent_ms = 0;
    if (sign == Sign::kSilence && play.silent_ms == 0) play.silent_ms = now().mono_ms;
  }
  // A dead port, or one dead host of a domain, says nothing of the others of its lane: it is not asked, they are.
  if (sign == Sign::kSilence) host.held_ms = std::max(host.held_ms, now().after(rest_ms(play)));
  if (sign == Sign::kLife && play.row.held_until_ms == 0) host.held_ms = 0;
}

std::int64_t Frontier::rest_ms(const HostPlay& play) const {
  const std::int64_t silent_ms = play.silent_ms == 0 ? 0 : now().mono_ms - play.silent_ms;
  return silence_gap_ms(play.row, options_.politeness, silent_ms);
}

bool Frontier::out_of_patience(HostSlot slot) {
  const HostPlay& play = hosts_.play(slot);
  return frontier::out_of_patience(play.row, options_.politeness) &&
         now().mono_ms - play.silent_ms >= options_.politeness.give_up_ms;
}

void Frontier::finish_host(HostSlot slot, Finish why) {
  Host& host = hosts_.host(slot);
  if (host.finished) return;
  host.finished = true;
  hosts_.play(slot).row.finish = why;
  hosts_.touch(slot);
  rests_.begin(slot, now().mono_ms);
  later_.hosts_changed();
  ++statistics_.hosts_finished;
}

// It is asked again, with `failures` counted already.
void Frontier::take_back(HostSlot slot, std::uint32_t failures) {
  Host& host = hosts_.host(slot);
  HostRow& row = hosts_.play(slot).row;
  if (!host.finished && row.failures == failures) return;
  host.finished = false;
  later_.hosts_changed();
  host.holds = 0;
  row.finish = Finish::kNot;
  row.failures = failures;
  hosts_.touch(slot);
  lanes_.want(slot);
}

// One silence more, and it rests again.
void Frontier::end_rests() {
  HostSlot slot = 0;
  const std::int64_t now_ms = now().mono_ms;
  while (rests_.take(now_ms, slot)) {
    if (hosts_.host(slot).finished) take_back(slot, std::max(options_.politeness.patience, 1U) - 1);
  }
  lanes_.arrange();
}

void Frontier::weigh_outage() {
  const std::int64_t now_ms = now().mono_ms;
  if (outage_.give_up(now_ms)) {
    statistics_.paused = false;
    notices_.push_back("nothing has answered for " + seconds_text(now_ms - outage_.since_ms()) +
                       " s: hosts that stay silent are given up from now on");
  }
  if (!outage_.is_suspicious(now_ms)) return;
  std::size_t others = lanes_.waiting();
  for (const auto& [slot, known] : outage_.silent()) {
    if (lanes_.is_waiting(hosts_.host(slot).lane) && others != 0) --others;
  }
  for (const auto& [key, flight] : flights_) {
    if (!outage_.is_silent(flight.host)) ++others;
  }
  if (!outage_.weigh(others, now_ms)) return;
  statistics_.paused = true;
  notices_.push_back(
      "nothing answers any more, not even what has answered before (" +
      std::to_string(outage_.silent().size()) +
      " hosts): the network here may be down; the crawl pauses until something does");
}

// What has been silent since then was not to blame.
void Frontier::end_pause(const Host& by) {
  for (const auto& [slot, known] : outage_.silent()) take_back(slot, 0);
  statistics_.paused = false;
  notices_.push_back(std::string(by.origin) +
                     " has answered: the crawl goes on, after a pause of " +
                     seconds_text(now().mono_ms - outage_.since_ms()) + " s");
}

// Of a failed try. A URL is given up for silence only where its host has answered since the first of its tries: else it
// is the host that is, for this run, after as many silences in a row as a URL has tries, but three at least.
Frontier::Fate Frontier::fate_of(HostSlot slot, const UrlRow& row, Sign sign) {
  const Host& host = hosts_.host(slot);
  if (host.finished && sign != Sign::kLife) return Fate::kPutOff;
  const std::uint32_t failures = row.failures + 1;
  if (failures < options_.tries) return Fate::kAgain;
  const std::uint32_t patience = options_.politeness.patience;
  const std::uint32_t silences = hosts_.play(slot).row.failures;
  if (sign != Sign::kSilence || patience == 0 || failures > silences) return Fate::kLast;
  if (silences < std::min(patience, std::max(options_.tries, kLeastSilences)))
    return silences == 1 && host.heard ? Fate::kLast : Fate::kAgain;
  finish_host(slot, Finish::kPatience);
  return Fate::kPutOff;
}

// The page stays where it was in the queue, with all its tries. Its place is in the window already.
Verdict Frontier::put_off(const Flight& flight, UrlRow& row) {
  QueueEntry entry;
  if (!decode_queue_entry(flight.entry, entry)) return Verdict::kStranger;
  read_final_row(flight, entry, row);
  if (row.failures == 0) return Verdict::kPutOff;
  row.failures = 0;
  encode_url_row(row_bytes_, row, hosts_.host(flight.host).origin);
  store_.put(Table::kUrls, key_, row_bytes_);
  return Verdict::kPutOff;
}

// One time a host that has fallen silent, the other any: all of the first kind may be gone for good.
bool Frontier::probe(std::int64_t now_ms, Dispatch& out) {
  if (!outage_.may_probe(now_ms) || limit_reached()) return false;
  std::vector<LaneId> lanes;
  for (const auto& [slot, known] : outage_.silent()) {
    const LaneId lane = hosts_.host(slot).lane;
    if (known && lanes_.due_ms(lane) <= now_ms) lanes.push_back(lane);
  }
  const auto send = [this, &out](HostSlot slot) { return send_from_host(slot, out); };
  bool sent = false;
  if (++probes_ % 2 == 0 && !lanes.empty())
    sent = lanes_.serve(lanes[probes_ / 2 % lanes.size()], now_ms, send);
  for (LaneId lane = 0; !sent && lanes_.take_any(now_ms, lane);)
    sent = lanes_.serve(lane, now_ms, send);
  if (sent) outage_.probed();
  return sent;
}

std::vector<Frontier::Finished> Frontier::finished_hosts(std::size_t most, std::size_t& all) const {
  std::vector<Finished> out;
  all = 0;
  for (HostSlot slot = 0; slot < hosts_.size(); ++slot) {
    const Host& host = hosts_.host(slot);
    const std::uint64_t waiting = hosts_.waiting(host);
    if (!host.finished && (waiting == 0 || !lanes_.limit_reached(host))) continue;
    if (++all > most) continue;
    out.push_back({std::string(host.origin),
                   why_finished(hosts_.row(slot), options_.max_host_pages), waiting});
  }
  return out;
}

GivenUpSum Frontier::given_up() const {
  GivenUpSum sum{.seeds = statistics_.seeds_unreached};
  for (HostSlot slot = 0; slot < hosts_.size(); ++slot) {
    const Host& host = hosts_.host(slot);
    if (!host.finished) continue;
    ++sum.hosts;
    sum.waiting += hosts_.waiting(host);
  }
  return sum;
}

void Frontier::recall_flights() {
  for (const auto& [key, flight] : flights_) {
    recall(flight);
    if (flight.purpose != Purpose::kRobots) hosts_.play(flight.host).queue.returned(flight.place);
  }
  flights_.clear();
}

// But for its place in the window.
void Frontier::recall(const Flight& flight) {
  land(flight);
  lanes_.back_off(flight.host, now());
  hosts_.touch(flight.host);
  if (flight.purpose == Purpose::kRobots) gate_.recalled(flight.host);
  lanes_.follow_address(flight.host);
}

// Of lanes that have something else to send by the time these might go out again.
void Frontier::pass_over_flights() {
  for (const auto& [key, flight] : flights_) {
    recall(flight);
    if (flight.purpose != Purpose::kRobots) passed_over_.emplace_back(flight.host, flight.place);
  }
  flights_.clear();
  const auto alone =
      std::stable_partition(passed_over_.begin(), passed_over_.end(),
                            [this](const auto& each) { return lanes_.has_more(each.first); });
  for (auto each = alone; each != passed_over_.end(); ++each)
    hosts_.play(each->first).queue.returned(each->second);
  passed_over_.erase(alone, passed_over_.end());
}

void Frontier::bring_back() {
  for (const auto& [slot, place] : std::exchange(passed_over_, {})) {
    hosts_.play(slot).queue.returned(place);
    lanes_.want(slot);
  }
}

std::string_view Frontier::any_in_flight() const { return url_of_flight(flights_.begin()->first); }

void Frontier::expire_leases(bool all) {
  const std::int64_t oldest = now().mono_ms - options_.lease_ms;
  std::vector<std::string> expired;
  for (const auto& [key, flight] : flights_) {
    if (all || flight.from.sent_ms <= oldest) expired.push_back(key);
  }
  for (const std::string& key : expired) {
    lose(key, Outcome::kAborted,
         flights_.at(key).aborted ? "a stage of the pipeline has stopped before it was done"
                                  : "no stage of the pipeline has given its record back");
  }
}

bool Frontier::blame_flights(bool fresh) {
  bool ended = false;
  std::vector<Suspects::Flight> in_flight;
  for (const auto& [key, flight] : flights_) {
    in_flight.push_back({key, flight.host});
    ended = ended || flight.aborted;
  }
  switch (suspects_.blame(in_flight, fresh, ended)) {
    case Suspects::Blame::kOthersFirst: pass_over_flights(); return false;
    case Suspects::Blame::kAgain: recall_flights(); return false;
    case Suspects::Blame::kGuilty: break;
  }
  const std::string key = flights_.begin()->first;
  const int deaths = suspects_.deaths(key);
  // A robots.txt that does so costs its host patience, lest each of its pages tries it again.
  const bool is_rules = flights_.begin()->second.purpose == Purpose::kRobots;
  lose(key, is_rules ? Outcome::kBadResponse : Outcome::kAborted, "the pipeline dies of it");
  suspects_.convict(key, deaths + 1);
  return true;
}

// The record was dropped on its way. As if it had come back as aborted, which counts as one of its tries.
// settle_flight, not settle: the tail belongs to a page that is still to come.
void Frontier::lose(const std::string& key, Outcome outcome, std::string_view error) {
  ++statistics_.lost;
  const Purpose purpose = flights_.at(key).purpose;
  const std::string url(url_of_flight(key));
  Settled result{.url = url, .purpose = purpose, .outcome = outcome};
  result.error = error;
  UrlRow row;
  if (is_last_word(settle_flight(result, row))) give_up(url, result.error, Outcome::kAborted, row);
}

void Frontier::give_up(std::string_view url, std::string_view error, Outcome outcome,
                       const UrlRow& row) {
  GivenUp& given_up = given_up_.emplace_back();
  given_up.error = error;
  given_up.outcome = outcome;
  given_up.via = row.via;
  given_up.page.url = url;
  given_up.page.purpose = row.is_sitemap ? Purpose::kSitemap : Purpose::kPage;
  given_up.page.depth = row.depth;
  given_up.page.priority = row.priority;
  given_up.page.extra = row.extra;
}

}  // namespace spinneret::frontier
