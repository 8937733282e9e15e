// SPDX-License-Identifier: Apache-2.0
// When a page is visited again: pure rules.
//
//   --recrawl 4w               four weeks after the last visit
//   --recrawl adaptive:1d..90d a page that has changed is visited twice as soon as last time, one that has
//                              not half as soon again; between the two bounds
//
// A 304, the same digest and the outcome `duplicate` count as unchanged. Expires puts the visit off, within
// the upper bound; the lastmod of a sitemap brings it forward, by way of the frontier.
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
  bool enabled() const { return least_ms > 0; }
  bool adaptive() const { return least_ms != most_ms; }
};

// "4w", "adaptive:1d..90d"; nothing where it is neither.
std::optional<Recrawl> parse_recrawl(std::string_view text);
std::string to_string(const Recrawl& rules);

struct RecrawlVisit {
  Outcome outcome = Outcome::kOk;
  bool first = true;  // nothing to compare with
  bool same_digest = false;
  std::int64_t expires_ms = 0;  // of the response; 0: none
  std::int64_t now_ms = 0;      // all by the wall clock
};

// Adapts `interval_ms` (0: not yet set) and returns the time of the next visit.
std::int64_t next_visit_ms(std::int64_t& interval_ms, const RecrawlVisit& visit,
                           const Recrawl& rules);

// "2026-11-20", "2026-11-20T10:00:00Z", "…+01:00" (the W3C profile that sitemaps use), in milliseconds.
std::optional<std::int64_t> parse_w3c_time(std::string_view text);
// How long "daily" and its like are; nothing for "always" and "never".
std::optional<std::int64_t> change_frequency_ms(std::string_view word);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_RECRAWL_H_
