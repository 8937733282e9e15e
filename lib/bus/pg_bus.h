// SPDX-License-Identifier: Apache-2.0
// The bus over PostgreSQL: a row for each message (pg/schema.h), and one that says how many bytes of the stream are unread.
//
// Who appends holds the stream's row until it is committed: places are in the order in which they can be read. So a stream
// that the server forgot has another generation when it comes back, as with RespBus, and a place of the old one says so by itself.
#ifndef SPINNERET_BUS_PG_BUS_H_
#define SPINNERET_BUS_PG_BUS_H_

#include <cstddef>
#include <cstdint>

#include "bus/bus.h"
#include "pg/connection.h"

namespace spinneret::bus {

class PgBus : public Bus {
 public:
  // `budget`: unread bytes of a stream (stream_budget).
  PgBus(pg::Address address, std::uint64_t budget);

  Status publish(std::span<const Item> items, std::vector<Appended>& outcomes) override;
  Status read(std::span<Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
              std::vector<Message>& messages) override;
  Result<bool> trim(std::string_view stream, const Place& through, const Fence& fence) override;

 private:
  Status read_once(std::span<Cursor> cursors, std::size_t limit, std::vector<Message>& messages);

  pg::Connection connection_;
  std::uint64_t budget_;
  std::size_t append_, read_, trim_;
};

}  // namespace spinneret::bus

#endif  // SPINNERET_BUS_PG_BUS_H_
