// SPDX-License-Identifier: Apache-2.0
// A bus over Valkey or Redis: one of the engine's streams for each stream, and beside it a hash
// that says how many of its bytes are unread.
//
//   spinneret:{NAME}:stream:p17   an entry's id is generation-offset, its one field the message
//   spinneret:{NAME}:room:p17     g generation (when it began, µs), b trimmed offset, e end offset
//
// A stream that the engine forgot comes back with another generation, which tells its places from
// the old ones. Forgotten messages are lost to the bus: their senders must send them again.
#ifndef SPINNERET_BUS_RESP_BUS_H_
#define SPINNERET_BUS_RESP_BUS_H_

#include <cstdint>
#include <memory>

#include "bus/bus.h"
#include "resp/address.h"

namespace spinneret::bus {

// `budget` bounds the unread bytes of a stream (stream_budget()).
std::unique_ptr<Bus> resp_bus(resp::Address address, std::uint64_t budget);

}  // namespace spinneret::bus

#endif  // SPINNERET_BUS_RESP_BUS_H_
