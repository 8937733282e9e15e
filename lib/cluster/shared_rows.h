// SPDX-License-Identifier: Apache-2.0
// Rows of the outbox that hold batches for several destinations: all that one commit has for partitions of the same machine. A page
// has few links to each of the others, so that a row for each would be a row for each link.
//
//   'n' row(8)  ->  for each batch: destination, its number, its lines
//
// A row goes once none of its batches is wanted any more. Used by Sender alone; not thread-safe.
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

  // Every batch that is there, in the order in which they were made; `wanted` says whether it still is. False: a row is damaged.
  bool open(const std::function<bool(std::uint32_t destination, std::uint64_t batch,
                                     std::uint64_t row)>& wanted);
  // A batch of the next commit; the number of its row.
  std::uint64_t add(std::uint32_t destination, std::uint64_t batch, std::string_view lines);
  // Stages what was added.
  void stage();
  // One of the row's batches is wanted no more.
  void release(std::uint64_t row);
  // The lines of a batch that is committed; false: it is not there.
  bool read(std::uint64_t row, std::uint32_t destination, std::uint64_t batch, std::string& lines);

 private:
  ChannelStore& store_;
  std::uint64_t next_ = 1;                         // the row that is being made
  std::map<std::uint64_t, std::uint32_t> wanted_;  // by row: how many of its batches are
  std::string adding_;
};

// Each batch of each such row, until `each` returns false. False: a row is damaged.
bool for_each_shared(ChannelStore& store, std::uint64_t from_row,
                     const std::function<bool(std::uint64_t row, std::uint32_t destination,
                                              std::uint64_t batch, std::string_view lines)>& each);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_SHARED_ROWS_H_
