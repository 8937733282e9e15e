// SPDX-License-Identifier: Apache-2.0
// Says which members are near. It is apart from the rest of household.h so that a scheduler can be
// linked whose links all go over the bus (tests/bench/trusting_publish.cc).
#include "base/number.h"
#include "cluster/household.h"

namespace spinneret::cluster {

Member* Household::at(std::uint32_t partition) const {
  return partition < members_.size() ? members_[partition] : nullptr;
}

Member* Household::named(std::string_view source) const {
  if (!source.starts_with('p')) return nullptr;
  const auto partition = parse_unsigned(source.substr(1));
  return partition && *partition < members_.size() ? members_[*partition] : nullptr;
}

}  // namespace spinneret::cluster
