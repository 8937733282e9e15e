// SPDX-License-Identifier: Apache-2.0
#include "http/dns_cache.h"

#include <algorithm>

namespace spinneret::http {
namespace {

void keep_order(const Resolution& before, Resolution& fresh) {
  const auto rank = [&before](const IpAddress& ip) {
    return std::find(before.addresses.begin(), before.addresses.end(), ip);
  };
  std::stable_sort(fresh.addresses.begin(), fresh.addresses.end(),
                   [&rank](const IpAddress& a, const IpAddress& b) { return rank(a) < rank(b); });
}

}  // namespace

const Resolution* DnsCache::find(const std::string& host, std::int64_t now_ns) {
  const auto found = by_host_.find(host);
  if (found == by_host_.end() || found->second->second.expires_ns <= now_ns) return nullptr;
  items_.splice(items_.begin(), items_, found->second);
  return &found->second->second;
}

const Resolution& DnsCache::put(const std::string& host, Resolution fresh) {
  const auto found = by_host_.find(host);
  if (found != by_host_.end()) {
    items_.splice(items_.begin(), items_, found->second);
    keep_order(items_.front().second, fresh);
    items_.front().second = std::move(fresh);
    return items_.front().second;
  }
  while (by_host_.size() >= max_entries_ && !items_.empty()) {
    by_host_.erase(items_.back().first);
    items_.pop_back();
  }
  items_.emplace_front(host, std::move(fresh));
  by_host_.emplace(items_.front().first, items_.begin());
  return items_.front().second;
}

}  // namespace spinneret::http
