// SPDX-License-Identifier: Apache-2.0
#include "fetch_descriptors.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/descriptors.h"

namespace spinneret {

// A transfer takes at most two descriptors, while IPv6 and IPv4 race. Idle connections take one
// each, of which the pool keeps as many as it can beside those in use.
void fit_descriptors(const cli::Options& options, FetchSettings& out) {
  constexpr std::size_t kOwn = 24;  // standard streams, input, output, epoll, resolver
  constexpr std::size_t kLeast = 8;
  http::EngineOptions& engine = out.engine;
  const auto wakers = [&] { return 2 * std::size_t{engine.wire.multis - 1}; };  // libcurl's
  const std::size_t wanted =
      kOwn + wakers() + engine.wire.max_connections + 2 * (engine.slots + engine.max_patient);
  const std::size_t limit = raise_descriptor_limit(wanted);
  if (limit >= wanted) return;
  if (limit < kOwn + kLeast) {
    options.usage_error("needs " + std::to_string(kOwn + kLeast) +
                        " file descriptors at least (ulimit -n), not " + std::to_string(limit));
  }
  engine.wire.multis = std::min(engine.wire.multis, static_cast<unsigned>(limit / 256) + 1);
  const std::size_t room = limit - kOwn - wakers();
  const std::size_t active = room / 4;
  if (engine.slots > active) {
    out.notice = std::to_string(limit) + " file descriptors (ulimit -n) allow " +
                 std::to_string(active) + " transfers at a time, not " +
                 std::to_string(engine.slots);
    engine.slots = active;
  }
  engine.max_patient = std::min(engine.max_patient, active - engine.slots);
  engine.wire.max_connections = std::min(engine.wire.max_connections, room / 2);
}

}  // namespace spinneret
