// SPDX-License-Identifier: Apache-2.0
// Leases and tables in Valkey or Redis.
//
//   spinneret:{NAME}:lease:p17   "node epoch", which expires with the TTL
//   spinneret:{NAME}:epoch:p17   the counter of its epochs
//   spinneret:{NAME}:table:T     a hash, by field
//
// What is taken, renewed or claimed counts once floor((replicas + 1) / 2) replicas have it (WAIT),
// where `replicas` is their number when the crawl was begun. A server with more replicas now is
// refused, since it has another majority. A server without replicas needs no confirmation: it is
// safe, and the crawl stops with it.
#ifndef SPINNERET_LEASE_RESP_LEASES_H_
#define SPINNERET_LEASE_RESP_LEASES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "lease/lease.h"
#include "resp/address.h"

namespace spinneret::lease {

// `node` names this process: it has no space, and is unique. Leases are taken for `ttl_ms`.
std::unique_ptr<Leases> resp_leases(resp::Address address, const Clock& clock, std::string node,
                                    std::int64_t ttl_ms);

}  // namespace spinneret::lease

#endif  // SPINNERET_LEASE_RESP_LEASES_H_
