// SPDX-License-Identifier: Apache-2.0
#include "cluster/household.h"

#include <cstddef>

#include "base/number.h"
#include "cluster/member.h"

namespace spinneret::cluster {

void Household::add(Member& member) {
  const std::size_t at = member.partition();
  if (members_.size() <= at) members_.resize(at + 1);
  members_[at] = &member;
}

void Household::remove(const Member& member) {
  for (Member*& each : members_) {
    if (each == &member) each = nullptr;
  }
}

Member* Household::named(std::string_view source) const {
  if (!source.starts_with('p')) return nullptr;
  const auto partition = parse_unsigned(source.substr(1));
  return partition && *partition < members_.size() ? members_[*partition] : nullptr;
}

}  // namespace spinneret::cluster
