// SPDX-License-Identifier: Apache-2.0
// Looks into a state: at every host and every URL, in order, and whether the tables agree. Reads
// only; works on a store that was opened read-only beside a running crawl.
#ifndef SPINNERET_FRONTIER_INSPECT_H_
#define SPINNERET_FRONTIER_INSPECT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frontier/host_row.h"
#include "frontier/row_log.h"
#include "frontier/store.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

struct HostEntry {
  std::string origin;
  HostRow row;
};

// Calls `each` with the hosts in the order of their origins; `each` returns false to stop. A
// damaged log of rows (row_log.h) is an Error; with `problem`, which gets a sentence, a host whose
// last row is lost has an older one.
Status for_each_host(Store& store, const std::function<bool(const HostEntry&)>& each,
                     const std::function<void(const std::string&)>& problem = {});

// Calls `each` with the rest (see keys.h) and the row of each URL of a host, sorted. Of a host that
// has more than kSortedUrls they are sorted in runs of that many, so that not all are in memory. A
// URL that waits and whose place is lost has no name any more: `lost` gets its key.
inline constexpr std::size_t kSortedUrls = 500'000;
Status for_each_url(Store& store, const HostEntry& host,
                    const std::function<bool(std::string_view rest, const UrlRow&)>& each,
                    const std::function<void(std::string_view key)>& lost = {});

struct FoundUrl {
  HostEntry host;
  std::string rest;
  UrlRow row;
};
// Looks up one URL, in any spelling that parses to it. Whoever asks for many reads the log of rows
// once: up to 60 MB.
Result<std::optional<FoundUrl>> find_url(Store& store, std::string_view url);
Result<std::optional<FoundUrl>> find_url(Store& store, const LoggedRows& logged,
                                         std::string_view url);

// Checks the tables against each other: every place in a queue has its waiting URL and the other
// way round, every URL that is to wait again its entry in kLater, every retry there its URL, and
// counts are those of the rows. Block checksums are verified, too. `problem` gets a sentence for
// each fault. Returns the number of URLs seen.
Result<std::uint64_t> verify(Store& store, const std::function<void(const std::string&)>& problem);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_INSPECT_H_
