// SPDX-License-Identifier: Apache-2.0
// What goes out of a frontier, and what comes back.
#ifndef SPINNERET_FRONTIER_DISPATCH_H_
#define SPINNERET_FRONTIER_DISPATCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/outcome.h"
#include "frontier/keys.h"
#include "frontier/politeness.h"

namespace spinneret::frontier {

enum class Purpose : std::uint8_t { kPage, kRobots, kSitemap };

// A URL on its way out.
struct Dispatch {
  std::string url;
  Purpose purpose = Purpose::kPage;
  std::uint32_t depth = 0;
  std::uint8_t priority = kLinkPriority;
  std::string extra;  // escaped, with its tab: "\tid=7"
  std::string etag;
  std::string last_modified;
  // The sender must wait at least this long after the last request of that lane, because what is
  // handed out in time may be delayed on its way. 0: there is no such gap, or no request that it
  // could follow.
  std::int64_t gap_ms = 0;
  std::optional<std::uint64_t> lane;  // only if it differs from what the host's name says
  bool unheard = false;               // its host gave no page the last time: see slots.h
  // No request for it may begin after send_by_ms, nor go on after end_by_ms, by Clock::boot_ns() in
  // milliseconds; 0: no limit.
  std::int64_t send_by_ms = 0, end_by_ms = 0;
  // The lease whose renewal puts off both of these (base/deadlines.h); 0: none.
  std::uint64_t by_lease = 0;
};

// A result on its way in. The views need to live during the call only; strings are unescaped.
struct Settled {
  std::string_view url;
  // The URL that answered after followed redirects; empty where there were none.
  std::string_view answered_at = {};
  Purpose purpose = Purpose::kPage;
  Outcome outcome = Outcome::kOk;
  std::uint16_t status = 0;
  std::int64_t time_ms = 0;
  std::uint64_t size = 0;
  std::optional<std::int64_t> retry_after_ms = std::nullopt;
  std::optional<std::int64_t> crawl_delay_ms = std::nullopt;
  bool has_rules = false;  // the gate has let it pass: without a crawl_delay_ms there is none now
  std::string_view needs = {};
  // Why the gate has no rule, where none decided. The page was not asked for then, whatever the
  // outcome is.
  std::string_view robots_reason = {};
  std::string_view etag = {};
  std::string_view last_modified = {};
  std::string_view digest = {};
  std::string_view ip = {};
  std::string_view error = {};
  // When the answer ceases to be fresh, by the wall clock; 0: not said.
  std::int64_t expires_ms = 0;
  // With kAborted: it was sent too late (Dispatch::send_by_ms) or was cut (end_by_ms), which is no
  // trouble of a stage.
  bool is_late = false;
  // A stage that compares words says that the content is what it was, whatever the digest says.
  bool is_alike = false;
};

// Whether a result comes from the network, and not from the gate.
inline bool is_answer(const Settled& result) {
  return was_asked(result.outcome) && result.robots_reason.empty();
}
inline Sign sign_in(const Settled& result) {
  if (!is_answer(result)) return Sign::kNone;
  return sign_of(result.outcome, result.status != 0 || result.size != 0);
}

// Whether a record that comes back shows that the pipeline works. `aborted` is a stage's own
// trouble, and `needs` also comes out of a pipeline that cannot obey the rules it asks for.
inline bool shows_life(Outcome outcome) {
  return outcome != Outcome::kAborted && outcome != Outcome::kNeeds;
}

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_DISPATCH_H_
