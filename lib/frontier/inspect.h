// SPDX-License-Identifier: Apache-2.0
// Looking into a state: every host and every URL, sorted, and whether it is all in order. Reads only; works
// on a store that was opened read-only beside a running crawl.
#ifndef SPINNERET_FRONTIER_INSPECT_H_
#define SPINNERET_FRONTIER_INSPECT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frontier/host_row.h"
#include "frontier/store.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

// A row of kUrls with, where it is a stub, what stands with its place in the queue; it stays a stub where that
// is not there. False where the bytes are no row.
bool read_url_row(Store& store, HostId host, std::string_view origin, std::string_view bytes,
                  UrlRow& row);

struct HostEntry {
  std::string origin;
  HostRow row;
};

// Hosts in the order of their origins. `each` returns false to stop.
Status for_each_host(Store& store, const std::function<bool(const HostEntry&)>& each);

// A host's URLs in their order. `each` gets the rest of the URL (see keys.h).
Status for_each_url(Store& store, const HostEntry& host,
                    const std::function<bool(std::string_view rest, const UrlRow&)>& each);

struct FoundUrl {
  HostEntry host;
  std::string rest;
  UrlRow row;
};
// Looks up one URL, in any spelling that parses to it.
Result<std::optional<FoundUrl>> find_url(Store& store, std::string_view url);

// Holds the tables against each other: every place in a queue has its waiting URL and the other way round,
// every URL that is to wait again its entry in kLater, every retry there its URL, counts are those of the rows. `problem` gets one
// sentence for each that is found. Returns the number of URLs seen. Block checksums are verified too.
Result<std::uint64_t> verify(Store& store, const std::function<void(const std::string&)>& problem);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_INSPECT_H_
