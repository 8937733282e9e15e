// SPDX-License-Identifier: Apache-2.0
#include "frontier/later.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "frontier/meta.h"

namespace spinneret::frontier {
namespace {

// The most URLs that are taken at once when they fall due.
constexpr int kTakenAtOnce = 1000;
// Operations of a rebuild in one commit.
constexpr std::size_t kBatch = 10'000;
constexpr unsigned kMostDoublings = 16;

// Adds a quarter at most, and takes nothing away.
std::int64_t jittered(std::int64_t ms, std::uint64_t random) {
  return ms * static_cast<std::int64_t>(100 + random % 26) / 100;
}

}  // namespace

// --- the start -----------------------------------------------------------------------------------

std::int64_t Later::load_retries() {
  for_each_retry([this](const LaterKey& first) {
    retry_due_ms_ = first.due_ms;
    return true;
  });
  return has_retries() ? retry_due_ms_ - longest_delay_ms() * 5 / 4 : INT64_MIN;
}

Status Later::load_revisits(std::int64_t wall_ms, bool is_new, const std::string& order,
                            const OriginOf& origin_of) {
  opened_ms_ = wall_ms;
  if (!rules_.recrawl.enabled()) return {};
  if (const Status done = store_.commit(); !done.ok()) return done;
  if (rules_.recrawl.best()) best_.emplace(store_, rules_.recrawl).load(wall_ms, is_new);
  if (const std::string wanted = order_of(rules_.recrawl); order != wanted) {
    if (const Status rebuilt = rebuild(wanted, origin_of); !rebuilt.ok()) return rebuilt;
  }
  from_.assign(1, static_cast<char>(LaterKind::kRecrawl));
  revisit_due_ms_ = 0;  // look at the next commit
  return {};
}

Status Later::rebuild(const std::string& order, const OriginOf& origin_of) {
  if (best_) best_->forget_pages();
  const std::unique_ptr<Cursor> at = store_.scan(Table::kUrls);
  for (at->seek({}); at->valid(); at->next()) {
    HostId id = 0;
    UrlRow row;
    if (!split_url_key(at->key(), id)) continue;
    const std::optional<std::string_view> origin = origin_of(id);
    if (!origin || !decode_url_row(at->value(), *origin, row)) continue;
    if (row.state == UrlState::kWaiting || row.gone >= rules_.gone_tries) continue;
    drop(row, id, row.rest);
    row.ranked = false;
    put_again(row, id, row.rest);
    encode_url_row(bytes_, row, *origin);
    store_.put(Table::kUrls, at->key(), bytes_);
    if (store_.staged() < kBatch) continue;
    if (const Status done = store_.commit(); !done.ok()) return done;
  }
  stage();
  store_.put(Table::kMeta, kRecrawlKey, order);
  return store_.commit();
}

// Puts a page by its last visit and what is known of it.
void Later::put_again(UrlRow& row, HostId host, std::string_view rest) {
  if (best_) return best_->put(row, host, rest);
  row.visit_class = 0;
  row.due_ms = next_visit_after(row.last_ms, row.interval_ms, rules_.recrawl);
  put(row, host, rest);
}

// --- what waits ----------------------------------------------------------------------------------

void Later::put(const UrlRow& row, HostId host, std::string_view rest) {
  make_later_key(key_, row, host, rest);
  store_.put(Table::kLater, key_, {});
}

void Later::drop(const UrlRow& row, HostId host, std::string_view rest) {
  if (row.due_ms == 0) return;
  make_later_key(key_, row, host, rest);
  store_.erase(Table::kLater, key_);
}

void Later::put_retry(UrlRow& row, HostId host, std::string_view rest, std::int64_t steady_ms,
                      std::uint64_t random) {
  const unsigned doublings = std::min(row.failures - 1, kMostDoublings);
  const std::int64_t delay = std::min(rules_.retry_delay_ms << doublings, longest_delay_ms());
  row.state = UrlState::kWaiting;
  row.due_ms = steady_ms + jittered(delay, random);
  put(row, host, rest);
  retry_due_ms_ = std::min(retry_due_ms_, row.due_ms);
  counted_.reset();
}

void Later::set_budget(const Recrawl& rules) {
  Recrawl& known = rules_.recrawl;
  if (!best_ || (rules.visits == known.visits && rules.span_ms == known.span_ms)) return;
  known.visits = rules.visits;
  known.span_ms = rules.span_ms;
  best_->set_budget(known);
  revisit_due_ms_ = 0;  // look at the next commit
}

bool Later::put_visited(UrlRow& row, HostId host, std::string_view rest,
                        const RecrawlVisit& visit) {
  const bool is_gone = visit.outcome == Outcome::kNotFound || visit.outcome == Outcome::kGone;
  row.gone = is_gone ? row.gone + 1 : 0;
  if (!rules_.recrawl.enabled()) {
    // The next run with revisits finds these pages by a walk over all rows.
    if (!std::exchange(unscheduled_, true)) store_.put(Table::kMeta, kRecrawlKey, {});
    return true;
  }
  // A page that was asked for so often and never there is not asked for again, and a link to it is
  // no news any more.
  if (is_gone && row.gone >= rules_.gone_tries) return false;
  if (best_) {
    best_->put(row, host, rest);
    revisit_due_ms_ = best_->due_ms(row.last_ms, before_ms());
    return true;
  }
  row.visit_class = 0;
  row.due_ms = next_visit_ms(row.interval_ms, visit, rules_.recrawl);
  put(row, host, rest);
  revisit_due_ms_ = std::min(revisit_due_ms_, row.due_ms);
  return true;
}

void Later::hint(UrlRow& row, HostId host, std::string_view rest, std::int64_t modified_ms,
                 std::int64_t interval_ms, std::int64_t wall_ms) {
  if (!rules_.recrawl.enabled() || row.state == UrlState::kWaiting || row.due_ms == 0) return;
  const bool is_news = modified_ms > row.last_ms && modified_ms <= wall_ms;
  if (is_news) row.claimed = true;
  if (best_) {
    if (is_news && best_->may_hurry(row, wall_ms) && signals_.follows_lastmod(host)) {
      best_->hurry(row, host, rest, wall_ms);
      revisit_due_ms_ = 0;
    }
    return;
  }
  std::int64_t due = row.due_ms;
  if (interval_ms != 0)
    due = std::min(due, row.last_ms + std::max(interval_ms, rules_.recrawl.least_ms));
  if (is_news && due > wall_ms && signals_.follows_lastmod(host)) due = wall_ms;
  if (due >= row.due_ms) return;
  drop(row, host, rest);
  row.due_ms = due;
  put(row, host, rest);
  revisit_due_ms_ = std::min(revisit_due_ms_, due);
  from_ = std::min(from_, key_);
}

void Later::stage() {
  if (best_) best_->stage();
  signals_.stage();
}

// --- what is due ---------------------------------------------------------------------------------

std::int64_t Later::wait_ms(const Moment& now) const {
  const auto until = [](std::int64_t due, std::int64_t now_ms) {
    return due == INT64_MAX ? due : std::max<std::int64_t>(due - now_ms, 0);
  };
  return std::min(until(retry_due_ms_, now.steady_ms), until(revisit_due_ms_, now.wall_ms));
}

bool Later::has_revisits(std::int64_t wall_ms) const {
  return revisit_due_ms_ != INT64_MAX && (rules_.continuous || revisit_due_ms_ <= wall_ms);
}

bool Later::stands(const LaterKey& key, const UrlRow& row) {
  const int visit_class = key.kind == LaterKind::kWorth ? key.visit_class + 1 : 0;
  return row.due_ms == key.due_ms && row.visit_class == visit_class;
}

void Later::take_due(const Moment& now, const Take& each) {
  if (retry_due_ms_ <= now.steady_ms) take_retries(now.steady_ms, each);
  if (revisit_due_ms_ > now.wall_ms) return;
  if (!best_) return take_revisits(now.wall_ms, each);
  best_->take(now.wall_ms, before_ms(), kTakenAtOnce, each);
  revisit_due_ms_ = best_->due_ms(now.wall_ms, before_ms());
}

void Later::take_retries(std::int64_t steady_ms, const Take& each) {
  retry_due_ms_ = INT64_MAX;
  counted_.reset();
  int taken = 0;
  for_each_retry([&](const LaterKey& key) {
    if (key.due_ms > steady_ms || taken == kTakenAtOnce) {
      retry_due_ms_ = key.due_ms;
      return true;
    }
    ++taken;
    each(key);
    make_later_key(key_, key);
    store_.erase(Table::kLater, key_);
    return false;
  });
}

void Later::take_revisits(std::int64_t wall_ms, const Take& each) {
  revisit_due_ms_ = INT64_MAX;
  const std::unique_ptr<Cursor> at = store_.scan(Table::kLater);
  int taken = 0;
  for (at->seek(from_); at->valid(); at->next()) {
    LaterKey key;
    if (!split_later_key(at->key(), key) || key.kind != LaterKind::kRecrawl) break;
    if (key.due_ms > wall_ms || taken == kTakenAtOnce) {
      revisit_due_ms_ = key.due_ms;
      break;
    }
    if (!rules_.continuous) from_ = at->key();
    ++taken;
    if (each(key) != Taken::kLeft) store_.erase(Table::kLater, at->key());
  }
}

void Later::for_each_retry(const std::function<bool(const LaterKey&)>& each) const {
  const std::unique_ptr<Cursor> at = store_.scan(Table::kLater);
  LaterKey key;
  for (at->seek({}); at->valid() && split_later_key(at->key(), key); at->next()) {
    if (key.kind != LaterKind::kRetry || each(key)) return;
  }
}

bool Later::has_retries(std::uint64_t version, const std::function<bool(HostId)>& counts) {
  if (!has_retries()) return false;
  if (std::exchange(version_, version) == version && counted_) return *counted_;
  counted_ = false;
  for_each_retry([&](const LaterKey& key) { return counted_.emplace(counts(key.host)); });
  return *counted_;
}

}  // namespace spinneret::frontier
