// SPDX-License-Identifier: Apache-2.0
// Host names to addresses, asynchronously, by c-ares: DNS and /etc/hosts (other sources of nsswitch are
// not asked).
//
// No lookup holds up another for long: `max_lookups` are asked at one time, but one that has not been
// answered within half a second is no longer counted, and after `max_ms` it has failed. An answer that
// comes still later is kept for the next who asks.
//
// Answers are kept for as long as their TTL says, within bounds; failures for a few seconds. While an
// answer is kept its order is stable, so that a host's connections go to one address.
// Not thread-safe.
#ifndef SPINNERET_HTTP_RESOLVER_H_
#define SPINNERET_HTTP_RESOLVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/address.h"
#include "http/poller.h"

namespace spinneret::http {

struct ResolverOptions {
  std::string servers;         // "192.0.2.1:53,[2001:db8::1]:5353"; empty: as the system says
  std::int64_t try_ms = 3000;  // patience with one server at the first try; then it doubles
  int tries = 3;
  std::int64_t max_ms = 10'000;     // for one lookup, all tries and servers together
  std::int64_t min_ttl_ms = 5'000;  // an answer serves at least this long, whatever its TTL
  std::int64_t max_ttl_ms = 3'600'000;
  std::int64_t failure_ttl_ms = 5'000;
  std::size_t max_entries = 100'000;
  std::size_t max_lookups = 128;
};

// One host's addresses. `error` is set where there are none.
struct Resolution {
  std::vector<IpAddress> addresses;
  std::string error;            // "no such host", "name server does not answer"
  bool own_trouble = false;     // the error is this process's: nothing is said of the host
  std::int64_t expires_ns = 0;  // by Clock::monotonic_ns
};

class Resolver {
 public:
  virtual ~Resolver() = default;
  using Callback = std::function<void(const Resolution&)>;
  // Calls back once: within this call where the answer is kept, else from a later poll or advance().
  virtual void lookup(const std::string& host, Callback callback) = 0;
  // Does what has come due.
  virtual void advance() = 0;
  // Milliseconds until advance() is wanted, or -1. A lookup changes it.
  virtual int timeout_ms() const = 0;
};

// `poller` and `clock` must outlive it.
Result<std::unique_ptr<Resolver>> make_dns_resolver(Poller& poller, const Clock& clock,
                                                    const ResolverOptions& options);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_RESOLVER_H_
