// SPDX-License-Identifier: Apache-2.0
#include "robots/group.h"

namespace spinneret {

void GroupTracker::take_agent(std::string_view value) {
  if (rules_closed_) {
    rules_ = {};
    rules_closed_ = false;
    ++group_;
  }
  if (extensions_closed_) {
    extensions_ = {};
    extensions_closed_ = false;
  }
  switch (address_of(value, agent_, mode_, strict_token_)) {
    case Address::kOther: return;
    case Address::kAgent:
      rules_.agent = extensions_.agent = true;
      if (agent_group_ == 0) agent_group_ = group_;
      return;
    case Address::kEveryone:
      rules_.everyone = extensions_.everyone = true;
      if (everyone_group_ == 0) everyone_group_ = group_;
      return;
  }
}

LineScope GroupTracker::scope_of_rule() const {
  if (mode_ != RobotsMode::k1994) return rules_;
  return {rules_.agent && group_ == agent_group_, rules_.everyone && group_ == everyone_group_};
}

LineScope GroupTracker::take(const RobotsLine& line) {
  if (line.key == RobotsKey::kUserAgent) {
    take_agent(line.value);
    return {};
  }
  if (is_rule(line.key)) {
    rules_closed_ = extensions_closed_ = true;
    return scope_of_rule();
  }
  if (is_group_extension(line.key)) {
    extensions_closed_ = true;
    return extensions_;
  }
  if (line.key == RobotsKey::kBlank && mode_ == RobotsMode::k1994) {
    rules_closed_ = extensions_closed_ = true;
    rules_ = extensions_ = {};
  }
  return {};
}

}  // namespace spinneret
