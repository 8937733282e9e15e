// SPDX-License-Identifier: Apache-2.0
#include "frontier/patience.h"

#include <algorithm>

#include "base/number.h"

namespace spinneret::frontier {
namespace {

// The fewest silences for which a host is given up with a URL that has no tries left, if patience
// is not shorter.
constexpr std::uint32_t kLeastSilences = 3;

}  // namespace

// --- signs ---------------------------------------------------------------------------------------

void Patience::take_sign(HostSlot slot, Sign sign, Outcome outcome, std::int64_t sent_ms,
                         const Moment& now) {
  Host& host = hosts_.host(slot);
  if (sign == Sign::kSilence) outage_.silence(slot, host.heard, sent_ms, now.mono_ms);
  if (sign == Sign::kLife) {
    if (outage_.paused()) end_pause(host, now);
    outage_.life(now.mono_ms);
    host.heard = true;
    rests_.forget(slot);
    if (host.finished) take_back(slot, 0);
  }
  HostPlay& play = hosts_.play(slot);
  if (sign == Sign::kLife || !outage_.paused()) {
    count_sign(play.row, sign, outcome);
    if (sign == Sign::kLife) play.silent_ms = 0;
    if (sign == Sign::kSilence && play.silent_ms == 0) play.silent_ms = now.mono_ms;
  }
  // A dead port, or one dead host of a domain, says nothing of the others in its lane: they are
  // still asked.
  if (sign == Sign::kSilence) host.held_ms = std::max(host.held_ms, now.after(rest_ms(play, now)));
  if (sign == Sign::kLife && play.row.held_until_ms == 0) host.held_ms = 0;
}

// A URL is given up for silence only if its host has answered since the first of its tries.
// Otherwise the host is given up, for this run, after as many silences in a row as a URL has tries,
// but at least three.
Patience::Fate Patience::fate_of(HostSlot slot, std::uint32_t failures, Sign sign,
                                 const Moment& now) {
  const Host& host = hosts_.host(slot);
  if (host.finished && sign != Sign::kLife) return Fate::kPutOff;
  if (failures < tries_) return Fate::kAgain;
  const std::uint32_t patience = politeness_.patience;
  const std::uint32_t silences = hosts_.play(slot).row.failures;
  if (sign != Sign::kSilence || patience == 0 || failures > silences) return Fate::kLast;
  if (silences < std::min(patience, std::max(tries_, kLeastSilences)))
    return silences == 1 && host.heard ? Fate::kLast : Fate::kAgain;
  finish(slot, Finish::kPatience, now);
  return Fate::kPutOff;
}

// --- hosts ---------------------------------------------------------------------------------------

std::int64_t Patience::rest_ms(const HostPlay& play, const Moment& now) const {
  const std::int64_t silent_ms = play.silent_ms == 0 ? 0 : now.mono_ms - play.silent_ms;
  return silence_gap_ms(play.row, politeness_, silent_ms);
}

bool Patience::is_spent(const HostPlay& play, const Moment& now) const {
  return out_of_patience(play.row, politeness_) &&
         now.mono_ms - play.silent_ms >= politeness_.give_up_ms;
}

void Patience::finish(HostSlot slot, Finish why, const Moment& now) {
  Host& host = hosts_.host(slot);
  if (host.finished) return;
  host.finished = true;
  hosts_.play(slot).row.finish = why;
  hosts_.touch(slot);
  rests_.begin(slot, now.mono_ms);
  ++changes_;
  ++statistics_.hosts_finished;
  ++statistics_.hosts_given_up;
}

bool Patience::finish_if_spent(HostSlot slot, const Moment& now) {
  if (!is_spent(hosts_.play(slot), now)) return false;
  finish(slot, Finish::kPatience, now);
  return true;
}

std::vector<HostSlot> Patience::given_up() const {
  std::vector<HostSlot> out;
  rests_.for_each([&](HostSlot slot) {
    if (hosts_.host(slot).finished) out.push_back(slot);
  });
  return out;
}

// Asks a host again, with `failures` counted already.
void Patience::take_back(HostSlot slot, std::uint32_t failures) {
  Host& host = hosts_.host(slot);
  HostRow& row = hosts_.play(slot).row;
  if (!host.finished && row.failures == failures) return;
  if (host.finished) --statistics_.hosts_given_up;
  host.finished = false;
  ++changes_;
  host.holds = 0;
  row.finish = Finish::kNot;
  row.failures = failures;
  hosts_.touch(slot);
  lanes_.want(slot);
}

// One silence more, and the host rests again.
void Patience::end_rests(const Moment& now) {
  HostSlot slot = 0;
  while (rests_.take(now.mono_ms, slot)) {
    if (hosts_.host(slot).finished) take_back(slot, std::max(politeness_.patience, 1U) - 1);
  }
}

// --- pauses --------------------------------------------------------------------------------------

void Patience::end_pause_in_time(const Moment& now) {
  if (!outage_.give_up(now.mono_ms)) return;
  statistics_.paused = false;
  notices_.push_back("nothing has answered for " + seconds_text(now.mono_ms - outage_.since_ms()) +
                     " s: hosts that stay silent are given up from now on");
}

void Patience::weigh(std::size_t others, const Moment& now) {
  std::size_t lanes = lanes_.waiting();
  for (const auto& [slot, known] : outage_.silent()) {
    if (lanes_.is_waiting(hosts_.host(slot).lane) && lanes != 0) --lanes;
  }
  if (!outage_.weigh(lanes + others, now.mono_ms)) return;
  statistics_.paused = true;
  notices_.push_back(
      "nothing answers any more, not even what has answered before (" +
      std::to_string(outage_.silent().size()) +
      " hosts): the network here may be down; the crawl pauses until something does");
}

// Hosts that have been silent since then were not to blame.
void Patience::end_pause(const Host& by, const Moment& now) {
  for (const auto& [slot, known] : outage_.silent()) take_back(slot, 0);
  statistics_.paused = false;
  notices_.push_back(std::string(by.origin) +
                     " has answered: the crawl goes on, after a pause of " +
                     seconds_text(now.mono_ms - outage_.since_ms()) + " s");
}

std::optional<LaneId> Patience::next_probe(const Moment& now) {
  if (++probes_ % 2 != 0) return std::nullopt;
  std::vector<LaneId> lanes;
  for (const auto& [slot, known] : outage_.silent()) {
    const LaneId lane = hosts_.host(slot).lane;
    if (known && lanes_.due_ms(lane) <= now.mono_ms) lanes.push_back(lane);
  }
  if (lanes.empty()) return std::nullopt;
  return lanes[probes_ / 2 % lanes.size()];
}

}  // namespace spinneret::frontier
