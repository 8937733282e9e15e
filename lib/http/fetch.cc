// SPDX-License-Identifier: Apache-2.0
#include "http/fetch.h"

namespace spinneret::http {
namespace {

// A larger buffer is given back after use: 64 large pages must not set the memory of the whole run.
constexpr std::size_t kKeepAtMost = std::size_t{64} << 10;

void clear_buffer(std::string& buffer) {
  buffer.clear();
  if (buffer.capacity() > kKeepAtMost) std::string().swap(buffer);
}

}  // namespace

void FetchResult::clear() {
  outcome = Outcome::kAborted;
  error.clear();
  status = version = 0;
  head.clear();
  media = {};
  location.clear();
  ip.clear();
  hops.clear();
  clear_buffer(body);
  digest.clear();
  size = 0;
  continued = 0;
  clear_buffer(wire_body);
  whole = truncated = bodiless = conditional = late = false;
  wire_size = 0;
  request_head.clear();
  fetched_unix_ms = dns_us = time_us = 0;
  times = {};
}

}  // namespace spinneret::http
