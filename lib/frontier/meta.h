// SPDX-License-Identifier: Apache-2.0
// The table kMeta: what is true of a whole state. Rows have names; numbers are varints.
#ifndef SPINNERET_FRONTIER_META_H_
#define SPINNERET_FRONTIER_META_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "frontier/keys.h"
#include "frontier/order.h"
#include "frontier/politeness.h"
#include "frontier/store.h"

namespace spinneret::frontier {

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kRunKey = "run";
inline constexpr std::string_view kArrivalsKey = "arrivals";
inline constexpr std::string_view kFlyingKey = "flying";  // followed by a number: see flying_key
inline constexpr std::string_view kCleanKey = "clean";
inline constexpr std::string_view kRecrawlKey = "recrawl";
inline constexpr std::string_view kBudgetKey = "budget";  // see best_visits.h
inline constexpr std::string_view kHostPagesKey = "max-host-pages";
inline constexpr std::string_view kLanesKey = "politeness-key";
inline constexpr std::string_view kPartitionKey = "partition";
inline constexpr std::string_view kRefusedKey = "refused";
inline constexpr std::string_view kBootKey = "boot";
inline constexpr std::string_view kOrderKey = "order";
// The format before, while it is changed to ours.
inline constexpr std::string_view kMovingKey = "moving";
// What was different in older formats:
//   9  All rows of hosts stood in kHosts.
//   8  Each URL had the URL of the page that it was found on.
//   7  Rows of URLs stood by the rest of the URL, and did not contain it.
//   6  Rows had no votes, and arrivals no rank.
//   5  There was no log of hosts.
//   4  Rows had no history of changes, and no places by worth.
//   3  Hosts were given up for ever, and the URL by which that was found out counted as blocked by
//      robots.txt.
inline constexpr std::uint64_t kFormat = 10;
inline constexpr std::uint64_t kOldestFormat = 3;
inline constexpr std::uint64_t kFingerprintFormat = 8;

struct Meta {
  std::uint64_t format = kFormat;       // format in which it was written, at least in part
  std::uint32_t run = 0;                // runs so far
  std::uint64_t arrivals_reserved = 1;  // arrival numbers below this may have been given out
  bool clean = true;                    // closed in order: the hosts' counts are right
  std::vector<HostId> flying;           // hosts that may have had something in flight
  std::uint64_t flying_rows = 0;        // number of rows that hold those
  std::uint64_t max_host_pages = 0;     // limit of the last run that crawled; 0: none
  std::optional<PolitenessKey> lanes;   // key of that run's lanes; none: not yet noted
  std::string partition;                // such as 3/16; empty: a crawl on one machine
  std::string recrawl;                  // the rules by which kLater's recrawls were put
  // The order in which the queues stand; none: they are being reordered.
  std::optional<Order> order = Order::kPriority;
  bool ranks_stand = true;  // they stand so by the ranks of today
};

// Reads the rows; an empty store gives the defaults. Stages our format in an empty store, and in
// one of an older format that we know. A state of another format is an Error.
Result<Meta> read_meta(Store& store);

// The boot in which a state is open, and the state's steady clock: no setting of the wall clock
// moves it within a boot, whatever runs there are. It begins with the time of the wall clock.
struct Boot {
  std::string id;            // see Clock::boot_id
  std::uint64_t number = 0;  // counts this state's boots, from 1
  std::int64_t boot_ms = 0;  // when the steady clock showed ...
  std::int64_t steady_ms = 0;
};
// Returns the present boot, for opening the state.
Boot boot_now(Store& store, const Clock& clock);
std::string encode_boot(const Boot& boot);

// How many links each rule has refused, in all runs that came to their end: by the rule's text and
// place, greatest first.
using RefusalCounts = std::vector<std::pair<std::string, std::uint64_t>>;
RefusalCounts read_refusals(Store& store);
// Keeps at most 100 rules; those that refused least are left out.
RefusalCounts sum_of(const RefusalCounts& a, const RefusalCounts& b);
std::string encode_refusals(const RefusalCounts& counts);

std::string encode_number(std::uint64_t number);
// The key of a row of hosts that may have something in flight. Rows are numbered from 0; what goes
// out anew adds one.
std::string flying_key(std::uint64_t number);
std::string encode_ids(std::span<const HostId> ids);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_META_H_
