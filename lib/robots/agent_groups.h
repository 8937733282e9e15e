// SPDX-License-Identifier: Apache-2.0
// The groups of a robots.txt arranged by agent: for each agent's name all records that address it,
// from all groups that name it. Names are compared without case; agents with the same records share
// an entry.
#ifndef SPINNERET_ROBOTS_AGENT_GROUPS_H_
#define SPINNERET_ROBOTS_AGENT_GROUPS_H_

#include <string>
#include <vector>

#include "robots/contents.h"

namespace spinneret::robots {

struct AgentGroup {
  std::vector<std::string> names;  // in lower case, sorted
  // The lines of the User-agent records that name the first of the names.
  std::vector<std::uint32_t> agent_lines;
  std::vector<const RobotsRecord*> records;  // in the file's order; into the contents
};

// Returns the groups in order of first appearance, with the group of "*" last. Views and pointers
// are into `contents`.
std::vector<AgentGroup> agent_groups(const RobotsContents& contents);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_AGENT_GROUPS_H_
