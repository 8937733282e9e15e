// SPDX-License-Identifier: Apache-2.0
#include "frontier/timepiece.h"

#include <algorithm>

namespace spinneret::frontier {

void Timepiece::begin(Store& store, std::int64_t least_steady_ms) {
  boot_ = boot_now(store, clock_);
  boot_.steady_ms = std::max(boot_.steady_ms, least_steady_ms);
  store.put(Table::kMeta, kBootKey, encode_boot(boot_));
}

Moment Timepiece::now() const {
  const std::int64_t mono_ns = clock_.monotonic_ns();
  const std::int64_t boot_ms = clock_.boot_ns() / 1'000'000;
  return {mono_ns / 1'000'000,
          mono_ns % 1'000'000 != 0,
          clock_.unix_ms(),
          boot_.steady_ms + boot_ms - boot_.boot_ms,
          boot_ms,
          boot_.number};
}

}  // namespace spinneret::frontier
