// SPDX-License-Identifier: Apache-2.0
// Resolves host names to addresses, asynchronously, through c-ares: by DNS and /etc/hosts. Other
// sources of nsswitch are not asked. localhost and names below it are loopback, of either family,
// without a query (RFC 6761, 6.3).
//
// No lookup delays others for long. At most `max_lookups` run at a time, but a lookup that has had
// no answer for half a second is no longer counted, and after `max_ms` it fails. An answer that
// comes even later is kept for the next request. After two seconds without an answer the IPv4
// address alone is asked for as well, and is enough.
//
// Answers are kept for their TTL, within bounds, and failures for a few seconds. While an answer is
// kept the order of its addresses stays the same, so that a host's connections go to one address.
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
  std::string servers;  // "192.0.2.1:53,[2001:db8::1]:5353"; empty: the system's
  // The time that one server has at the first try; doubled at each further one.
  std::int64_t try_ms = 3000;
  int tries = 3;
  std::int64_t max_ms = 10'000;     // for one lookup, all tries and servers together
  std::int64_t min_ttl_ms = 5'000;  // an answer is kept at least this long, whatever its TTL
  std::int64_t max_ttl_ms = 3'600'000;
  std::int64_t failure_ttl_ms = 5'000;
  std::size_t max_entries = 100'000;
  std::size_t max_lookups = 128;
  // Which families of addresses are of use: at least one.
  bool wants_v4 = true;
  bool wants_v6 = true;
};

// One host's addresses. `error` is set where there are none.
struct Resolution {
  std::vector<IpAddress> addresses;
  std::string error;            // "no such host", "name server does not answer"
  bool own_trouble = false;     // the error is this process's own, and says nothing about the host
  std::int64_t expires_ns = 0;  // by Clock::monotonic_ns
};

class Resolver {
 public:
  virtual ~Resolver() = default;
  using Callback = std::function<void(const Resolution&)>;
  // Calls back once: within this call where the answer is kept, otherwise from a later poll or
  // advance().
  virtual void lookup(const std::string& host, Callback callback) = 0;
  // Does what is due.
  virtual void advance() = 0;
  // Returns the milliseconds until advance() must be called, or -1 for never. A lookup changes it.
  virtual int timeout_ms() const = 0;
};

// `poller` and `clock` must outlive the resolver.
Result<std::unique_ptr<Resolver>> make_dns_resolver(Poller& poller, const Clock& clock,
                                                    const ResolverOptions& options);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_RESOLVER_H_
