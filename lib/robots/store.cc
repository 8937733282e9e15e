// SPDX-License-Identifier: Apache-2.0
#include "robots/store.h"

#include <sys/stat.h>

#include "base/hash.h"

namespace spinneret {

std::size_t RobotsStore::Hash::operator()(std::string_view text) const noexcept {
  return hash64(text);
}

RobotsStore::Stamp RobotsStore::stamp_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec,
          found.st_size};
}

RobotsStore::Host& RobotsStore::host_of(std::string_view authority) {
  if (const auto known = hosts_.find(authority); known != hosts_.end()) return *known->second;
  auto host = std::make_unique<Host>();
  host->authority = authority;
  ring_.push_back(host.get());
  const std::string_view key = host->authority;
  return *hosts_.emplace(key, std::move(host)).first->second;
}

void RobotsStore::load(Host& host, std::int64_t now) {
  memory_ -= host.memory;
  host.rules.reset();
  host.memory = sizeof(Host) + 2 * host.authority.size() + 64;
  if (const auto entry = load_entry(folder_, host.authority)) {
    host.rules = std::make_unique<HostRules>(*entry, options_, now);
    host.memory += host.rules->memory();
  }
  memory_ += host.memory;
}

// Where there are no good rules the file is looked at each time, and else now and then.
void RobotsStore::look(Host& host, std::int64_t now) {
  const bool good = host.rules != nullptr && now < host.rules->expires();
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
    ring_[hand_] = ring_.back();
    ring_.pop_back();
    const std::string authority = host.authority;
    hosts_.erase(authority);
  }
}

const HostRules* RobotsStore::find(std::string_view authority, std::int64_t now) {
  Host& host = host_of(authority);
  look(host, now);
  host.used = true;
  if (memory_ > max_memory_) shrink(host);
  return host.rules != nullptr && now < host.rules->expires() ? host.rules.get() : nullptr;
}

}  // namespace spinneret
