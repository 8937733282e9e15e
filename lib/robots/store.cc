// SPDX-License-Identifier: Apache-2.0
#include "robots/store.h"

#include <sys/stat.h>

#include "base/hash.h"

namespace spinneret {

std::size_t RobotsStore::Hash::operator()(std::string_view text) const { return hash64(text); }

RobotsStore::Stamp RobotsStore::stamp_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec,
          found.st_size};
}

RobotsStore::Host& RobotsStore::host_of(std::string_view authority) {
  if (const auto known = hosts_.find(authority); known != hosts_.end()) {
    order_.splice(order_.begin(), order_, known->second);
    return order_.front();
  }
  order_.emplace_front();
  order_.front().authority = authority;
  hosts_.emplace(order_.front().authority, order_.begin());
  return order_.front();
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
void RobotsStore::look(Host& host, std::int64_t now, std::int64_t now_ns) {
  const bool good = host.rules != nullptr && now < host.rules->expires();
  if (good && now_ns - host.looked_ns < limits_.look_again_ns) return;
  host.looked_ns = now_ns;
  // The stamp is taken first: a file that is replaced in between is then read again, never missed.
  const Stamp stamp = stamp_of(folder_ + "/" + cache_file_name(host.authority));
  if (stamp == host.stamp && host.memory != 0) return;
  host.stamp = stamp;
  load(host, now);
}

void RobotsStore::shrink() {
  while (memory_ > limits_.memory && order_.size() > 1) {
    memory_ -= order_.back().memory;
    hosts_.erase(order_.back().authority);
    order_.pop_back();
  }
}

const HostRules* RobotsStore::find(std::string_view authority, std::int64_t now) {
  Host& host = host_of(authority);
  look(host, now, clock_.monotonic_ns());
  shrink();
  return host.rules != nullptr && now < host.rules->expires() ? host.rules.get() : nullptr;
}

}  // namespace spinneret
