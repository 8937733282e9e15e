// SPDX-License-Identifier: Apache-2.0
// What robots-check asks servers for by itself: robots.txt files, the files beside them, sitemaps, pages.
#ifndef SPINNERET_TOOLS_ROBOTS_FETCH_H_
#define SPINNERET_TOOLS_ROBOTS_FETCH_H_

#include <string>
#include <vector>

#include "cli/tool.h"
#include "http/fetch.h"

namespace spinneret {

// GET of each URL, all at one time, with up to `hops` redirects; in the order of the URLs. A body is cut at
// `max_size` and good, where that is no more than a robots.txt may have; else it is an error. `agent`: whose name is sent. Failures are results like any other.
std::vector<http::FetchResult> fetch_files(const cli::Options& options, const std::string& agent,
                                           const std::vector<std::string>& urls, int hops,
                                           std::uint64_t max_size);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_FETCH_H_
