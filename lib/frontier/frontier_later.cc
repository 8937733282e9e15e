// SPDX-License-Identifier: Apache-2.0
// What waits for its time: failed tries, and pages that are to be visited again.
#include <algorithm>
#include <string>

#include "frontier/frontier.h"
#include "frontier/meta.h"

namespace spinneret::frontier {
namespace {

// At most so many that are due again are taken in at once.
constexpr int kPromoteAtOnce = 1000;

}  // namespace

Status Frontier::promote_due() {
  const Moment at = now();
  if (retry_due_ms_ > at.steady_ms && recrawl_due_ms_ > at.wall_ms) return {};
  if (retry_due_ms_ <= at.steady_ms) promote_retries();
  if (recrawl_due_ms_ <= at.wall_ms) best_ ? promote_best() : promote_recrawls();
  return commit_staged();
}

void Frontier::promote_retries() {
  const std::int64_t steady_ms = now().steady_ms;
  retry_due_ms_ = INT64_MAX;
  retries_left_.reset();
  const std::unique_ptr<Cursor> at = store_.scan(Table::kLater);
  int taken = 0;
  for (at->seek({}); at->valid(); at->next()) {
    LaterKey later;
    if (!split_later_key(at->key(), later) || later.kind != LaterKind::kRetry) break;
    if (later.due_ms > steady_ms || taken == kPromoteAtOnce) {
      retry_due_ms_ = later.due_ms;
      break;
    }
    ++taken;
    HostSlot slot = 0;
    UrlRow row;
    if (load_row(later, slot, row) && row.state == UrlState::kWaiting)
      requeue(slot, later.rest, row);
    store_.erase(Table::kLater, at->key());
  }
}

// What was visited in this run already stays for the next one, unless this one goes on for ever: so a run
// ends even where pages fall due faster than they can be fetched.
void Frontier::promote_recrawls() {
  const std::int64_t wall_ms = now().wall_ms;
  recrawl_due_ms_ = INT64_MAX;
  const std::unique_ptr<Cursor> at = store_.scan(Table::kLater);
  int taken = 0;
  for (at->seek(recrawl_from_); at->valid(); at->next()) {
    LaterKey later;
    if (!split_later_key(at->key(), later) || later.kind != LaterKind::kRecrawl) break;
    if (later.due_ms > wall_ms || taken == kPromoteAtOnce) {
      recrawl_due_ms_ = later.due_ms;
      break;
    }
    if (!options_.continuous) recrawl_from_ = at->key();
    ++taken;
    bool visited_now = false;
    promote(later, visited_now);
    if (!visited_now) store_.erase(Table::kLater, at->key());
  }
}

void Frontier::promote_best() {
  const std::int64_t wall_ms = now().wall_ms;
  best_->take(wall_ms, revisit_before_ms(), kPromoteAtOnce, [this](const LaterKey& later) {
    bool visited_now = false;
    if (promote(later, visited_now)) return BestVisits::Taken::kSent;
    return visited_now ? BestVisits::Taken::kLeft : BestVisits::Taken::kStale;
  });
  recrawl_due_ms_ = best_->due_ms(wall_ms, revisit_before_ms());
}

std::int64_t Frontier::revisit_before_ms() const {
  return options_.continuous ? VisitChoice::kNone : opened_ms_;
}

// A page that is to be visited again goes to the end of its host's queue. False: it is not to be, be it that it was
// visited in this run.
bool Frontier::promote(const LaterKey& later, bool& visited_now) {
  HostSlot slot = 0;
  UrlRow row;
  const bool known = load_row(later, slot, row) && row.state != UrlState::kWaiting;
  visited_now = known && row.run == run_ && !options_.continuous;
  const bool by_worth = later.kind == LaterKind::kWorth;
  if (visited_now || !known || row.due_ms != later.due_ms ||
      (by_worth ? later.visit_class + 1 : 0) != row.visit_class)
    return false;
  count_state(slot, row.state, UrlState::kWaiting);
  row.state = UrlState::kWaiting;
  row.failures = 0;
  requeue(slot, later.rest, row);
  ++statistics_.recrawled;
  return true;
}

// Other rules than those that kLater's recrawls were made by: make them anew, once. What was learned stays.
Status Frontier::rebuild_recrawl(const std::string& order) {
  constexpr std::size_t kBatch = 10'000;
  std::unique_ptr<Cursor> at = store_.scan(Table::kUrls);
  std::string later_key;
  if (best_) best_->forget_pages();
  for (at->seek({}); at->valid(); at->next()) {
    HostId id = 0;
    HostSlot slot = 0;
    UrlRow row;
    if (!split_url_key(at->key(), id) || !hosts_.lookup(id, slot)) continue;
    const std::string_view origin = hosts_.host(slot).origin;
    if (!decode_url_row(at->value(), origin, row) || row.state == UrlState::kWaiting) continue;
    if (row.gone >= options_.gone_tries) continue;
    if (row.due_ms != 0) {
      make_later_key(later_key, row, id, row.rest);
      store_.erase(Table::kLater, later_key);
    }
    row.ranked = false;
    schedule(row, id, row.rest);
    encode_url_row(row_bytes_, row, origin);
    store_.put(Table::kUrls, at->key(), row_bytes_);
    if (store_.staged() < kBatch) continue;
    if (const Status done = store_.commit(); !done.ok()) return done;
  }
  if (best_) best_->stage();
  store_.put(Table::kMeta, kRecrawlKey, order);
  return store_.commit();
}

// By its last visit and what is known of it.
void Frontier::schedule(UrlRow& row, HostId id, std::string_view rest) {
  if (best_) return best_->put(row, id, rest);
  row.visit_class = 0;
  row.due_ms = next_visit_after(row.last_ms, row.interval_ms, options_.recrawl);
  make_later_key(entry_bytes_, row, id, rest);
  store_.put(Table::kLater, entry_bytes_, {});
}

// A sitemap says when a page was changed, or how often it is: one that was visited before that is due now.
void Frontier::hint(const Admission::Entry& entry, UrlRow& row, HostSlot slot) {
  if (!options_.recrawl.enabled() || row.state == UrlState::kWaiting || row.due_ms == 0) return;
  const std::int64_t now_ms = now().wall_ms;
  if (best_) {
    const bool is_news = entry.modified_ms > row.last_ms && entry.modified_ms <= now_ms;
    if (is_news && best_->hurry(row, hosts_.host(slot).id, entry.rest, now_ms)) recrawl_due_ms_ = 0;
    return;
  }
  std::int64_t due = row.due_ms;
  if (entry.interval_ms != 0)
    due = std::min(due, row.last_ms + std::max(entry.interval_ms, options_.recrawl.least_ms));
  if (entry.modified_ms > row.last_ms && entry.modified_ms <= now_ms) due = std::min(due, now_ms);
  if (due >= row.due_ms) return;
  const HostId id = hosts_.host(slot).id;
  make_later_key(entry_bytes_, {LaterKind::kRecrawl, row.due_ms, id, entry.rest});
  store_.erase(Table::kLater, entry_bytes_);
  row.due_ms = due;
  make_later_key(entry_bytes_, {LaterKind::kRecrawl, due, id, entry.rest});
  store_.put(Table::kLater, entry_bytes_, {});
  recrawl_due_ms_ = std::min(recrawl_due_ms_, due);
  recrawl_from_ = std::min(recrawl_from_, entry_bytes_);
}

}  // namespace spinneret::frontier
