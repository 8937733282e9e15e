// SPDX-License-Identifier: Apache-2.0
// A host's rules as a crawler asks them: what its robots.txt says, or what it means that there is
// none.
#ifndef SPINNERET_ROBOTS_HOST_RULES_H_
#define SPINNERET_ROBOTS_HOST_RULES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "robots/cache.h"
#include "robots/rule_set.h"

namespace spinneret {

// The rules of one robots.txt for some agents. Immutable once made.
class HostRules {
 public:
  struct Options {
    std::vector<std::string> agents;
    RuleOptions rules;
    // For how long (seconds) the last good copy speaks for a host that cannot be reached; 0: it
    // never does, and such a host forbids all (RFC 9309, section 2.3.1.4).
    std::int64_t stale = 0;
  };

  HostRules(const RobotsEntry& entry, const Options& options, std::int64_t now);

  struct Answer {
    bool allowed = true;
    const Rule* rule = nullptr;  // what decided, if a rule did
    std::string_view reason;     // "longest match", "no rule matches", "404", "503"
  };
  // `path`: comparable_path's.
  Answer ask(std::size_t agent, std::string_view path) const;

  RobotsState state() const { return state_; }
  const std::string& reason() const { return reason_; }
  std::int64_t expires() const { return expires_; }
  // Only where state() is kRules.
  const RuleSet& rules(std::size_t agent) const { return rules_[agent]; }
  std::size_t memory() const;

 private:
  RobotsState state_;
  std::string reason_;
  std::int64_t expires_;
  std::vector<RuleSet> rules_;
};

}  // namespace spinneret

#endif  // SPINNERET_ROBOTS_HOST_RULES_H_
