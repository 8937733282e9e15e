// SPDX-License-Identifier: Apache-2.0
// Rows of an outbox:
//
//   'e'                                        -> version, epoch
//   'd' destination(4)                         -> LaneRow
//   'b' destination(4) batch(8) part(4)        -> lines
//   'n' row(8)                                 -> batches of several destinations (shared_rows.h)
#ifndef SPINNERET_CLUSTER_OUTBOX_ROWS_H_
#define SPINNERET_CLUSTER_OUTBOX_ROWS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "frontier/encode.h"

namespace spinneret::cluster {

inline std::string lane_key(std::uint32_t destination) {
  std::string key = "d";
  frontier::put_big_endian(key, destination, 4);
  return key;
}

struct LaneRow {
  std::uint64_t first = 1;  // first batch that is not deleted
  std::uint64_t next = 1;   // the open batch
  std::uint64_t base = 0;   // sequence number = batch - base
  std::uint64_t known = 0;  // highest epoch of a receiver that is known

  std::string encode() const {
    std::string row;
    for (const std::uint64_t value : {first, next, base, known}) frontier::put_varint(row, value);
    return row;
  }
  // Returns false where the row is damaged.
  bool decode(std::string_view bytes) {
    frontier::Decoder in{bytes};
    for (std::uint64_t* const value : {&first, &next, &base, &known}) *value = in.varint();
    return !in.bad && first != 0 && next >= first && base < first;
  }
};

inline std::string batch_key(std::uint32_t destination, std::uint64_t batch,
                             std::uint32_t part = 0) {
  std::string key = "b";
  frontier::put_big_endian(key, destination, 4);
  frontier::put_big_endian(key, batch, 8);
  frontier::put_big_endian(key, part, 4);
  return key;
}

inline std::string shared_row_key(std::uint64_t row) {
  std::string key = "n";
  frontier::put_big_endian(key, row, 8);
  return key;
}

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_OUTBOX_ROWS_H_
