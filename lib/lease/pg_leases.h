// SPDX-License-Identifier: Apache-2.0
// Leases and tables in PostgreSQL: rows (pg/schema.h), by the primary's clock.
//
// That clock may be set. The quarantine of the next owner covers a lease that thereby runs out
// early, or is forgotten; a lease that would last longer than twice its TTL counts as one that has
// run out. What is taken, renewed or claimed counts once it is committed: on the disk, and by the
// standbys where the server waits for them.
#ifndef SPINNERET_LEASE_PG_LEASES_H_
#define SPINNERET_LEASE_PG_LEASES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "lease/lease.h"
#include "pg/address.h"

namespace spinneret::lease {

// `node` names this process: it has no space, and is unique. Leases are taken for `ttl_ms`.
std::unique_ptr<Leases> pg_leases(pg::Address address, const Clock& clock, std::string node,
                                  std::int64_t ttl_ms);

}  // namespace spinneret::lease

#endif  // SPINNERET_LEASE_PG_LEASES_H_
