// SPDX-License-Identifier: Apache-2.0
#include "frontier/outgoing.h"

#include <string>
#include <utility>

namespace spinneret::frontier {

bool Outgoing::send(HostSlot slot, Dispatch& out) {
  if (hosts_.host(slot).rules != Rules::kWanted) return send_page(slot, out);
  if (must_go_alone(Flights::key_of(Purpose::kRobots, gate_.url_of(slot)), slot)) return false;
  send_rules(slot, out);
  return true;
}

bool Outgoing::must_go_alone(std::string_view key, HostSlot slot) {
  return company_.suspects.must_go_alone({key, slot, options_.partition},
                                         company_.slots.in_flight() != 0);
}

void Outgoing::send_rules(HostSlot slot, Dispatch& out) {
  out = Dispatch();
  out.url = gate_.url_of(slot);
  out.purpose = Purpose::kRobots;
  out.priority = 0;
  gate_.send(slot);
  launch(slot, out, Place{}, {});
}

bool Outgoing::send_page(HostSlot slot, Dispatch& out) {
  const Host& host = hosts_.host(slot);
  if (windows_.wants(host)) windows_.read(slot, time_.now().mono_ms);
  HostPlay& play = hosts_.play(slot);
  Place place;
  QueueEntry entry;
  if (play.queue.empty()) flights_.bring_back();
  if (play.queue.window_empty()) return false;
  if (!play.queue.front(place, entry)) {  // it is skipped, and the next commit fails
    hosts_.note_damage("place in the queue of", slot);
    play.queue.pop();
    return false;
  }
  out.url.clear();
  append_url(out.url, host.origin, entry.rest);
  if (must_go_alone(out.url, slot)) return false;
  out.purpose = entry.is_sitemap ? Purpose::kSitemap : Purpose::kPage;
  out.depth = entry.depth;
  out.priority = place.priority();
  out.extra = entry.extra;
  out.etag.clear();
  out.last_modified.clear();
  if (entry.visited) add_validators(slot, entry.rest, out);
  launch(slot, out, place, play.queue.front_bytes());
  play.queue.pop();
  return true;
}

void Outgoing::add_validators(HostSlot slot, std::string_view rest, Dispatch& out) {
  UrlRow row;
  if (!backlog_.get(slot, rest, row) || (row.etag.empty() && row.last_modified.empty())) return;
  if (row.last_ms < options_.whole_before_ms) return;
  if (!later_.signals().sends_validators(hosts_.host(slot).id)) return;
  out.etag = row.etag;
  out.last_modified = row.last_modified;
}

void Outgoing::launch(HostSlot slot, Dispatch& out, Place place, std::string_view entry) {
  const Host& host = hosts_.host(slot);
  HostPlay& play = hosts_.play(slot);
  const Moment at = time_.now();
  if (play.answered_ms != 0 && note_gap(play.row, at.mono_ms - play.answered_ms, play.owed_ms))
    hosts_.touch(slot);
  out.unheard = !hosts_.lane(host.lane).heard;
  std::string key = Flights::key_of(out.purpose, out.url);
  company_.suspects.note_sent(key);
  flights_.begin(std::move(key), slot, out.purpose, place, entry, at);
  // With one request at a time, only a robots.txt makes more than one: where it leads elsewhere.
  const bool is_rules = out.purpose == Purpose::kRobots;
  out.gap_ms =
      options_.politeness.per_host > 1 || is_rules ? delay_ms(play.row, options_.politeness) : 0;
  out.lane.reset();
  if (out.gap_ms != 0 && options_.key != PolitenessKey::kHost) out.lane = host.lane;
  ++statistics_.sent;
}

}  // namespace spinneret::frontier
