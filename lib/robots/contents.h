// SPDX-License-Identifier: Apache-2.0
// All that a robots.txt says, in its own order: groups with their agents, rules and other records, and
// what stands outside of groups. For listing, checking and rewriting; verdicts come of RuleSet.
#ifndef SPINNERET_ROBOTS_CONTENTS_H_
#define SPINNERET_ROBOTS_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "robots/parse.h"

namespace spinneret {

struct RobotsRecord {
  std::uint32_t line = 0;
  RobotsKey key = RobotsKey::kUnknown;
  std::string_view key_text;
  std::string_view value;
  // Which of the group's agents it speaks to: [first_agent, last_agent).
  std::uint32_t first_agent = 0;
  std::uint32_t last_agent = 0;
};

struct RobotsAgent {
  std::uint32_t line = 0;
  std::string_view name;  // as written
  std::uint32_t run =
      0;  // agents of one run (number of its first one) are spoken to by the same records
};

struct RobotsGroup {
  std::vector<RobotsAgent> agents;
  std::vector<RobotsRecord> records;  // rules and group extensions
};

struct RobotsContents {
  std::vector<RobotsGroup> groups;
  std::vector<RobotsRecord> ungrouped;  // rules and extensions ahead of any group: without effect
  std::vector<RobotsRecord>
      others;  // Sitemap, Host, Clean-param and unknown keys, wherever they stand
};

// `text`: of robots_text; all views are into it. Groups are those of group.h.
RobotsContents read_contents(std::string_view text, RobotsMode mode);

}  // namespace spinneret

#endif  // SPINNERET_ROBOTS_CONTENTS_H_
