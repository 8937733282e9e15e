// SPDX-License-Identifier: Apache-2.0
#include "cluster/household.h"

#include <cstddef>

#include "cluster/member.h"

namespace spinneret::cluster {

void Household::add(Member& member) {
  const std::size_t at = member.partition();
  if (members_.size() <= at) members_.resize(at + 1);
  members_[at] = &member;
  ++generation_;
}

void Household::remove(const Member& member) {
  for (Member*& each : members_) {
    if (each == &member) each = nullptr;
  }
  ++generation_;
}

}  // namespace spinneret::cluster
