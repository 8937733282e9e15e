// SPDX-License-Identifier: Apache-2.0
#include "frontier/origins.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace spinneret::frontier {
namespace {

constexpr std::size_t kArenaBlock = std::size_t{64} << 10;

}  // namespace

std::size_t Origins::place_of(std::string_view origin, std::uint64_t hash) const {
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = by_origin_.size() - 1;
  std::size_t place = hash & mask;
  while (by_origin_[place].slot != kNoSlot &&
         (by_origin_[place].tag != tag || hosts_[by_origin_[place].slot].origin != origin)) {
    place = (place + 1) & mask;
  }
  return place;
}

bool Origins::lookup(std::string_view origin, HostSlot& slot) const {
  slot = by_origin_[place_of(origin, hash64(origin))].slot;
  return slot != kNoSlot;
}

bool Origins::lookup(HostId id, HostSlot& slot) const {
  if (id >= by_id_.size() || by_id_[id] == kNoSlot) return false;
  slot = by_id_[id];
  return true;
}

std::string_view Origins::keep(std::string_view origin, HostId id, HostSlot slot) {
  if (by_id_.size() <= id)
    by_id_.resize(std::max<std::size_t>(id + 1, by_id_.size() * 3 / 2), kNoSlot);
  by_id_[id] = slot;
  next_id_ = std::max(next_id_, id + 1);
  if (size_ - used_ < origin.size()) {
    size_ = std::max(kArenaBlock, origin.size());
    used_ = 0;
    arena_.push_back(std::make_unique<char[]>(size_));
  }
  char* const begin = arena_.back().get() + used_;
  std::memcpy(begin, origin.data(), origin.size());
  used_ += origin.size();
  return {begin, origin.size()};
}

void Origins::index(HostSlot slot) {
  if (hosts_.size() * 4 <= by_origin_.size() * 3) {
    index_hashed(slot, hash64(hosts_[slot].origin));
    return;
  }
  by_origin_ = std::vector<Entry>(by_origin_.size() * 2);
  for (HostSlot each = 0; each < hosts_.size(); ++each)
    index_hashed(each, hash64(hosts_[each].origin));
}

// Tables that double as they grow would cost as much again as what is put into them.
void Origins::reserve() {
  std::size_t places = by_origin_.size();
  while (hosts_.size() * 4 > places * 3) places *= 2;
  by_origin_ = std::vector<Entry>(places);
}

void Origins::clear() {
  arena_.clear();
  used_ = size_ = 0;
  by_origin_ = std::vector<Entry>(kFewest);
  by_id_.clear();
  next_id_ = 1;
}

bool Origins::index_hashed(HostSlot slot, std::uint64_t hash) {
  Entry& entry = by_origin_[place_of(hosts_[slot].origin, hash)];
  if (entry.slot != kNoSlot) return false;
  entry = {static_cast<std::uint32_t>(hash >> 32), slot};
  return true;
}

}  // namespace spinneret::frontier
