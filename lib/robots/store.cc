// SPDX-License-Identifier: Apache-2.0
#include "robots/store.h"

#include <sys/stat.h>

#include <utility>

#include "base/hash.h"

namespace spinneret::robots {

RobotsStore::Stamp RobotsStore::stamp_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec,
          found.st_size};
}

// Returns the slot of the authority, or the free slot where it belongs.
std::size_t RobotsStore::find_slot(std::string_view authority, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].host != nullptr &&
         (slots_[at].hash != hash || slots_[at].host->authority != authority)) {
    at = (at + 1) & mask;
  }
  return at;
}

void RobotsStore::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.host != nullptr) slots_[find_slot(slot.host->authority, slot.hash)] = slot;
  }
}

// Moves the entries after a freed slot up where possible, so that no search ends too early.
void RobotsStore::free_slot(std::size_t at) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t next = (at + 1) & mask; slots_[next].host != nullptr; next = (next + 1) & mask) {
    const std::size_t home = slots_[next].hash & mask;
    if (((next - home) & mask) < ((next - at) & mask)) continue;
    slots_[at] = slots_[next];
    at = next;
  }
  slots_[at] = {};
}

RobotsStore::Host& RobotsStore::host_of(std::string_view authority) {
  const std::uint64_t hash = hash64(authority, seed_);
  const std::size_t found = find_slot(authority, hash);
  if (slots_[found].host != nullptr) return *slots_[found].host;
  if (ring_.size() * 2 >= slots_.size()) grow();
  Host& host = *ring_.emplace_back(std::make_unique<Host>());
  host.authority = authority;
  host.hash = hash;
  slots_[find_slot(authority, hash)] = {hash, &host};
  return host;
}

void RobotsStore::load(Host& host, std::int64_t now) {
  memory_ -= host.memory;
  host.rules.reset();
  host.memory = sizeof(Host) + 2 * host.authority.size() + 64;
  if (const auto entry = load_entry(folder_, host.authority, options_.ttl)) {
    host.rules.emplace(*entry, options_, now);
    host.memory += host.rules->memory();
  }
  memory_ += host.memory;
}

// Checks the file every time while there are no good rules, and otherwise at most once a second.
void RobotsStore::look(Host& host, std::int64_t now) {
  const bool good = host.rules.has_value() && now < host.rules->expires();
  if (good && now == host.looked) return;
  host.looked = now;
  // The stamp is taken first: a file that is replaced in between is then read again, never missed.
  const Stamp stamp = stamp_of(folder_ + "/" + cache_file_name(host.authority));
  if (stamp == host.stamp && host.memory != 0) return;
  host.stamp = stamp;
  load(host, now);
}

void RobotsStore::shrink(const Host& in_use) {
  while (memory_ > max_memory_ && ring_.size() > 1) {
    if (hand_ >= ring_.size()) hand_ = 0;
    Host& host = *ring_[hand_];
    if (&host == &in_use || host.used) {
      host.used = false;
      ++hand_;
      continue;
    }
    memory_ -= host.memory;
    free_slot(find_slot(host.authority, host.hash));
    std::swap(ring_[hand_], ring_.back());
    ring_.pop_back();
  }
}

const HostRules* RobotsStore::find(std::string_view authority, std::int64_t now) {
  Host& host = host_of(authority);
  look(host, now);
  host.used = true;
  if (memory_ > max_memory_) shrink(host);
  return host.rules.has_value() && now < host.rules->expires() ? &*host.rules : nullptr;
}

}  // namespace spinneret::robots
