// SPDX-License-Identifier: Apache-2.0
#include "cluster/begun.h"

#include "cluster/channel.h"
#include "frontier/encode.h"
#include "frontier/meta.h"

namespace spinneret::cluster {
namespace {

// The row of kMeta with the numbers of the partitions.
constexpr std::string_view kBegunKey = "begun";

}  // namespace

void Begun::add(std::size_t partition) {
  if (partition >= has_.size() || has_[partition]) return;
  has_[partition] = true;
  ++count_;
}

void Begun::add(frontier::Store& store) {
  std::string row;
  if (!store.get(frontier::Table::kMeta, kBegunKey, row)) return;
  frontier::Decoder from{row};
  while (!from.rest.empty() && !from.bad) {
    const std::uint64_t partition = from.varint();
    if (!from.bad) add(static_cast<std::size_t>(partition));
  }
}

void Begun::add(const lease::Rows& states) {
  for (std::uint32_t p = 0; p < has_.size(); ++p) {
    const auto row = states.find(partition_name(p));
    if (row != states.end() && row->second != kAnew) add(std::size_t{p});
  }
}

void Begun::keep_in(frontier::Store& store) const {
  std::string row;
  for (std::size_t p = 0; p < has_.size(); ++p) {
    if (has_[p]) frontier::put_varint(row, p);
  }
  store.put(frontier::Table::kMeta, kBegunKey, row);
}

Status Begun::tell(lease::Leases& leases, const lease::Rows& states) const {
  for (std::uint32_t p = 0; p < has_.size(); ++p) {
    const std::string name = partition_name(p);
    if (!has_[p] || states.contains(name)) continue;
    const Result<std::string> told = leases.claim(kStates, name, kBegun);
    if (!told.ok()) return told.error();
  }
  return {};
}

Begun Begun::split() const {
  Begun out(static_cast<std::uint32_t>(2 * has_.size()));
  for (std::size_t p = 0; p < out.has_.size(); ++p) {
    if (has_[p / 2]) out.add(p);
  }
  return out;
}

std::string anew_words(std::uint32_t partition) {
  return "; if all is gone for good, --begin-anew=" + std::to_string(partition) +
         " lets it begin anew: its pages are crawled again, and links that others gave it are lost";
}

}  // namespace spinneret::cluster
