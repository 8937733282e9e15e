// SPDX-License-Identifier: Apache-2.0
// The names of hosts: the bytes of each origin, and which host has an origin, or an id.
//
//   arena      https://example.org|http://a.test|... blocks that never move; Host::origin is a view
//   by_origin  ... {half a hash, slot} ...           open addressing, 2^n places, at most 3/4 full
//   by_id      - 0 1 2 ...                           ids are consecutive, from 1
//
// A search reads one line of by_origin and, where the halves agree, the host. (std::unordered_map
// read four lines, which was a fifth of the cost of an admission.)
//
// Borrows the hosts, by slot. Not thread-safe.
#ifndef SPINNERET_FRONTIER_ORIGINS_H_
#define SPINNERET_FRONTIER_ORIGINS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/blocks.h"
#include "frontier/host.h"

namespace spinneret::frontier {

class Origins {
 public:
  explicit Origins(const Blocks<Host>& hosts) : hosts_(hosts) {}

  bool lookup(std::string_view origin, HostSlot& slot) const;
  bool lookup(HostId id, HostSlot& slot) const;
  HostId id_end() const { return next_id_; }  // above all ids

  // Adds a host at its slot: copies `origin`, and returns the copy. The host can be found by its id
  // from now on, and by its origin after index(), once Host::origin is set.
  std::string_view keep(std::string_view origin, HostId id, HostSlot slot);
  void index(HostSlot slot);

  // The same for very many: reserve() makes space for all that are kept. Then, for each in turn,
  // index_hashed(), and what it will look at is prefetched some hosts ahead. False: the origin is
  // there already.
  void reserve();
  std::size_t places() const { return by_origin_.size(); }
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&by_origin_[hash & (by_origin_.size() - 1)]);
  }
  // To be called when the place is in the cache: prefetches the host that stands there; and when
  // that is, its name.
  void prefetch_host(std::uint64_t hash) const {
    const HostSlot slot = by_origin_[hash & (by_origin_.size() - 1)].slot;
    if (slot != kNoSlot) __builtin_prefetch(&hosts_[slot]);
  }
  void prefetch_name(std::uint64_t hash) const {
    const HostSlot slot = by_origin_[hash & (by_origin_.size() - 1)].slot;
    if (slot != kNoSlot) __builtin_prefetch(hosts_[slot].origin.data());
  }
  void prefetch_id(HostId id) const {
    if (id < by_id_.size()) __builtin_prefetch(&by_id_[id]);
  }
  bool index_hashed(HostSlot slot, std::uint64_t hash);
  void reserve_ids(std::size_t hosts) { by_id_.reserve(hosts + 1); }
  // Forgets all hosts.
  void clear();

 private:
  struct Entry {
    std::uint32_t tag = 0;
    HostSlot slot = kNoSlot;
  };
  static constexpr std::size_t kFewest = 64;
  // The place that holds `origin`, or the free one where it belongs.
  std::size_t place_of(std::string_view origin, std::uint64_t hash) const;

  const Blocks<Host>& hosts_;
  std::vector<std::unique_ptr<char[]>> arena_;
  std::size_t used_ = 0, size_ = 0;  // bytes used of the last block, and its size
  std::vector<Entry> by_origin_ = std::vector<Entry>(kFewest);
  std::vector<HostSlot> by_id_;
  HostId next_id_ = 1;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_ORIGINS_H_
