// SPDX-License-Identifier: Apache-2.0
// Answers of the DNS, kept until they expire. Bounded: beyond max_entries the answer that was used longest
// ago goes.
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
  // The answer that holds at `now_ns`, or nullptr. Lives until the next put().
  const Resolution* find(const std::string& host, std::int64_t now_ns);
  // Keeps `fresh`. Where the host had an answer before, addresses that are in both keep their old order
  // and stand first, so that a host does not wander with each round-robin answer.
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
