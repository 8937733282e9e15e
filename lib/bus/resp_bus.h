// SPDX-License-Identifier: Apache-2.0
// The bus over Valkey or Redis: a stream each, and beside it how many bytes of it are unread.
//
//   spinneret:{NAME}:stream:p17   an engine's stream; an entry's id is generation-offset, its one field the message
//   spinneret:{NAME}:room:p17     g generation (when it began, µs), b offset trimmed to, e offset of the end
//
// So a stream that the engine forgot has another generation when it comes back, and a place in it says by itself that it
// is of the old one. What is forgotten is lost to the bus: it is the sender's to send again.
#ifndef SPINNERET_BUS_RESP_BUS_H_
#define SPINNERET_BUS_RESP_BUS_H_

#include <cstdint>
#include <memory>

#include "bus/bus.h"
#include "resp/address.h"

namespace spinneret::bus {

// `budget`: unread bytes of a stream (stream_budget).
std::unique_ptr<Bus> resp_bus(resp::Address address, std::uint64_t budget);

}  // namespace spinneret::bus

#endif  // SPINNERET_BUS_RESP_BUS_H_
