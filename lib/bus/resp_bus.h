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

#include "bus/bus.h"
#include "resp/connection.h"

namespace spinneret::bus {

class RespBus : public Bus {
 public:
  // `budget`: unread bytes of a stream (stream_budget).
  RespBus(resp::Address address, std::uint64_t budget);

  Status publish(std::span<const Item> items, std::vector<Appended>& outcomes) override;
  Status read(std::span<Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
              std::vector<Message>& messages) override;
  Result<bool> trim(std::string_view stream, const Place& through, const Fence& fence) override;
  resp::Connection& connection() { return connection_; }

 private:
  Status begin_anew_where_forgotten(std::span<Cursor> cursors,
                                    const std::vector<Message>& messages);

  resp::Connection connection_;
  std::uint64_t budget_;
  std::size_t append_, trim_;
};

}  // namespace spinneret::bus

#endif  // SPINNERET_BUS_RESP_BUS_H_
