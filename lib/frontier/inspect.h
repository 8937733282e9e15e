// SPDX-License-Identifier: Apache-2.0
// Looking into a state: every host and every URL, in order, and whether it is all in order. Reads only; works
// on a store that was opened read-only beside a running crawl.
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

// Hosts in the order of their origins. `each` returns false to stop. A damaged log of rows (row_log.h) is an Error; with
// `problem`, which is told, a host whose last row is lost has an older one.
Status for_each_host(Store& store, const std::function<bool(const HostEntry&)>& each,
                     const std::function<void(const std::string&)>& problem = {});

// A host's URLs, sorted; those of a host that has more than kSortedUrls are so in runs of that many, lest they all be in
// memory. `each` gets the rest of the URL (see keys.h). A URL that waits and whose place is lost has no name any more:
// `lost` gets its key.
inline constexpr std::size_t kSortedUrls = 500'000;
Status for_each_url(Store& store, const HostEntry& host,
                    const std::function<bool(std::string_view rest, const UrlRow&)>& each,
                    const std::function<void(std::string_view key)>& lost = {});

struct FoundUrl {
  HostEntry host;
  std::string rest;
  UrlRow row;
};
// Looks up one URL, in any spelling that parses to it. Who asks for many reads the log of rows once: up to 60 MB of it.
Result<std::optional<FoundUrl>> find_url(Store& store, std::string_view url);
Result<std::optional<FoundUrl>> find_url(Store& store, const LoggedRows& logged,
                                         std::string_view url);

// Holds the tables against each other: every place in a queue has its waiting URL and the other way round,
// every URL that is to wait again its entry in kLater, every retry there its URL, counts are those of the rows. `problem` gets one
// sentence for each that is found. Returns the number of URLs seen. Block checksums are verified too.
Result<std::uint64_t> verify(Store& store, const std::function<void(const std::string&)>& problem);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_INSPECT_H_
