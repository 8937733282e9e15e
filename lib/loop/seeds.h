// SPDX-License-Identifier: Apache-2.0
// The URLs that a user gives a crawl to begin with: for its frontier, or for the inbox of a running
// crawl.
//
// They come as lines of records from the operands of a tool. A line that is not an http or https
// URL is reported by Tool::refuse(), and the others are taken. All arguments are borrowed for the
// call only. Not thread-safe.
#ifndef SPINNERET_LOOP_SEEDS_H_
#define SPINNERET_LOOP_SEEDS_H_

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/tool.h"
#include "frontier/frontier.h"
#include "loop/wire.h"

namespace spinneret::loop {

// Offers the seed of one line. It has the first priority, unless the line gives another one. `why`
// is set where the answer is kNotUrl.
frontier::Frontier::Offer offer_seed(frontier::Frontier& frontier, Wire& wire,
                                     std::string_view line, UrlError* why);
// Adds the seeds to the frontier. They are committed in batches of 10,000, so that memory does not
// grow with their number; the caller must commit the last batch. An Error comes from the store.
// Without operands nothing is read.
Status admit_seeds(cli::Tool& tool, frontier::Frontier& frontier);
// Returns all seeds as lines, in memory.
std::string read_seeds(cli::Tool& tool);
// --add: appends the seeds to the file `inbox` (inbox.h), which a running crawl empties meanwhile.
// Prints how many wait. Returns 0, or 2 where the file cannot be written.
int add_seeds(cli::Tool& tool, const std::string& inbox);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_SEEDS_H_
