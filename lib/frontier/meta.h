// SPDX-License-Identifier: Apache-2.0
// The table kMeta: what is true of a whole state. Rows by name; numbers as varints.
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
inline constexpr std::string_view kFlyingKey = "flying";  // and a number: see flying_key
inline constexpr std::string_view kCleanKey = "clean";
inline constexpr std::string_view kRecrawlKey = "recrawl";
inline constexpr std::string_view kBudgetKey = "budget";  // see best_visits.h
inline constexpr std::string_view kHostPagesKey = "max-host-pages";
inline constexpr std::string_view kLanesKey = "politeness-key";
inline constexpr std::string_view kPartitionKey = "partition";
inline constexpr std::string_view kRefusedKey = "refused";
inline constexpr std::string_view kBootKey = "boot";
inline constexpr std::string_view kOrderKey = "order";
inline constexpr std::string_view kMovingKey =
    "moving";  // the format before, while it is changed to ours
// 9: all rows of hosts stood in kHosts.
// 8: each URL named the page that told of it by that page's URL.
// 7: rows of URLs stood by the rest of the URL, and had none.
// 6: rows had no votes, and arrivals no rank.
// 5: there was no log of hosts.
// 4: rows had no history of changes, and no places by worth.
// 3: hosts that were given up were so for ever, and the URL that found that out counted as blocked by robots.txt.
inline constexpr std::uint64_t kFormat = 10;
inline constexpr std::uint64_t kOldestFormat = 3;
inline constexpr std::uint64_t kFingerprintFormat = 8;

struct Meta {
  std::uint64_t format = kFormat;       // that it was written in, be it in part
  std::uint32_t run = 0;                // runs so far
  std::uint64_t arrivals_reserved = 1;  // arrival numbers below this may have been given out
  bool clean = true;                    // closed in order: the hosts' counts are right
  std::vector<HostId> flying;           // hosts that may have had something in flight
  std::uint64_t flying_rows = 0;        // that they stand in
  std::uint64_t max_host_pages = 0;     // of the last run that crawled; 0: no limit
  std::optional<PolitenessKey> lanes;   // of that run; none: it did not say so yet
  std::string partition;                // that it was, such as 3/16; empty: a crawl on one machine
  std::string recrawl;                  // the rules that kLater's recrawls were made by
  // That the queues stand in; none: they are being put into another.
  std::optional<Order> order = Order::kPriority;
  bool ranks_stand = true;  // they do so by the ranks of today
};

// An empty store gives the defaults. It and one of an older format that we know are marked with ours at the next
// commit. A state of another format is an Error.
Result<Meta> read_meta(Store& store);

// The boot in which a state is open, and its steady clock: one that no setting of the wall clock moves within a boot,
// whatever runs there are. It begins with the wall clock's time.
struct Boot {
  std::string id;            // see Clock::boot_id
  std::uint64_t number = 0;  // of this state's boots, from 1
  std::int64_t boot_ms = 0;  // when the steady clock showed ...
  std::int64_t steady_ms = 0;
};
// As it is for who opens the state now.
Boot boot_now(Store& store, const Clock& clock);
std::string encode_boot(const Boot& boot);

// How many links each rule has refused, in all runs that came to their end: by the rule's text and place, greatest first.
using RefusalCounts = std::vector<std::pair<std::string, std::uint64_t>>;
RefusalCounts read_refusals(Store& store);
// At most 100 rules; those that refused least are left out.
RefusalCounts sum_of(const RefusalCounts& a, const RefusalCounts& b);
std::string encode_refusals(const RefusalCounts& counts);

std::string encode_number(std::uint64_t number);
// The rows of hosts that may have something in flight are numbered from 0: what goes out anew adds a row.
std::string flying_key(std::uint64_t number);
std::string encode_ids(std::span<const HostId> ids);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_META_H_
