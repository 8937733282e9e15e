// SPDX-License-Identifier: Apache-2.0
#include "frontier/vias.h"

namespace spinneret::frontier {
namespace {

// Some 3 MB. Pages that are sent host by host ask for those of many pages in turn.
constexpr std::size_t kKnown = 16'384;
}  // namespace

void Vias::put(std::uint64_t number, std::string_view via) {
  make_via_key(key_, number);
  store_.put(Table::kUrls, key_, via);
}

bool Vias::name(UrlRow& row) {
  if (row.via_number == 0) return true;
  const auto known = known_.find(row.via_number);
  if (known != known_.end()) {
    row.via = known->second;
    return true;
  }
  make_via_key(key_, row.via_number);
  if (!store_.get(Table::kUrls, key_, row.via)) return false;
  if (known_.size() == kKnown) known_.clear();
  known_.emplace(row.via_number, row.via);
  return true;
}

}  // namespace spinneret::frontier
