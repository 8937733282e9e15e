// SPDX-License-Identifier: Apache-2.0
// When a page is visited again: pure rules.
//
//   --recrawl 4w                four weeks after the last visit
//   --recrawl adaptive:1d..90d  after half the last interval if the page has changed, else after
//                               one and a half, between the two bounds
//   --recrawl best:5000/d       as many visits as that, each where it is worth most: freshness.h
//
// A 304, the same digest, and the verdict of a stage that knows content (the outcome `duplicate`,
// or that it is alike) count as unchanged. With the first two rules, Expires puts the visit off,
// within the upper bound; the lastmod of a sitemap brings it forward, by way of the frontier.
#ifndef SPINNERET_FRONTIER_RECRAWL_H_
#define SPINNERET_FRONTIER_RECRAWL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/outcome.h"

namespace spinneret::frontier {

struct Recrawl {
  std::int64_t least_ms = 0;  // 0: pages are not visited again
  std::int64_t most_ms = 0;
  std::uint64_t visits = 0;  // number of visits of a budget, in span_ms
  std::int64_t span_ms = 0;
  bool enabled() const { return least_ms > 0; }
  bool best() const { return visits > 0; }
  bool adaptive() const { return least_ms != most_ms && !best(); }
};

// Parses "4w", "adaptive:1d..90d", "best:5000/d,least=1h,most=90d" (both bounds may be left out);
// nothing where `text` is none of these.
std::optional<Recrawl> parse_recrawl(std::string_view text, std::string* why = nullptr);
// Names the rules by which pages have their places in kLater. Those of a budget do not depend on
// its numbers.
std::string order_of(const Recrawl& rules);

struct RecrawlVisit {
  Outcome outcome = Outcome::kOk;
  bool first = true;  // nothing to compare with
  bool same_content = false;
  std::int64_t expires_ms = 0;  // when the response expires; 0: not said
  std::int64_t now_ms = 0;      // all by the wall clock
};

bool is_unchanged(const RecrawlVisit& visit);

// Adapts `interval_ms` (0: not yet set) and returns the time of the next visit. An interval that
// was learned is never lost to other rules: a fixed one leaves it alone, and bounds that it lies
// beyond move it no further than a visit says.
std::int64_t next_visit_ms(std::int64_t& interval_ms, const RecrawlVisit& visit,
                           const Recrawl& rules);
// The same for a visit of the past, by whatever rules it was made.
std::int64_t next_visit_after(std::int64_t last_ms, std::int64_t interval_ms, const Recrawl& rules);

// Parses "2026-11-20", "2026-11-20T10:00:00Z", "…+01:00" (the W3C profile that sitemaps use) into
// milliseconds.
std::optional<std::int64_t> parse_w3c_time(std::string_view text);
// The length of "daily" and its like; nothing for "always" and "never".
std::optional<std::int64_t> change_frequency_ms(std::string_view word);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_RECRAWL_H_
