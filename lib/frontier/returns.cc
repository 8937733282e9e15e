// SPDX-License-Identifier: Apache-2.0
#include "frontier/returns.h"

#include <optional>

namespace spinneret::frontier {

bool Returns::note_aborted(const Settled& result) {
  const std::string key = Flights::key_of(result.purpose, result.url);
  if (result.is_late) return flights_.recall(key, time_.now());
  Flight* const flight = flights_.find(key);
  if (flight == nullptr) return false;
  flight->aborted = true;
  return true;
}

Verdict Returns::settle(const Settled& result, UrlRow& row) {
  const std::string key = Flights::key_of(result.purpose, result.url);
  const std::optional<Flight> landed = flights_.land(key);
  if (!landed) {
    ++statistics_.strangers;
    return Verdict::kStranger;
  }
  const Flight& flight = *landed;
  const Moment now = time_.now();
  suspects_.clear(key);
  answers_.take(flight, result, now);
  if (!flight.is_page()) return Verdict::kPassing;
  if (result.outcome == Outcome::kNeeds) {
    const std::optional<Gate::Failed> failed = answers_.need(flight, result, now);
    return failed ? fail(flight, result, *failed, now, row) : Verdict::kPassing;
  }
  if (!result.robots_reason.empty() && result.retry_after_ms.has_value()) {
    const bool waits = answers_.hold(flight, result, now) == Answers::Held::kWaits;
    return waits ? Verdict::kPassing : visits_.put_off(flight, row);
  }
  gate_.pass(flight.host);
  return visits_.settle(flight, result, now, row);
}

// Fails a page: what came back was no result of it, so that the user has seen none.
Verdict Returns::fail(const Flight& flight, Settled result, const Gate::Failed& why,
                      const Moment& now, UrlRow& row) {
  result.outcome = why.outcome;
  result.error = why.why;
  const Verdict verdict = visits_.settle(flight, result, now, row);
  if (is_last_word(verdict)) give_up(result, result.outcome, row);
  return Verdict::kPassing;
}

void Returns::expire(std::int64_t sent_ms) {
  for (const std::string& key : flights_.sent_by(sent_ms)) {
    lose(key, Outcome::kAborted,
         flights_.find(key)->aborted ? "a stage of the pipeline has stopped before it was done"
                                     : "no stage of the pipeline has given its record back");
  }
}

void Returns::convict_only() {
  const auto& [only, flight] = *flights_.all().begin();
  const std::string key = only;
  const int deaths = suspects_.deaths(key);
  // A robots.txt that does so costs its host patience: otherwise each of its pages would try it
  // again.
  lose(key, flight.is_page() ? Outcome::kAborted : Outcome::kBadResponse,
       "the pipeline dies of it");
  suspects_.convict(key, deaths + 1);
}

// Settles a flight whose record was dropped on its way as if it had come back aborted, which counts
// as one of its tries.
void Returns::lose(const std::string& key, Outcome outcome, std::string_view error) {
  ++statistics_.lost;
  const Purpose purpose = flights_.find(key)->purpose;
  const std::string url(Flights::url_of(key));
  Settled result{.url = url, .purpose = purpose, .outcome = outcome};
  result.error = error;
  UrlRow row;
  if (is_last_word(settle(result, row))) give_up(result, Outcome::kAborted, row);
}

void Returns::give_up(const Settled& result, Outcome outcome, const UrlRow& row) {
  GivenUp& given_up = given_up_.emplace_back();
  given_up.error = result.error;
  given_up.outcome = outcome;
  given_up.via = row.via;
  given_up.page.url = result.url;
  given_up.page.purpose = row.is_sitemap ? Purpose::kSitemap : Purpose::kPage;
  given_up.page.depth = row.depth;
  given_up.page.priority = row.priority;
  given_up.page.extra = row.extra;
}

}  // namespace spinneret::frontier
