// SPDX-License-Identifier: Apache-2.0
// Everything that a robots.txt says, in its own order: groups with their agents, rules and other
// records, and the records outside of groups (RFC 9309, section 2.2.1). A file is read only here:
// rules are compiled from these contents, and listings, checks and rewritings work on them.
//
// Consecutive User-agent lines begin a group, and the rules (Allow, Disallow) that follow belong to
// all of them. Only a rule ends the run of User-agent lines; sitemaps, delays and unknown records
// do not. All groups of an agent count as one. An agent without a group uses the groups of "*".
// Rules in front of all groups have no effect.
//
// Other records of a group (Crawl-delay and the like) belong to the User-agent lines directly above
// them, that is, to those since the last rule or record of this kind, which form a run:
//
//   User-agent: a        group 0, run 0
//   Crawl-delay: 1       for agents [0, 1)
//   User-agent: b        group 0, run 1
//   Crawl-delay: 2       for agents [1, 2)
//   Disallow: /x         for agents [0, 2)
//
// In k1994 mode, blank lines end a group, too, and only the first group of an agent counts.
#ifndef SPINNERET_ROBOTS_CONTENTS_H_
#define SPINNERET_ROBOTS_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "robots/parse.h"

namespace spinneret::robots {

// Returns whether the record belongs to a group and is not a rule.
constexpr bool is_group_extension(RobotsKey key) {
  return key == RobotsKey::kCrawlDelay || key == RobotsKey::kRequestRate ||
         key == RobotsKey::kVisitTime || key == RobotsKey::kNoindex ||
         key == RobotsKey::kContentUsage || key == RobotsKey::kContentSignal ||
         key == RobotsKey::kDisallowAiTraining || key == RobotsKey::kAllowAiTraining;
}
constexpr bool is_rule(RobotsKey key) {
  return key == RobotsKey::kAllow || key == RobotsKey::kDisallow;
}

struct RobotsRecord {
  std::uint32_t line = 0;
  RobotsKey key = RobotsKey::kUnknown;
  std::string_view key_text;
  std::string_view value;
  // The agents of the group that the record addresses: [first_agent, last_agent).
  std::uint32_t first_agent = 0;
  std::uint32_t last_agent = 0;
};

struct RobotsAgent {
  std::uint32_t line = 0;
  std::string_view name;  // as written
  // The number of the first agent in its run. The same records address all agents of a run.
  std::uint32_t run = 0;
};

struct RobotsGroup {
  std::vector<RobotsAgent> agents;
  std::vector<RobotsRecord> records;  // rules and group extensions
};

struct RobotsContents {
  std::vector<RobotsGroup> groups;
  // Rules and extensions in front of all groups, which do not affect a verdict.
  std::vector<RobotsRecord> ungrouped;
  // Sitemap, Host, License and the like, and unknown keys, wherever they are.
  std::vector<RobotsRecord> others;
};

// Reads `text`, which comes from robots_text; all views are into it. O(n).
RobotsContents read_contents(std::string_view text, RobotsMode mode);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_CONTENTS_H_
