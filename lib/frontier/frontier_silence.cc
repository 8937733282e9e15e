// SPDX-License-Identifier: Apache-2.0
// What has not come back: pauses while nothing answers, hosts that are given up, URLs that the pipeline has lost.
#include <algorithm>
#include <string>
#include <vector>

#include "frontier/frontier.h"

namespace spinneret::frontier {

void Frontier::weigh_outage(const Moment& at) {
  patience_.end_pause_in_time(at);
  if (!patience_.is_suspicious(at)) return;
  const Flights::ByKey& all = flights_.all();
  const auto others = std::count_if(all.begin(), all.end(), [this](const auto& each) {
    return !patience_.is_silent(each.second.host);
  });
  patience_.weigh(static_cast<std::size_t>(others), at);
}

bool Frontier::probe(const Moment& at, Dispatch& out) {
  if (patience_.probe_ms() > at.mono_ms || limit_reached()) return false;
  const auto send = [this, &out](HostSlot slot) { return send_from_host(slot, out); };
  bool sent = false;
  if (const std::optional<LaneId> lane = patience_.next_probe(at))
    sent = lanes_.serve(*lane, at.mono_ms, send);
  for (LaneId lane = 0; !sent && lanes_.take_any(at.mono_ms, lane);)
    sent = lanes_.serve(lane, at.mono_ms, send);
  if (sent) patience_.probed();
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

void Frontier::expire_leases(bool all) {
  const std::int64_t oldest = all ? INT64_MAX : now().mono_ms - options_.lease_ms;
  for (const std::string& key : flights_.sent_by(oldest)) {
    lose(key, Outcome::kAborted,
         flights_.find(key)->aborted ? "a stage of the pipeline has stopped before it was done"
                                     : "no stage of the pipeline has given its record back");
  }
}

bool Frontier::blame_flights(const std::vector<Frontier*>& all, bool fresh) {
  if (all.empty()) return false;
  bool ended = false;
  std::vector<Suspects::Flight> in_flight;
  for (const Frontier* const each : all) {
    for (const auto& [key, flight] : each->flights_.all()) {
      in_flight.push_back({key, flight.host, each->options_.partition});
      ended = ended || flight.aborted;
    }
  }
  const Suspects::Blame blame = all.front()->company_.suspects.blame(in_flight, fresh, ended);
  for (Frontier* const each : all) {
    switch (blame) {
      case Suspects::Blame::kOthersFirst: each->flights_.pass_over(each->now()); break;
      case Suspects::Blame::kAgain: each->recall_flights(); break;
      case Suspects::Blame::kGuilty:
        if (each->in_flight() != 0) each->convict_only_flight();
        break;
    }
  }
  return blame == Suspects::Blame::kGuilty;
}

void Frontier::convict_only_flight() {
  const auto& [only, flight] = *flights_.all().begin();
  const std::string key = only;
  const int deaths = company_.suspects.deaths(key);
  // A robots.txt that does so costs its host patience, lest each of its pages tries it again.
  lose(key, flight.is_page() ? Outcome::kAborted : Outcome::kBadResponse,
       "the pipeline dies of it");
  company_.suspects.convict(key, deaths + 1);
}

// The record was dropped on its way. As if it had come back as aborted, which counts as one of its tries.
// settle_flight, not settle: the tail belongs to a page that is still to come.
void Frontier::lose(const std::string& key, Outcome outcome, std::string_view error) {
  ++statistics_.lost;
  const Purpose purpose = flights_.find(key)->purpose;
  const std::string url(Flights::url_of(key));
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
