// SPDX-License-Identifier: Apache-2.0
#include "frontier/answers.h"

#include <algorithm>

#include "base/number.h"

namespace spinneret::frontier {
namespace {

// How long the gate may keep a host back at once; a host that closes for longer says so again.
constexpr std::int64_t kMaxHoldMs = 86'400'000;

}  // namespace

void Answers::take(const Flight& flight, const Settled& result, const Moment& now) {
  // An aborted flight was given up, and has not come back. Not every stage says how long a host
  // took.
  if (result.outcome != Outcome::kAborted)
    lanes_.note_return(flight.from, is_answer(result) ? result.time_ms : 0,
                       !is_answer(result) || result.time_ms != 0, now.mono_ms);
  learn_crawl_delay(flight.host, result);
  pace(flight, result, now);
  if (!flight.is_page()) {
    const bool is_refused = result.outcome == Outcome::kRefusedAddress;
    gate_.landed(flight.host, sign_in(result) == Sign::kSilence,
                 is_refused ? std::optional(result.error) : std::nullopt);
    ++statistics_.robots;
  }
  lanes_.follow_address(flight.host);
}

void Answers::learn_crawl_delay(HostSlot slot, const Settled& result) {
  const bool is_told = result.has_rules || result.purpose == Purpose::kRobots;
  if (!result.crawl_delay_ms && !is_told) return;
  HostRow& row = hosts_.play(slot).row;
  const std::int64_t delay = result.crawl_delay_ms.value_or(-1);
  if (row.crawl_delay_ms == delay) return;
  row.crawl_delay_ms = delay;
  hosts_.touch(slot);
  const std::int64_t cap = politeness_.crawl_delay_cap_ms;
  if (delay > cap) {
    notices_.push_back(std::string(hosts_.host(slot).origin) + " asks for a Crawl-delay of " +
                       seconds_text(delay) + " s; --crawl-delay-cap makes it " + seconds_text(cap) +
                       " s");
  }
}

void Answers::pace(const Flight& flight, const Settled& result, const Moment& now) {
  if (!is_answer(result)) return lanes_.take_back_gap(flight.host, flight.from);
  HostPlay& play = hosts_.play(flight.host);
  const Sign sign = sign_in(result);
  if (sign != Sign::kNone) {
    const bool quick = sign == Sign::kLife && result.time_ms < Slots::kSilentMs;
    lanes_.note_sign(flight.host, quick, flight.is_page(), now.mono_ms - flight.from.sent_ms);
  }
  patience_.take_sign(flight.host, sign, result.outcome, flight.from.sent_ms, now);
  const HostSlot speaker = answered_by(flight.host, result.answered_at);
  // If another host answered, this host's own answer was a redirect.
  const Outcome own = speaker == flight.host ? result.outcome : Outcome::kRedirect;
  const std::int64_t gap = gap_after(play.row, {own, result.time_ms, result.retry_after_ms},
                                     politeness_, random_.next());
  const bool is_limited = result.outcome == Outcome::kRateLimited;
  lanes_.keep_gap(flight.host, flight.from, gap, is_limited, now);
  if (speaker != flight.host) pace_speaker(speaker, flight, result, now);
  // With several requests at once a gap lies between them, and an answer begins none.
  if (politeness_.per_host == 1) {
    play.answered_ms = now.mono_ms;
    play.owed_ms = gap;
  }
  if (result.retry_after_ms) {
    tell_hold(speaker, " asks to be left alone for " + seconds_text(*result.retry_after_ms) + " s",
              gap);
  }
  count(flight.host, result);
  // A robots.txt does not give a host up: its page goes out first, to where a copy of the rules may
  // be, and then shows what has happened.
  if (flight.is_page()) patience_.finish_if_spent(flight.host, now);
}

// Returns the host that answered: another host than `asked` if redirects were followed to a URL of
// a known host in another lane.
HostSlot Answers::answered_by(HostSlot asked, std::string_view at) {
  if (at.empty() || !parse(at, url_) || !url_.is_http()) return asked;
  const HostSlot slot = hosts_.known(cut_url(url_, scratch_).origin);
  return slot == kNoSlot || hosts_.host(slot).lane == hosts_.host(asked).lane ? asked : slot;
}

// Paces a host that was asked just now by a redirect that fetch followed. The time of the answer is
// mostly that of the hosts before it, so the host's own response time counts.
void Answers::pace_speaker(HostSlot slot, const Flight& flight, const Settled& result,
                           const Moment& now) {
  HostRow& row = hosts_.play(slot).row;
  const std::int64_t gap = gap_after(row, {result.outcome, row.response_ms, result.retry_after_ms},
                                     politeness_, random_.next());
  lanes_.keep_gap(slot, flight.from, gap, /*from_answer=*/true, now);
  hosts_.touch(slot);
  lanes_.want(slot);
}

void Answers::count(HostSlot slot, const Settled& result) {
  HostRow& row = hosts_.play(slot).row;
  ++row.counts.visits;
  ++statistics_.all.visits;
  row.counts.bytes += result.size;
  statistics_.all.bytes += result.size;
  statistics_.bytes += result.size;
  hosts_.touch(slot);
  // After a followed redirect the address is that of another host.
  if (result.answered_at.empty() && !result.ip.empty() && row.ip != result.ip) row.ip = result.ip;
}

// --- what the gate says --------------------------------------------------------------------------

Answers::Held Answers::hold(const Flight& flight, const Settled& result, const Moment& now) {
  HostPlay& play = hosts_.play(flight.host);
  play.queue.returned(flight.place);
  const Gate::Hold held = gate_.hold(flight.host, result.robots_reason, now.mono_ms);
  if (held == Gate::Hold::kAlready) return Held::kWaits;
  if (!patience_.paused() && patience_.finish_if_spent(flight.host, now)) return Held::kPutOff;
  if (held == Gate::Hold::kNoRules) {
    gate_.note_reason(flight.host, result.robots_reason);
    patience_.finish(flight.host, Finish::kNoRules, now);
    return Held::kPutOff;
  }
  const std::int64_t asked_ms = std::clamp<std::int64_t>(*result.retry_after_ms, 1, kMaxHoldMs);
  const bool is_down = held == Gate::Hold::kDown;
  keep_back(flight.host, is_down ? std::min(patience_.rest_ms(play, now), asked_ms) : asked_ms,
            result.robots_reason, now);
  return Held::kWaits;
}

std::optional<Gate::Failed> Answers::need(const Flight& flight, const Settled& result,
                                          const Moment& now) {
  std::optional<Gate::Failed> failed = gate_.need(flight.host, result.needs);
  if (failed) {
    patience_.finish_if_spent(flight.host, now);
  } else {
    hosts_.play(flight.host).queue.returned(flight.place);
  }
  return failed;
}

void Answers::keep_back(HostSlot slot, std::int64_t ms, std::string_view reason,
                        const Moment& now) {
  gate_.keep_back(slot, now, ms, reason);
  lanes_.want(slot);
  tell_hold(slot, Gate::why_held(hosts_.play(slot).row, reason), ms);
}

void Answers::tell_hold(HostSlot slot, const std::string& why, std::int64_t ms) {
  if (std::optional<std::string> notice = gate_.tell(hosts_.host(slot), why, ms))
    notices_.push_back(std::move(*notice));
}

}  // namespace spinneret::frontier
