// SPDX-License-Identifier: Apache-2.0
// A bus over PostgreSQL: a row for each message (pg/schema.h), and a row for each stream that says
// how many of its bytes are unread.
//
// Whoever appends holds the stream's row until the commit, so places are in the order in which they
// can be read. As with RespBus, a stream that the server forgot comes back with another generation,
// which tells its places from the old ones.
#ifndef SPINNERET_BUS_PG_BUS_H_
#define SPINNERET_BUS_PG_BUS_H_

#include <cstdint>
#include <memory>

#include "bus/bus.h"
#include "pg/address.h"

namespace spinneret::bus {

// `budget` bounds the unread bytes of a stream (stream_budget()).
std::unique_ptr<Bus> pg_bus(pg::Address address, std::uint64_t budget);

}  // namespace spinneret::bus

#endif  // SPINNERET_BUS_PG_BUS_H_
