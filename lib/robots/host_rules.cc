// SPDX-License-Identifier: Apache-2.0
#include "robots/host_rules.h"

namespace spinneret::robots {

HostRules::HostRules(const RobotsEntry& entry, const Options& options, std::int64_t now)
    : state_(entry.state), reason_(entry.reason), expires_(entry.expires) {
  if (state_ == RobotsState::kDisallowAll && entry.copied != 0 &&
      now - entry.copied < options.stale) {
    state_ = RobotsState::kRules;
  }
  if (state_ != RobotsState::kRules) return;
  RobotsFile file(entry.body, options.rules);
  ungrouped_ = Extensions::compile_ungrouped(file.contents(), options.rules.mode);
  for (const RobotsRecord& record : file.contents().others) {
    if (record.key != RobotsKey::kLicense || record.value.empty()) continue;
    if (licenses_.size() < kMaxLicenses)
      licenses_.push_back({record.line, std::string(record.value)});
  }
  for (const std::string& agent : options.agents) rules_.push_back(file.crawler_rules(agent));
}

HostRules::Answer HostRules::ask(std::size_t agent, std::string_view path) const {
  if (state_ == RobotsState::kAllowAll) return {true, nullptr, reason_};
  if (state_ == RobotsState::kDisallowAll) {
    return {path == "/robots.txt", nullptr, reason_};
  }
  const RuleSet& rules = this->rules(agent);
  const Verdict verdict = rules.check(path);
  if (verdict.rule != nullptr) {
    return {verdict.allowed, verdict.rule,
            rules.mode() == RobotsMode::k1994 ? "first match" : "longest match"};
  }
  if (path == "/robots.txt") return {true, nullptr, "robots.txt itself"};
  return {true, nullptr, rules.has_group() ? "no rule matches" : "no group"};
}

const Extensions::Item* HostRules::stated(std::size_t agent, RobotsKey key,
                                          std::string_view path) const {
  if (key != RobotsKey::kDisallowAiTraining) return find(agent, key, path);
  const Extensions::Item* const item = training(agent, path);
  return item != nullptr && item->key == key ? item : nullptr;
}

const Extensions::Item* HostRules::find(std::size_t agent, RobotsKey key,
                                        std::string_view path) const {
  const Extensions::Item* const own = extensions(agent).find(key, path);
  return own != nullptr ? own : ungrouped_.find(key, path);
}

const Extensions::Item* HostRules::training(std::size_t agent, std::string_view path) const {
  const Extensions::Item* const no = find(agent, RobotsKey::kDisallowAiTraining, path);
  const Extensions::Item* const yes = find(agent, RobotsKey::kAllowAiTraining, path);
  if (no == nullptr || yes == nullptr) return no == nullptr ? yes : no;
  return yes->pattern.size() >= no->pattern.size() ? yes : no;
}

Reservation HostRules::reserved(std::size_t agent, std::string_view purpose,
                                std::string_view path) const {
  if (state_ != RobotsState::kRules) return {};
  for (const RobotsKey key : {RobotsKey::kContentUsage, RobotsKey::kContentSignal}) {
    const Extensions::Item* const item = stated(agent, key, path);
    if (item == nullptr) continue;
    for (const Preference& preference : item->preferences) {
      const bool same =
          preference.label == purpose || (purpose == "train-ai" && preference.label == "ai-train");
      if (!same || preference.allowed) continue;
      return {preference.line, std::string(to_string(key)) + ": " + preference.label +
                                   (key == RobotsKey::kContentUsage ? "=n" : "=no")};
    }
  }
  if (purpose != "train-ai") return {};
  const Extensions::Item* const item = stated(agent, RobotsKey::kDisallowAiTraining, path);
  if (item == nullptr) return {};
  return {item->line, "DisallowAITraining: " + item->value};
}

std::size_t HostRules::memory() const {
  std::size_t sum = sizeof *this + reason_.capacity() + ungrouped_.memory();
  for (const License& license : licenses_) sum += sizeof license + license.url.capacity();
  const AgentRules* last = nullptr;
  for (const auto& rules : rules_) {
    if (rules.get() != last) sum += rules->rules.memory() + rules->extensions.memory();
    last = rules.get();
  }
  return sum;
}

}  // namespace spinneret::robots
