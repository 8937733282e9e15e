// SPDX-License-Identifier: Apache-2.0
// The URLs that people give a crawl to begin with: into its frontier, or into the inbox of a crawl that runs.
//
// They come as lines of records from the operands of a tool. A line that is no http or https URL is reported by
// Tool::refuse(), and the others are taken. Everything is borrowed, for the call alone. Not thread-safe.
#ifndef SPINNERET_LOOP_SEEDS_H_
#define SPINNERET_LOOP_SEEDS_H_

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/tool.h"
#include "frontier/frontier.h"
#include "loop/wire.h"

namespace spinneret::loop {

// Offers the seed of one line. It has the first priority, unless the line has a priority of its own. `why` is set where
// the answer is kNotUrl.
frontier::Frontier::Offer offer_seed(frontier::Frontier& frontier, Wire& wire,
                                     std::string_view line, UrlError* why);
// Adds the seeds to the frontier. They are committed every 10,000 seeds, so that memory does not grow with their number;
// those of the last batch are the caller's to commit. An Error is the store's. Without operands nothing is read.
Status admit_seeds(cli::Tool& tool, frontier::Frontier& frontier);
// Returns the seeds as lines. All of them are in memory.
std::string read_seeds(cli::Tool& tool);
// --add: puts the seeds into the file `inbox` (inbox.h), which a running crawl empties meanwhile. Says how many wait, and
// returns 0, or 2 where the file cannot be written.
int add_seeds(cli::Tool& tool, const std::string& inbox);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_SEEDS_H_
