// SPDX-License-Identifier: Apache-2.0
#include "frontier/best_visits.h"

#include <algorithm>
#include <optional>

#include "frontier/encode.h"
#include "frontier/meta.h"

namespace spinneret::frontier {
namespace {

// Sums of days are stored in so many parts of a day.
constexpr double kDayParts = 1000;

void make_class_prefix(std::string& out, VisitClass of) {
  out.assign(1, static_cast<char>(LaterKind::kWorth));
  put_big_endian(out, of.number, 2);
}

}  // namespace

BestVisits::BestVisits(Store& store, const Recrawl& rules)
    : store_(store),
      least_ms_(rules.least_ms),
      most_ms_(rules.most_ms),
      choice_(rules.least_ms, rules.most_ms),
      budget_(rules.visits, rules.span_ms),
      from_(kVisitClasses) {}

void BestVisits::set_budget(const Recrawl& rules) {
  Budget other(rules.visits, rules.span_ms);
  other.restore(budget_.spent_us());
  budget_ = other;
}

void BestVisits::load(std::int64_t now_ms, bool is_new) {
  std::string bytes;
  if (is_new) {
    budget_.restore(now_ms * 1000);
    changed_ = true;
  }
  if (store_.get(Table::kMeta, kBudgetKey, bytes)) {
    Decoder from{bytes};
    const auto spent_us = static_cast<std::int64_t>(from.varint());
    const auto sum = static_cast<std::int64_t>(from.varint());
    const std::uint64_t pages = from.varint();
    // The mean of steps must be a step; what is damaged is learned again.
    const bool sane =
        !from.bad && sum >= 0 && static_cast<std::uint64_t>(sum) / kRateSteps <= pages;
    if (sane) budget_.restore(std::max<std::int64_t>(spent_us, 0));
    RatePrior::Learned learned{sum, pages};
    // The row of an older release ends here.
    const std::uint64_t days = from.varint();
    const std::uint64_t squares = from.varint();
    if (!from.bad && squares / (kRateSteps * kRateSteps) <= days) {
      learned.days = static_cast<double>(days) / kDayParts;
      learned.squares = static_cast<double>(squares) / kDayParts;
    }
    prior_ = sane ? RatePrior(learned) : RatePrior();
  }
  const std::unique_ptr<Cursor> at = store_.scan(Table::kLater);
  make_class_prefix(key_, VisitClass{0});
  for (at->seek(key_); at->valid(); at->seek(key_)) {
    LaterKey key;
    if (!split_later_key(at->key(), key) || key.kind != LaterKind::kWorth ||
        key.visit_class >= kVisitClasses)
      break;
    see(VisitClass{key.visit_class}, key, at->key());
    make_class_prefix(key_, VisitClass{static_cast<std::uint16_t>(key.visit_class + 1)});
  }
}

// Takes in an entry that may be the oldest of its class.
void BestVisits::see(VisitClass of, const LaterKey& key, std::string_view bytes) {
  std::string& from = from_[of.number];
  if (choice_.oldest(of) != VisitChoice::kNone && from <= bytes) return;
  from = bytes;
  choice_.set_oldest(of, key.due_ms);
}

void BestVisits::put(UrlRow& row, HostId host, std::string_view rest) {
  std::size_t step = 0;
  if (row.history.empty()) {
    step = prior_.step(row.history);
  } else {
    const VisitClass before{static_cast<std::uint16_t>(row.visit_class - 1)};
    step = prior_.learn(row.history, row.ranked ? std::optional(before.rate_step()) : std::nullopt);
    row.ranked = true;
    changed_ = true;
  }
  const VisitClass at = VisitClass::of(step, row.priority);
  row.visit_class = static_cast<std::uint16_t>(at.number + 1);
  row.due_ms = std::max<std::int64_t>(row.last_ms, 1);
  make_later_key(key_, row, host, rest);
  store_.put(Table::kLater, key_, {});
  see(at, {LaterKind::kWorth, row.due_ms, host, rest, at.number}, key_);
}

// The time of a last visit that makes a page as urgent as can be.
std::int64_t BestVisits::urgent_ms(std::int64_t now_ms) const {
  return std::max<std::int64_t>(now_ms - most_ms_ + 1, 1);
}

bool BestVisits::may_hurry(const UrlRow& row, std::int64_t now_ms) const {
  return row.visit_class != 0 && row.due_ms > urgent_ms(now_ms) &&
         now_ms - row.last_ms >= least_ms_;
}

void BestVisits::hurry(UrlRow& row, HostId host, std::string_view rest, std::int64_t now_ms) {
  make_later_key(key_, row, host, rest);
  store_.erase(Table::kLater, key_);
  row.due_ms = urgent_ms(now_ms);
  make_later_key(key_, row, host, rest);
  store_.put(Table::kLater, key_, {});
  const auto number = static_cast<std::uint16_t>(row.visit_class - 1);
  see(VisitClass{number}, {LaterKind::kWorth, row.due_ms, host, rest, number}, key_);
}

// Makes the entry at the cursor, which is the class's first from from_ on, the head of the class.
// False: there is none.
bool BestVisits::head(Cursor& at, VisitClass of, LaterKey& out) {
  const bool found = at.valid() && split_later_key(at.key(), out) &&
                     out.kind == LaterKind::kWorth && out.visit_class == of.number;
  choice_.set_oldest(of, found ? out.due_ms : VisitChoice::kNone);
  if (found) {
    from_[of.number] = at.key();
  } else {
    from_[of.number].clear();
  }
  return found;
}

void BestVisits::take(std::int64_t now_ms, std::int64_t before_ms, int most, const Take& each) {
  const std::unique_ptr<Cursor> at = store_.scan(Table::kLater);
  while (most > 0 && budget_.has(now_ms)) {
    const std::optional<VisitClass> best = choice_.best(now_ms, before_ms);
    if (!best) break;
    const std::int64_t taken_for = choice_.oldest(*best);
    at->seek(from_[best->number]);
    LaterKey key;
    if (!head(*at, *best, key) || key.due_ms > taken_for) continue;
    const Taken what = each(key);
    if (what != Taken::kLeft) store_.erase(Table::kLater, at->key());
    if (what == Taken::kSent) {
      budget_.take();
      changed_ = true;
      --most;
    }
    at->next();
    head(*at, *best, key);
  }
}

std::int64_t BestVisits::due_ms(std::int64_t now_ms, std::int64_t before_ms) {
  const std::int64_t due = choice_.due_ms(before_ms);
  return due == INT64_MAX ? due : std::max(due, budget_.due_ms(now_ms));
}

void BestVisits::stage() {
  if (!changed_) return;
  changed_ = false;
  std::string bytes;
  put_varint(bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(budget_.spent_us(), 0)));
  const RatePrior::Learned& learned = prior_.learned();
  put_varint(bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(learned.sum, 0)));
  put_varint(bytes, learned.pages);
  put_varint(bytes, static_cast<std::uint64_t>(learned.days * kDayParts));
  put_varint(bytes, static_cast<std::uint64_t>(learned.squares * kDayParts));
  store_.put(Table::kMeta, kBudgetKey, bytes);
}

}  // namespace spinneret::frontier
