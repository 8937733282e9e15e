// SPDX-License-Identifier: Apache-2.0
// Fetches what robots-check asks servers for by itself: robots.txt files, the files beside them,
// sitemaps, pages.
#ifndef SPINNERET_TOOLS_ROBOTS_FETCH_H_
#define SPINNERET_TOOLS_ROBOTS_FETCH_H_

#include <string>
#include <vector>

#include "cli/tool.h"
#include "http/fetch.h"

namespace spinneret {

// Fetches each URL by GET, all at one time, with up to `hops` redirects. The results are in the
// order of the URLs; failures are results like any other. A body beyond `max_size` is cut and
// counts as good where `max_size` is at most that of a robots.txt; beyond a larger limit it is an
// error. Requests are sent in the name of `agent`.
std::vector<http::FetchResult> fetch_files(const cli::Options& options, const std::string& agent,
                                           const std::vector<std::string>& urls, int hops,
                                           std::uint64_t max_size);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_FETCH_H_
