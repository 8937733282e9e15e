// SPDX-License-Identifier: Apache-2.0
// The crawlers that robots-check answers for: --agent and --agents.
#ifndef SPINNERET_TOOLS_ROBOTS_AGENTS_H_
#define SPINNERET_TOOLS_ROBOTS_AGENTS_H_

#include <string>
#include <vector>

#include "cli/tool.h"

namespace spinneret {

struct AgentChoice {
  std::vector<std::string>
      names;          // tokens, or several as one crawler: see RobotsFile::crawler_rules
  bool rows = false;  // --agents: each has a record of its own, instead of a field
};

// Wrong names are wrong usage; a notice says what was made of a name.
AgentChoice read_agents(cli::Tool& tool, bool strict_token);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_AGENTS_H_
