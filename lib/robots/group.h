// SPDX-License-Identifier: Apache-2.0
// Which lines of a robots.txt speak to an agent (RFC 9309, section 2.2.1).
//
// Consecutive User-agent lines begin a group; the rules (Allow, Disallow) that follow belong to all
// of them. Only a rule ends the run of User-agent lines: sitemaps, delays and unknown records never
// do. All groups of one agent count as one; if there is none, those of "*" do; rules ahead of any
// group do not count.
//
// Other records of a group (Crawl-delay and the like) belong to the User-agent lines right above
// them: those since the last rule or record of their kind. `User-agent: a, Crawl-delay: 1,
// User-agent: b, Crawl-delay: 2` gives each its own, although a and b share the rules to come.
//
// k1994: blank lines end a group too, and only the first group of an agent counts.
#ifndef SPINNERET_ROBOTS_GROUP_H_
#define SPINNERET_ROBOTS_GROUP_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "robots/agent.h"
#include "robots/parse.h"

namespace spinneret {

// Whom a line speaks to. Neither: other agents, or nobody.
struct LineScope {
  bool agent = false;
  bool everyone = false;
};

// Whether the record belongs to a group and is no rule.
constexpr bool is_group_extension(RobotsKey key) {
  return key == RobotsKey::kCrawlDelay || key == RobotsKey::kRequestRate ||
         key == RobotsKey::kVisitTime || key == RobotsKey::kNoindex ||
         key == RobotsKey::kContentUsage || key == RobotsKey::kContentSignal;
}
constexpr bool is_rule(RobotsKey key) {
  return key == RobotsKey::kAllow || key == RobotsKey::kDisallow;
}

class GroupTracker {
 public:
  // `agent` is kept as a view.
  GroupTracker(std::string_view agent, RobotsMode mode, bool strict_token)
      : agent_(agent), mode_(mode), strict_token_(strict_token) {}

  // Takes the file's lines in order; the scope of a rule or group extension, nothing for other
  // lines.
  LineScope take(const RobotsLine& line);

  // Whether any group so far was the agent's own; then groups of "*" do not count.
  bool has_agent_group() const { return agent_group_ != 0; }
  bool has_everyone_group() const { return everyone_group_ != 0; }
  // Whether any User-agent line came so far.
  bool has_group() const { return group_ != 0; }

 private:
  void take_agent(std::string_view value);
  LineScope scope_of_rule() const;

  std::string_view agent_;
  RobotsMode mode_;
  bool strict_token_;
  std::uint32_t group_ = 0;           // number of the present group, from 1
  std::uint32_t agent_group_ = 0;     // the first one that is the agent's
  std::uint32_t everyone_group_ = 0;  // the first one that is everyone's
  LineScope rules_;
  LineScope extensions_;
  bool rules_closed_ = true;
  bool extensions_closed_ = true;
};

}  // namespace spinneret

#endif  // SPINNERET_ROBOTS_GROUP_H_
