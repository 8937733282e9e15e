// SPDX-License-Identifier: Apache-2.0
#include "frontier/visits.h"

#include <algorithm>

namespace spinneret::frontier {
namespace {

UrlState state_of(Outcome outcome) {
  switch (class_of(outcome)) {
    case OutcomeClass::kDone: return UrlState::kDone;
    case OutcomeClass::kBlocked: return UrlState::kBlocked;
    case OutcomeClass::kRetry:
    case OutcomeClass::kPersistent: return UrlState::kError;
  }
  return UrlState::kError;
}

bool has_same_content(const UrlRow& row, const Settled& result) {
  return !row.digest.empty() && (result.is_alike || row.digest == result.digest);
}

// Learns from a visit how often the page changes. One that failed says nothing, and its time counts
// to the next. What the host claimed before is judged by the visit.
void compare(UrlRow& row, const Settled& result, std::int64_t now_ms, HostId host,
             HostSignals& signals) {
  const OutcomeClass what = class_of(result.outcome);
  if (what != OutcomeClass::kDone && what != OutcomeClass::kBlocked) return;
  // Answers without a body to compare (redirects, refusals, blocked pages) are unchanged if they
  // are the same again.
  const bool same_answer = result.digest.empty() && result.outcome != Outcome::kOk &&
                           row.visits != 0 && row.outcome == result.outcome &&
                           row.status == result.status;
  const bool unchanged = same_answer || is_unchanged({result.outcome, false,
                                                      has_same_content(row, result), 0, now_ms});
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
  row.unchanged = has_same_content(row, result);
  row.etag = result.etag;
  row.last_modified = result.last_modified;
  row.digest = result.digest;
}

}  // namespace

Verdict Visits::settle(const Flight& flight, const Settled& result, const Moment& now,
                       UrlRow& row) {
  QueueEntry entry;
  if (!decode_queue_entry(flight.entry, entry)) return Verdict::kStranger;
  if (is_checked(entry.depth) && wants_more_by_now(flight.host, entry, row))
    return ask_for_more(flight, entry, row);
  read_row(flight, entry, row);
  const UrlState state = state_of(result.outcome);
  const Sign sign = sign_in(result);
  if (sign == Sign::kSilence && patience_.paused()) {
    hosts_.play(flight.host).queue.returned(flight.place);
    return Verdict::kPassing;
  }
  using Fate = Patience::Fate;
  const Fate fate = state == UrlState::kError
                        ? patience_.fate_of(flight.host, row.failures + 1, sign, now)
                        : Fate::kLast;
  if (fate == Fate::kPutOff) {
    hosts_.play(flight.host).queue.returned(flight.place);
    return put_off(flight, row);
  }
  backlog_.settle(flight.host, entry.rest, flight.place);
  row.priority = std::min(row.priority, flight.raised);
  compare(row, result, now.wall_ms, hosts_.host(flight.host).id, later_.signals());
  // A page that was asked for whole may not have come: a 304 to the next try would leave it so.
  if (row.last_ms < rules_.whole_before_ms) forget_validators(row);
  // With a clock that is behind that moment the page would be asked for whole again and again. (The
  // driver gives the moment to the second, and so up to one too late: that alone makes no visit
  // later.)
  const bool is_behind = rules_.whole_before_ms - now.wall_ms > 1000;
  record_visit(row, result, run_, is_behind ? rules_.whole_before_ms : now.wall_ms);
  if (state == UrlState::kError) ++row.failures;
  if (fate == Fate::kAgain) {
    store_retry(flight, entry.rest, now.steady_ms, row);
    return Verdict::kPassing;
  }
  row.state = state;
  conclude(flight, entry, result, row);
  return Verdict::kFinal;
}

// Whether a URL that was only asked for has been found to be a page to crawl, while it was in
// flight.
bool Visits::wants_more_by_now(HostSlot slot, const QueueEntry& entry, UrlRow& row) {
  return backlog_.get(slot, entry.rest, row) && wants_more(row.depth, entry.depth);
}

// Puts it at the end of its queue, as it would have come there without this visit.
Verdict Visits::ask_for_more(const Flight& flight, const QueueEntry& entry, UrlRow& row) {
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

// Reads the row of a page in flight, with the shortest way to it. Silences of earlier runs are no
// tries of this one.
void Visits::read_row(const Flight& flight, const QueueEntry& entry, UrlRow& row) {
  const Host& host = hosts_.host(flight.host);
  const bool in_table = entry.visited || counts_votes(backlog_.order());
  const bool found = in_table && backlog_.get(flight.host, entry.rest, row);
  if (!found) row.votes = {};
  if (!entry.visited || !found) fill_row(row, entry, flight.place, host.origin);
  row.depth = std::min(row.depth, entry.depth);
  if (row.run != run_ && sign_of(row.outcome, row.status != 0) == Sign::kSilence) row.failures = 0;
}

// Only the first visit that brings links votes; the lines of a sitemap are no votes of a page.
void Visits::vote(const Flight& flight, const QueueEntry& entry, std::string_view url,
                  UrlRow& row) {
  if (!counts_votes(backlog_.order()) || row.votes.spent || entry.is_sitemap) return;
  const UrlParts own{hosts_.host(flight.host).origin, entry.rest};
  row.votes.spent = admission_.vote(url, own, row.votes.cash);
}

// Concludes a visit with a final result: the page votes, is counted, and gets the time of its next
// visit.
void Visits::conclude(const Flight& flight, const QueueEntry& entry, const Settled& result,
                      UrlRow& row) {
  vote(flight, entry, result.url, row);
  if (row.depth == 0 && sign_in(result) == Sign::kSilence) ++statistics_.seeds_unreached;
  const RecrawlVisit visit{result.outcome, row.visits == 1, row.unchanged, result.expires_ms,
                           row.last_ms};
  if (!later_.put_visited(row, hosts_.host(flight.host).id, entry.rest, visit))
    ++statistics_.forgotten;
  backlog_.count(flight.host, UrlState::kWaiting, row.state);
  ++statistics_.outcomes[static_cast<std::size_t>(row.outcome)];
  if (was_asked(row.outcome)) {
    ++statistics_.pages;
    ++hosts_.play(flight.host).row.counts.pages;
  }
  backlog_.put(flight.host, entry.rest, row);
  if (is_checked(row.depth)) backlog_.keep_open(flight.host, entry.rest, row);
  backlog_.name_via(row);
}

void Visits::store_retry(const Flight& flight, std::string_view rest, std::int64_t steady_ms,
                         UrlRow& row) {
  later_.put_retry(row, hosts_.host(flight.host).id, rest, steady_ms, random_.next());
  backlog_.put(flight.host, rest, row);
  if (is_checked(row.depth) || counts_votes(backlog_.order()))
    backlog_.keep_open(flight.host, rest, row);
  ++statistics_.retries;
}

// The page stays where it was in the queue, with all its tries. Its place is in the window already.
Verdict Visits::put_off(const Flight& flight, UrlRow& row) {
  QueueEntry entry;
  if (!decode_queue_entry(flight.entry, entry)) return Verdict::kStranger;
  read_row(flight, entry, row);
  backlog_.name_via(row);
  if (row.failures == 0) return Verdict::kPutOff;
  row.failures = 0;
  backlog_.put(flight.host, entry.rest, row);
  return Verdict::kPutOff;
}

Later::Taken Visits::fall_due(const LaterKey& later) {
  HostSlot slot = 0;
  UrlRow row;
  const bool is_retry = later.kind == LaterKind::kRetry;
  if (!hosts_.lookup(later.host, slot) || !backlog_.get(slot, later.rest, row) || row.is_stub ||
      (row.state == UrlState::kWaiting) != is_retry)
    return Later::Taken::kStale;
  if (!is_retry) {
    if (row.run == run_ && !rules_.goes_on) return Later::Taken::kLeft;
    if (!Later::stands(later, row)) return Later::Taken::kStale;
    backlog_.revive(slot, row);
    ++statistics_.recrawled;
  }
  backlog_.requeue(slot, later.rest, row);
  return Later::Taken::kSent;
}

}  // namespace spinneret::frontier
