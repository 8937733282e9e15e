// SPDX-License-Identifier: Apache-2.0
// What the frontier keeps of an origin (table kHosts): when it may be visited again, how it has
// answered, and what waits there.
#ifndef SPINNERET_FRONTIER_HOST_ROW_H_
#define SPINNERET_FRONTIER_HOST_ROW_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/outcome.h"
#include "frontier/keys.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

// Why a host was given up in the run that wrote the row. The next run asks it again.
enum class Finish : std::uint8_t {
  kNot,
  kPatience,  // it has not answered, too often in a row
  kNoRules,   // it answers, but gives no robots.txt
};

// What the gate gives as robots-reason outside a host's Visit-time.
inline constexpr std::string_view kVisitTime = "visit-time";

struct HostCounts {
  std::uint64_t waiting = 0;  // URLs by state
  std::uint64_t done = 0;
  std::uint64_t error = 0;
  std::uint64_t blocked = 0;
  std::uint64_t pages = 0;   // asked for, with a final result
  std::uint64_t visits = 0;  // requests answered or failed, robots.txt included
  std::uint64_t bytes = 0;   // size of decoded bodies

  HostCounts& operator+=(const HostCounts& other);
  // The number of its URLs in that state.
  std::uint64_t& of(UrlState state);
};

// Ids are consecutive, and memory is taken by the highest: a row that claims more is damaged.
constexpr std::uint64_t kMostHosts = std::uint64_t{1} << 28;

struct HostRow {
  HostId id = 0;
  Finish finish = Finish::kNot;
  // The gap: see wait_left_ms. When the row was written, the next request was allowed wait_ms
  // later: at next_wall_ms by the wall clock, for people, and at next_boot_ms by the clock of that
  // boot.
  std::int64_t next_wall_ms = 0;
  std::int64_t wait_ms = 0;
  std::uint64_t boot = 0;  // number of that boot, see meta.h; 0: not known
  std::int64_t next_boot_ms = 0;
  std::int64_t crawl_delay_ms = -1;  // that of robots.txt, uncapped; -1: none
  std::int64_t response_ms = 0;      // time that the last answer took
  std::int64_t backoff_ms = 0;       // what 429 and 503 have added
  std::uint32_t factor_percent = 0;  // the delay's share of the response time; 0: not yet set
  bool no_easing = false;            // it has asked us to slow down once
  std::uint32_t calm = 0;            // successes since the back-off changed
  std::uint32_t failures = 0;        // silences in a row
  Outcome failure = Outcome::kOk;    // the last of them
  std::int64_t span_start_ms = 0;    // start of the throttle's span, by the steady clock
  std::uint64_t span_count = 0;
  std::string ip;
  HostCounts counts;
  // Until when the gate keeps the whole host back, as it last said, by the wall clock (0: it does
  // not), and why. For people; the gate is asked again.
  std::int64_t held_until_ms = 0;
  std::string held_reason;
  // The gap between an answer and the next request that had the least to spare, and what was
  // required then. Measured by the clock of one run, by this host's own visits, whatever its lane
  // says. -1: none was measured.
  std::int64_t least_gap_ms = -1;
  std::int64_t least_gap_owed_ms = 0;
};

// Notes a gap in the row. Returns whether that has changed the row.
bool note_gap(HostRow& row, std::int64_t gap_ms, std::int64_t owed_ms);

// How long the host must still be left alone at `boot_ms` of boot number `boot`. In another boot,
// or on another machine, nothing tells how much time has passed: the whole wait counts again. The
// wall clock proves nothing.
std::int64_t wait_left_ms(const HostRow& row, std::uint64_t boot, std::int64_t boot_ms);

// Why nothing more is asked of the host; empty where something is. `max_pages`: of one host; 0: no
// limit.
std::string why_finished(const HostRow& row, std::uint64_t max_pages = 0);

void encode_host_row(std::string& out, const HostRow& row);
bool decode_host_row(std::string_view bytes, HostRow& row);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HOST_ROW_H_
