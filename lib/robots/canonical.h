// SPDX-License-Identifier: Apache-2.0
// Rewrites a robots.txt in a canonical form with the same meaning: UTF-8, LF, one group for each
// set of agents with the same rules, and normalised rules without repeats, of which the one that
// decides comes first.
#ifndef SPINNERET_ROBOTS_CANONICAL_H_
#define SPINNERET_ROBOTS_CANONICAL_H_

#include <string>
#include <string_view>

#include "robots/rule_set.h"

namespace spinneret::robots {

// Returns a text that gives, for every agent and path, the same verdict in RFC mode, the same
// delays and the same other records of groups as `bytes`. Comments, and lines without effect, are
// left out. Records with unknown keys come first, as do those in front of all groups.
std::string canonical_robots(std::string_view bytes, std::size_t size_limit = kRobotsSizeLimit);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_CANONICAL_H_
