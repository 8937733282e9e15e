// SPDX-License-Identifier: Apache-2.0
// Keeps DNS answers until they expire. Beyond max_entries the answer that was used longest ago is
// dropped.
#ifndef SPINNERET_HTTP_DNS_CACHE_H_
#define SPINNERET_HTTP_DNS_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "http/resolver.h"

namespace spinneret::http {

class DnsCache {
 public:
  explicit DnsCache(std::size_t max_entries) : max_entries_(max_entries) {}
  // Returns the answer that is valid at `now_ns`, or nullptr. It lives until the next put().
  const Resolution* find(const std::string& host, std::int64_t now_ns);
  // Stores `fresh`. Addresses that the host's previous answer had, too, keep their old order and
  // come first, so that round-robin answers do not send a host's connections somewhere else each
  // time.
  const Resolution& put(const std::string& host, Resolution fresh);
  std::size_t size() const { return by_host_.size(); }

 private:
  using Item = std::pair<std::string, Resolution>;
  std::size_t max_entries_;
  std::list<Item> items_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Item>::iterator> by_host_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_DNS_CACHE_H_
