// SPDX-License-Identifier: Apache-2.0
// Leases and tables over PostgreSQL: rows (pg/schema.h), by the primary's clock.
//
// That clock may be set: a lease that so runs out early, or is forgotten, is what the quarantine of its next owner is for, and
// one that would last for longer than twice its time counts as one that has run out. What is taken, renewed or
// claimed counts once it is committed: on the disk, and where the server waits for standbys, by them.
#ifndef SPINNERET_LEASE_PG_LEASES_H_
#define SPINNERET_LEASE_PG_LEASES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "lease/lease.h"
#include "pg/address.h"

namespace spinneret::lease {

// `node` names this process: no space in it, and no other's. What it takes is its for `ttl_ms`.
std::unique_ptr<Leases> pg_leases(pg::Address address, const Clock& clock, std::string node,
                                  std::int64_t ttl_ms);

}  // namespace spinneret::lease

#endif  // SPINNERET_LEASE_PG_LEASES_H_
