// SPDX-License-Identifier: Apache-2.0
#include "robots/host_rules.h"

namespace spinneret {

HostRules::HostRules(const RobotsEntry& entry, const Options& options, std::int64_t now)
    : state_(entry.state), reason_(entry.reason), expires_(entry.expires) {
  if (state_ == RobotsState::kDisallowAll && entry.copied != 0 &&
      now - entry.copied < options.stale) {
    state_ = RobotsState::kRules;
  }
  if (state_ != RobotsState::kRules) return;
  for (const std::string& agent : options.agents) {
    rules_.push_back(RuleSet::compile(entry.body, agent, options.rules));
  }
}

HostRules::Answer HostRules::ask(std::size_t agent, std::string_view path) const {
  if (state_ == RobotsState::kAllowAll) return {true, nullptr, reason_};
  if (state_ == RobotsState::kDisallowAll) {
    return {path == "/robots.txt", nullptr, reason_};
  }
  const RuleSet& rules = rules_[agent];
  const Verdict verdict = rules.check(path);
  if (verdict.rule != nullptr) {
    return {verdict.allowed, verdict.rule,
            rules.mode() == RobotsMode::k1994 ? "first match" : "longest match"};
  }
  if (path == "/robots.txt") return {true, nullptr, "robots.txt itself"};
  return {true, nullptr, rules.has_group() ? "no rule matches" : "no group"};
}

std::size_t HostRules::memory() const {
  std::size_t sum = sizeof *this + reason_.capacity();
  for (const RuleSet& rules : rules_) sum += rules.memory();
  return sum;
}

}  // namespace spinneret
