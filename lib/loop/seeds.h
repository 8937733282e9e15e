// SPDX-License-Identifier: Apache-2.0
// The URLs that people give a crawl to begin with: into its frontier, or into the inbox of a crawl that runs.
#ifndef SPINNERET_LOOP_SEEDS_H_
#define SPINNERET_LOOP_SEEDS_H_

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/tool.h"
#include "frontier/frontier.h"
#include "loop/wire.h"

namespace spinneret::loop {

// Offers a seed, which has the first priority unless its line says otherwise.
frontier::Frontier::Offer offer_seed(frontier::Frontier& frontier, Wire& wire,
                                     std::string_view line, UrlError* why);
// Adds the seeds in the operands to the frontier, and commits all but the last batch. Bad ones are refused.
Status admit_seeds(cli::Tool& tool, frontier::Frontier& frontier);
// The seeds in the operands, a line each. Bad ones are refused.
std::string read_seeds(cli::Tool& tool);
// --add: puts the seeds in the operands into the inbox, beside a running crawl, too. Returns the exit status of the tool.
int add_seeds(cli::Tool& tool, const std::string& inbox);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_SEEDS_H_
