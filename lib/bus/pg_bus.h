// SPDX-License-Identifier: Apache-2.0
// The bus over PostgreSQL: a row for each message (pg/schema.h), and one that says how many bytes of the stream are unread.
//
// Who appends holds the stream's row until it is committed: places are in the order in which they can be read. So a stream
// that the server forgot has another generation when it comes back, as with RespBus, and a place of the old one says so by itself.
#ifndef SPINNERET_BUS_PG_BUS_H_
#define SPINNERET_BUS_PG_BUS_H_

#include <cstdint>
#include <memory>

#include "bus/bus.h"
#include "pg/address.h"

namespace spinneret::bus {

// `budget`: unread bytes of a stream (stream_budget).
std::unique_ptr<Bus> pg_bus(pg::Address address, std::uint64_t budget);

}  // namespace spinneret::bus

#endif  // SPINNERET_BUS_PG_BUS_H_
