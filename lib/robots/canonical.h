// SPDX-License-Identifier: Apache-2.0
// A robots.txt written anew, with the same meaning and in one form: UTF-8, LF, a group for each set of
// agents with the same rules, rules normalised, without repeats, the one that decides first on top.
#ifndef SPINNERET_ROBOTS_CANONICAL_H_
#define SPINNERET_ROBOTS_CANONICAL_H_

#include <string>
#include <string_view>

#include "robots/rule_set.h"

namespace spinneret::robots {

// For every agent and path the verdict of RFC mode is the same for the result as for `bytes`, and so are
// delays and other records of groups. Comments and what has no effect are left out;
// records with unknown keys stand on top, as do those that came ahead of all groups.
std::string canonical_robots(std::string_view bytes, std::size_t size_limit = kRobotsSizeLimit);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_CANONICAL_H_
