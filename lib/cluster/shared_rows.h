// SPDX-License-Identifier: Apache-2.0
// Rows of the outbox that hold batches for several destinations: all that one commit has for
// partitions of the same machine. A page has few links to each of these, so that a row for each
// destination would be almost a row for each link.
//
//   'n' row(8)  ->  for each batch: destination, its number, its lines
//
// A row is erased once none of its batches is wanted any more. Used by Sender alone; not
// thread-safe.
#ifndef SPINNERET_CLUSTER_SHARED_ROWS_H_
#define SPINNERET_CLUSTER_SHARED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "cluster/channel_store.h"

namespace spinneret::cluster {

class SharedRows {
 public:
  explicit SharedRows(ChannelStore& store) : store_(store) {}

  // Reads every batch, in the order in which they were made; `wanted` says whether it still is
  // wanted. Returns false where a row is damaged.
  bool open(const std::function<bool(std::uint32_t destination, std::uint64_t batch,
                                     std::uint64_t row)>& wanted);
  // Adds a batch for the next commit. Returns the number of its row.
  std::uint64_t add(std::uint32_t destination, std::uint64_t batch, std::string_view lines);
  // Stages what was added.
  void stage();
  // Says that one of the row's batches is not wanted any more.
  void release(std::uint64_t row);
  // Reads the lines of a committed batch; returns false where it is missing.
  bool read(std::uint64_t row, std::uint32_t destination, std::uint64_t batch, std::string& lines);

 private:
  ChannelStore& store_;
  std::uint64_t next_ = 1;                         // number of the row being made
  std::map<std::uint64_t, std::uint32_t> wanted_;  // by row: its batches that are wanted
  std::string adding_;
};

// Gives each batch of each such row, until `each` returns false. Returns false where a row is
// damaged.
bool for_each_shared(ChannelStore& store, std::uint64_t from_row,
                     const std::function<bool(std::uint64_t row, std::uint32_t destination,
                                              std::uint64_t batch, std::string_view lines)>& each);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_SHARED_ROWS_H_
