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

UrlState state_of(Outcome outcome) {
  switch (class_of(outcome)) {
    case OutcomeClass::kDone: return UrlState::kDone;
    case OutcomeClass::kBlocked: return UrlState::kBlocked;
    case OutcomeClass::kRetry:
    case OutcomeClass::kPersistent: return UrlState::kError;
  }
  return UrlState::kError;
}

// What the visit says of how often the page changes. A visit that failed says nothing, and its time counts to the next.
// What the host said of it before is judged by that.
void compare(UrlRow& row, const Settled& result, std::int64_t now_ms, HostId host,
             HostSignals& signals) {
  const OutcomeClass what = class_of(result.outcome);
  if (what != OutcomeClass::kDone && what != OutcomeClass::kBlocked) return;
  const bool same_digest = !row.digest.empty() && row.digest == result.digest;
  // What has no body to compare, redirects, refusals and what is blocked, is as it was where it is the same again.
  const bool same_answer = result.digest.empty() && result.outcome != Outcome::kOk &&
                           row.visits != 0 && row.outcome == result.outcome &&
                           row.status == result.status;
  const bool unchanged =
      same_answer || is_unchanged({result.outcome, false, same_digest, 0, now_ms});
  const bool known = same_answer || result.outcome == Outcome::kNotModified ||
                     (!row.digest.empty() && !result.digest.empty());
  if (known) {
    signals.learn(
        host, row,
        {!unchanged, result.outcome == Outcome::kNotModified, result.etag, result.last_modified});
  }
  row.claimed = false;
  // The wall clock may have been set back.
  const std::int64_t gap_ms = now_ms - row.compared_ms;
  if (row.compared_ms != 0 && known && gap_ms > 0) row.history.add(gap_ms, !unchanged);
  row.compared_ms = now_ms;
}

void record_visit(UrlRow& row, const Settled& result, std::uint32_t run, std::int64_t now_ms) {
  ++row.visits;
  row.outcome = result.outcome;
  row.status = result.status;
  row.last_ms = now_ms;
  row.run = run;
  row.due_ms = 0;
  row.unchanged = false;
  row.error = result.error;
  if (class_of(result.outcome) != OutcomeClass::kDone) return;
  row.failures = 0;
  // A 304 keeps what the page had.
  if (result.outcome == Outcome::kNotModified) return;
  row.unchanged = !row.digest.empty() && row.digest == result.digest;
  row.etag = result.etag;
  row.last_modified = result.last_modified;
  row.digest = result.digest;
}

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
  return settle_page(flight, result, row);
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
    return put_off(flight, row);
  if (held == Gate::Hold::kNoRules) {
    gate_.note_reason(flight.host, result.robots_reason);
    patience_.finish(flight.host, Finish::kNoRules, at);
    return put_off(flight, row);
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
  const Verdict verdict = settle_page(flight, settled, row);
  if (is_last_word(verdict)) give_up(result.url, settled.error, settled.outcome, row);
  return Verdict::kPassing;
}

Verdict Frontier::settle_page(const Flight& flight, const Settled& result, UrlRow& row) {
  const Host& host = hosts_.host(flight.host);
  QueueEntry entry;
  if (!decode_queue_entry(flight.entry, entry)) return Verdict::kStranger;
  if (is_checked(entry.depth) && wants_more_by_now(flight.host, entry, row))
    return ask_for_more(flight, entry, row);
  read_final_row(flight, entry, row);
  const UrlState state = state_of(result.outcome);
  const Sign sign = sign_in(result);
  const bool is_silent = sign == Sign::kSilence;
  if (is_silent && patience_.paused()) {
    hosts_.play(flight.host).queue.returned(flight.place);
    return Verdict::kPassing;
  }
  using Fate = Patience::Fate;
  const Fate fate = state == UrlState::kError
                        ? patience_.fate_of(flight.host, row.failures + 1, sign, now())
                        : Fate::kLast;
  if (fate == Fate::kPutOff) {
    hosts_.play(flight.host).queue.returned(flight.place);
    return put_off(flight, row);
  }
  backlog_.settle(flight.host, entry.rest, flight.place);
  row.priority = std::min(row.priority, flight.raised);
  const std::int64_t wall_ms = now().wall_ms;
  compare(row, result, wall_ms, hosts_.host(flight.host).id, later_.signals());
  record_visit(row, result, run_, wall_ms);
  if (state == UrlState::kError) ++row.failures;
  if (fate == Fate::kAgain) {
    store_retry(flight, entry.rest, row);
    return Verdict::kPassing;
  }
  row.state = state;
  vote(flight, entry, result.url, row);
  if (row.depth == 0 && is_silent) ++statistics_.seeds_unreached;
  const RecrawlVisit visit{result.outcome, row.visits == 1, row.unchanged, result.expires_ms,
                           row.last_ms};
  if (!later_.put_visited(row, host.id, entry.rest, visit)) ++statistics_.forgotten;
  store_final(flight, entry.rest, row);
  return Verdict::kFinal;
}

// Whether a URL that was only asked for has been found to be a page to crawl, while it was in flight.
bool Frontier::wants_more_by_now(HostSlot slot, const QueueEntry& entry, UrlRow& row) {
  return backlog_.get(slot, entry.rest, row) && wants_more(row.depth, entry.depth);
}

// It goes to the end of its queue, as it would have without this visit.
Verdict Frontier::ask_for_more(const Flight& flight, const QueueEntry& entry, UrlRow& row) {
  const Host& host = hosts_.host(flight.host);
  const std::uint32_t depth = row.depth;
  if (row.is_stub) fill_row(row, entry, flight.place, host.origin);
  row.depth = depth;
  row.priority = std::min(row.priority, flight.raised);
  backlog_.settle(flight.host, entry.rest, flight.place);
  backlog_.requeue(flight.host, entry.rest, row);
  if (is_checked(row.depth)) backlog_.keep_open(flight.host, entry.rest, row);
  return Verdict::kPassing;
}

// The row of a page in flight, with the shortest way to it. Silences of earlier runs are no tries of this one.
void Frontier::read_final_row(const Flight& flight, const QueueEntry& entry, UrlRow& row) {
  const Host& host = hosts_.host(flight.host);
  const bool in_table = entry.visited || counts_votes(backlog_.order());
  const bool found = in_table && backlog_.get(flight.host, entry.rest, row);
  if (!found) row.votes = {};
  if (!entry.visited || !found) fill_row(row, entry, flight.place, host.origin);
  row.depth = std::min(row.depth, entry.depth);
  if (row.run != run_ && sign_of(row.outcome, row.status != 0) == Sign::kSilence) row.failures = 0;
}

// The first visit that brings links counts, and no other; a sitemap's lines are no word of a page.
void Frontier::vote(const Flight& flight, const QueueEntry& entry, std::string_view url,
                    UrlRow& row) {
  if (!counts_votes(backlog_.order()) || row.votes.spent || entry.is_sitemap) return;
  const UrlParts own{hosts_.host(flight.host).origin, entry.rest};
  row.votes.spent = admission_.vote(url, own, row.votes.cash);
}

void Frontier::store_final(const Flight& flight, std::string_view rest, const UrlRow& row) {
  backlog_.count(flight.host, UrlState::kWaiting, row.state);
  ++statistics_.outcomes[static_cast<std::size_t>(row.outcome)];
  if (was_asked(row.outcome)) {
    ++statistics_.pages;
    ++hosts_.play(flight.host).row.counts.pages;
  }
  backlog_.put(flight.host, rest, row);
  if (is_checked(row.depth)) backlog_.keep_open(flight.host, rest, row);
}

void Frontier::store_retry(const Flight& flight, std::string_view rest, UrlRow& row) {
  later_.put_retry(row, hosts_.host(flight.host).id, rest, now().steady_ms, random_.next());
  backlog_.put(flight.host, rest, row);
  if (is_checked(row.depth) || counts_votes(backlog_.order()))
    backlog_.keep_open(flight.host, rest, row);
  ++statistics_.retries;
}

}  // namespace spinneret::frontier
