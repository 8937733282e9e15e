// SPDX-License-Identifier: Apache-2.0
// A host's rules for a crawler: what its robots.txt says, or what follows from its not having one.
#ifndef SPINNERET_ROBOTS_HOST_RULES_H_
#define SPINNERET_ROBOTS_HOST_RULES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "robots/cache.h"
#include "robots/robots_file.h"

namespace spinneret::robots {

// A line that refuses a purpose.
struct Reservation {
  std::uint32_t line = 0;  // 0: there is none
  std::string text;        // "Content-Usage: train-ai=n"
};

// The rules of one robots.txt for some agents. Immutable once made.
class HostRules {
 public:
  struct Options {
    // Product tokens; one entry may name several tokens of one crawler: see
    // RobotsFile::crawler_rules.
    std::vector<std::string> agents;
    RuleOptions rules;
    // Seconds for which the last good copy is used for a host that cannot be reached; 0: never, so
    // that such a host forbids everything (RFC 9309, section 2.3.1.4).
    std::int64_t stale = 0;
    // Seconds for which an answer counts at most, even if a longer time was stored.
    std::int64_t ttl = INT64_MAX;
  };

  HostRules(const RobotsEntry& entry, const Options& options, std::int64_t now);

  struct Answer {
    bool allowed = true;
    const Rule* rule = nullptr;  // the rule that decided, if one did
    std::string_view reason;     // "longest match", "no rule matches", "404", "503"
  };
  // Decides whether `agent` may fetch `path`, which comes from comparable_path.
  Answer ask(std::size_t agent, std::string_view path) const;

  RobotsState state() const { return state_; }
  const std::string& reason() const { return reason_; }
  std::int64_t expires() const { return expires_; }
  // To be called only where state() is kRules.
  const RuleSet& rules(std::size_t agent) const { return rules_[agent]->rules; }
  const Extensions& extensions(std::size_t agent) const { return rules_[agent]->extensions; }
  // Returns the statement of `key` that applies to the path; nullptr where there is none.
  // AllowAITraining can exempt the path from kDisallowAiTraining, which gives nullptr, too.
  const Extensions::Item* stated(std::size_t agent, RobotsKey key, std::string_view path) const;
  // Returns the statement on training: DisallowAITraining or AllowAITraining, whichever has the
  // longer pattern, and AllowAITraining where they are equal. nullptr: neither covers the path.
  const Extensions::Item* training(std::size_t agent, std::string_view path) const;
  // Tells whether the file reserves the use of the path for a purpose: "train-ai", "search",
  // "ai-input" or another label. Content-Signal's ai-train, and DisallowAITraining, mean train-ai.
  Reservation reserved(std::size_t agent, std::string_view purpose, std::string_view path) const;
  // License records (RSL 1.0), at most the first kMaxLicenses. They address every agent.
  struct License {
    std::uint32_t line = 0;
    std::string url;  // as written
  };
  static constexpr std::size_t kMaxLicenses = 16;
  const std::vector<License>& licenses() const { return licenses_; }
  // Returns the statements in front of all groups. They are used where the agent's own groups have
  // no statement of that kind.
  const Extensions& ungrouped() const { return ungrouped_; }
  std::size_t memory() const;

 private:
  const Extensions::Item* find(std::size_t agent, RobotsKey key, std::string_view path) const;

  RobotsState state_;
  std::string reason_;
  std::int64_t expires_;
  Extensions ungrouped_;
  std::vector<License> licenses_;
  std::vector<std::shared_ptr<const AgentRules>> rules_;  // agents of the same groups share one
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_HOST_RULES_H_
