// SPDX-License-Identifier: Apache-2.0
// What becomes of a URL by its result.
#include <algorithm>
#include <string>
#include <utility>

#include "base/number.h"
#include "frontier/frontier.h"

namespace spinneret::frontier {
namespace {

// How long the gate may keep a host back at once; what closes for longer says so again.
constexpr std::int64_t kMaxHoldMs = 86'400'000;

}  // namespace

Settlement Frontier::settle(const Settled& result) {
  Settlement out;
  if (result.outcome == Outcome::kAborted) {
    Flight* const flight = flights_.find(Flights::key_of(result.purpose, result.url));
    if (flight == nullptr) return out;
    flight->aborted = true;
    out.verdict = Verdict::kPassing;
    return out;
  }
  seal();
  out.verdict = settle_flight(result, out.row);
  if (out.verdict == Verdict::kStranger) return out;
  admission_.end_page();
  if (shows_life(result.outcome)) company_.suspects.note_life();
  return out;
}

Verdict Frontier::settle_flight(const Settled& result, UrlRow& row) {
  const std::string key = Flights::key_of(result.purpose, result.url);
  const std::optional<Flight> landed = flights_.land(key);
  if (!landed) {
    ++statistics_.strangers;
    return Verdict::kStranger;
  }
  const Flight& flight = *landed;
  company_.suspects.clear(key);
  learn_crawl_delay(flight.host, result);
  pace(flight, result);
  if (!flight.is_page()) settle_rules(flight, result);
  lanes_.follow_address(flight.host);
  if (!flight.is_page()) return Verdict::kPassing;
  if (result.outcome == Outcome::kNeeds) return settle_needs(flight, result, row);
  if (!result.robots_reason.empty() && result.retry_after_ms.has_value())
    return hold(flight, result, row);
  gate_.pass(flight.host);
  return visits_.settle(flight, result, now(), row);
}

void Frontier::pace(const Flight& flight, const Settled& result) {
  if (!is_answer(result)) return lanes_.take_back_gap(flight.host, flight.from);
  HostPlay& play = hosts_.play(flight.host);
  HostRow& row = play.row;
  const Moment at = now();
  const Sign sign = sign_in(result);
  if (sign != Sign::kNone) {
    const bool quick = sign == Sign::kLife && result.time_ms < Slots::kSilentMs;
    lanes_.note_sign(flight.host, quick, flight.is_page(), at.mono_ms - flight.from.sent_ms);
  }
  patience_.take_sign(flight.host, sign, result.outcome, flight.from.sent_ms, at);
  const std::int64_t gap = gap_after(row, {result.outcome, result.time_ms, result.retry_after_ms},
                                     options_.politeness, random_.next());
  const bool is_limited = result.outcome == Outcome::kRateLimited;
  lanes_.keep_gap(flight.host, flight.from, gap, is_limited, at);
  // With several at once a gap lies between requests, and an answer begins none.
  if (options_.politeness.per_host == 1) {
    play.answered_ms = at.mono_ms;
    play.owed_ms = gap;
  }
  if (result.retry_after_ms) {
    tell_hold(hosts_.host(flight.host),
              " asks to be left alone for " + seconds_text(*result.retry_after_ms) + " s", gap);
  }
  ++row.counts.visits;
  ++statistics_.all.visits;
  row.counts.bytes += result.size;
  statistics_.all.bytes += result.size;
  statistics_.bytes += result.size;
  hosts_.touch(flight.host);
  if (!result.ip.empty() && row.ip != result.ip) row.ip = result.ip;
  // Not by a robots.txt: its page goes first to where a copy of it may be, and then tells what has happened.
  if (flight.is_page()) patience_.finish_if_spent(flight.host, at);
}

void Frontier::learn_crawl_delay(HostSlot slot, const Settled& result) {
  const bool is_told = result.has_rules || result.purpose == Purpose::kRobots;
  if (!result.crawl_delay_ms && !is_told) return;
  HostRow& row = hosts_.play(slot).row;
  const std::int64_t delay = result.crawl_delay_ms.value_or(-1);
  if (row.crawl_delay_ms == delay) return;
  row.crawl_delay_ms = delay;
  hosts_.touch(slot);
  const std::int64_t cap = options_.politeness.crawl_delay_cap_ms;
  if (delay > cap) {
    notices_.push_back(std::string(hosts_.host(slot).origin) + " asks for a Crawl-delay of " +
                       seconds_text(delay) + " s; --crawl-delay-cap makes it " + seconds_text(cap) +
                       " s");
  }
}

void Frontier::settle_rules(const Flight& flight, const Settled& result) {
  const bool is_refused = result.outcome == Outcome::kRefusedAddress;
  gate_.landed(flight.host, sign_in(result) == Sign::kSilence,
               is_refused ? std::optional(result.error) : std::nullopt);
  ++statistics_.robots;
}

// The page keeps its place, and its host is left alone; or the host is given up for this run.
Verdict Frontier::hold(const Flight& flight, const Settled& result, UrlRow& row) {
  HostPlay& play = hosts_.play(flight.host);
  play.queue.returned(flight.place);
  const Moment at = now();
  const Gate::Hold held = gate_.hold(flight.host, result.robots_reason, at.mono_ms);
  if (held == Gate::Hold::kAlready) return Verdict::kPassing;
  if (!patience_.paused() && patience_.finish_if_spent(flight.host, at))
    return visits_.put_off(flight, row);
  if (held == Gate::Hold::kNoRules) {
    gate_.note_reason(flight.host, result.robots_reason);
    patience_.finish(flight.host, Finish::kNoRules, at);
    return visits_.put_off(flight, row);
  }
  const std::int64_t asked_ms = std::clamp<std::int64_t>(*result.retry_after_ms, 1, kMaxHoldMs);
  hold_for(flight.host,
           held == Gate::Hold::kDown ? std::min(patience_.rest_ms(play, at), asked_ms) : asked_ms,
           result.robots_reason);
  return Verdict::kPassing;
}

void Frontier::hold_for(HostSlot slot, std::int64_t ms, std::string_view reason) {
  gate_.keep_back(slot, now(), ms, reason);
  lanes_.want(slot);
  tell_hold(hosts_.host(slot), Gate::why_held(hosts_.play(slot).row, reason), ms);
}

void Frontier::tell_hold(const Host& host, const std::string& why, std::int64_t ms) {
  if (std::optional<std::string> notice = gate_.tell(host, why, ms))
    notices_.push_back(std::move(*notice));
}

Verdict Frontier::settle_needs(const Flight& flight, const Settled& result, UrlRow& row) {
  const std::optional<Gate::Failed> failed = gate_.need(flight.host, result.needs);
  if (!failed) {
    hosts_.play(flight.host).queue.returned(flight.place);
    return Verdict::kPassing;
  }
  patience_.finish_if_spent(flight.host, now());
  Settled settled = result;
  settled.outcome = failed->outcome;
  settled.error = failed->why;
  const Verdict verdict = visits_.settle(flight, settled, now(), row);
  if (is_last_word(verdict)) give_up(result.url, settled.error, settled.outcome, row);
  return Verdict::kPassing;
}

}  // namespace spinneret::frontier
