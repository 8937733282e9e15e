// SPDX-License-Identifier: Apache-2.0
#include "frontier/recrawl.h"

#include <algorithm>
#include <chrono>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret::frontier {
namespace {

constexpr std::string_view kAdaptive = "adaptive:";
constexpr std::int64_t kDayMs = 86'400'000;
// The interval of a page that has shown nothing yet.
constexpr std::int64_t kFirstIntervalMs = 7 * kDayMs;
constexpr std::string_view kBest = "best:";
constexpr std::int64_t kBestLeastMs = kDayMs / 24;
constexpr std::int64_t kBestMostMs = 90 * kDayMs;
constexpr std::uint64_t kMostVisits = 1'000'000'000;

// `size` digits at `at`, or -1.
int digits(std::string_view text, std::size_t at, std::size_t size) {
  if (at + size > text.size()) return -1;
  int value = 0;
  for (const char c : text.substr(at, size)) {
    if (!is_digit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

// "Z", "+01:00": minutes ahead of UTC. Nothing for any other text.
std::optional<int> zone_minutes(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const int hours = digits(text, 1, 2);
  const int minutes = digits(text, 4, 2);
  if (hours < 0 || minutes < 0) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

// "1d", or "d" for the same.
std::optional<std::int64_t> parse_span_ms(std::string_view text) {
  if (text.empty() || is_digit(text.front())) return parse_duration_ms(text);
  return parse_duration_ms("1" + std::string(text));
}

// "5000/d,least=1h,most=90d"
std::optional<Recrawl> parse_best(std::string_view text, std::string* why) {
  Recrawl out{kBestLeastMs, kBestMostMs, 0, 0};
  const std::string_view budget = text.substr(0, text.find(','));
  text.remove_prefix(budget.size());
  const std::size_t slash = budget.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> visits = parse_unsigned(budget.substr(0, slash));
  const std::optional<std::int64_t> span = parse_span_ms(budget.substr(slash + 1));
  if (!visits || !span || budget.ends_with('/') || *visits == 0 || *visits > kMostVisits ||
      *span <= 0)
    return std::nullopt;
  out.visits = *visits;
  out.span_ms = *span;
  while (!text.empty()) {
    text.remove_prefix(1);  // the comma
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = word.substr(0, equals);
    const std::optional<std::int64_t> bound = parse_duration_ms(word.substr(equals + 1));
    if ((name != "least" && name != "most") || !bound || *bound <= 0) return std::nullopt;
    (name == "least" ? out.least_ms : out.most_ms) = *bound;
  }
  if (out.most_ms > out.least_ms) return out;
  if (why != nullptr) {
    *why = "takes a most= that is greater than least=: here they are " + seconds_text(out.most_ms) +
           "s and " + seconds_text(out.least_ms) + "s";
  }
  return std::nullopt;
}

// An interval that was learned beyond the bounds stays so while a visit only confirms it.
std::int64_t within(std::int64_t learned_ms, std::int64_t next_ms, const Recrawl& rules) {
  const std::int64_t next = std::clamp(next_ms, rules.least_ms, rules.most_ms);
  const bool beyond = (learned_ms > rules.most_ms && next == rules.most_ms) ||
                      (learned_ms != 0 && learned_ms < rules.least_ms && next == rules.least_ms);
  return beyond ? learned_ms : next;
}

}  // namespace

bool is_unchanged(const RecrawlVisit& visit) {
  return visit.outcome == Outcome::kNotModified || visit.outcome == Outcome::kDuplicate ||
         visit.same_content;
}

std::optional<Recrawl> parse_recrawl(std::string_view text, std::string* why) {
  if (text.starts_with(kBest)) return parse_best(text.substr(kBest.size()), why);
  if (!text.starts_with(kAdaptive)) {
    const std::optional<std::int64_t> fixed = parse_duration_ms(text);
    if (!fixed || *fixed <= 0) return std::nullopt;
    return Recrawl{*fixed, *fixed};
  }
  text.remove_prefix(kAdaptive.size());
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> least = parse_duration_ms(text.substr(0, dots));
  const std::optional<std::int64_t> most = parse_duration_ms(text.substr(dots + 2));
  if (!least || !most || *least <= 0 || *most <= *least) return std::nullopt;
  return Recrawl{*least, *most};
}

std::string order_of(const Recrawl& rules) {
  if (rules.best()) return "best";
  if (!rules.adaptive()) return seconds_text(rules.least_ms) + "s";
  return std::string(kAdaptive) + seconds_text(rules.least_ms) + "s.." +
         seconds_text(rules.most_ms) + "s";
}

std::int64_t next_visit_ms(std::int64_t& interval_ms, const RecrawlVisit& visit,
                           const Recrawl& rules) {
  if (rules.adaptive()) {
    std::int64_t next = std::clamp(interval_ms, rules.least_ms, rules.most_ms);
    if (interval_ms == 0 || visit.first) {
      next = kFirstIntervalMs;
    } else if (is_unchanged(visit)) {
      next += next / 2;
    } else if (class_of(visit.outcome) == OutcomeClass::kDone) {
      next /= 2;
    }
    interval_ms = within(interval_ms, next, rules);
  }
  const std::int64_t due = next_visit_after(visit.now_ms, interval_ms, rules);
  return std::clamp(visit.expires_ms, due, std::max(due, visit.now_ms + rules.most_ms));
}

std::int64_t next_visit_after(std::int64_t last_ms, std::int64_t interval_ms,
                              const Recrawl& rules) {
  if (interval_ms == 0) interval_ms = kFirstIntervalMs;
  return last_ms + std::clamp(interval_ms, rules.least_ms, rules.most_ms);
}

std::optional<std::int64_t> parse_w3c_time(std::string_view text) {
  const int year = digits(text, 0, 4);
  if (year < 0) return std::nullopt;
  const int month = text.size() == 4 ? 1 : digits(text, 5, 2);
  const int day = text.size() <= 7 ? 1 : digits(text, 8, 2);
  if (month < 0 || day < 0) return std::nullopt;
  if (text.size() > 4 && text[4] != '-') return std::nullopt;
  if (text.size() > 7 && text[7] != '-') return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  std::int64_t ms = std::chrono::sys_days(date).time_since_epoch().count() * kDayMs;
  if (text.size() <= 10)
    return text.size() == 4 || text.size() == 7 || text.size() == 10 ? std::optional(ms)
                                                                     : std::nullopt;
  const int hour = digits(text, 11, 2);
  const int minute = digits(text, 14, 2);
  if (hour < 0 || hour > 24 || minute < 0 || minute > 59) return std::nullopt;
  ms += (hour * 60 + minute) * 60'000;
  std::size_t at = 16;
  if (at < text.size() && text[at] == ':') {
    const int second = digits(text, at + 1, 2);
    if (second < 0 || second > 60) return std::nullopt;
    ms += second * 1000;
    at += 3;
    if (at < text.size() && text[at] == '.') at = text.find_first_not_of("0123456789", at + 1);
  }
  const std::optional<int> zone =
      zone_minutes(at < text.size() ? text.substr(at) : std::string_view());
  if (!zone) return std::nullopt;
  return ms - *zone * std::int64_t{60'000};
}

std::optional<std::int64_t> change_frequency_ms(std::string_view word) {
  if (word == "hourly") return kDayMs / 24;
  if (word == "daily") return kDayMs;
  if (word == "weekly") return 7 * kDayMs;
  if (word == "monthly") return 30 * kDayMs;
  if (word == "yearly") return 365 * kDayMs;
  return std::nullopt;
}

}  // namespace spinneret::frontier
