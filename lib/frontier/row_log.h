// SPDX-License-Identifier: Apache-2.0
// The rows of hosts on their way into kHosts. Those that one commit has changed stand in one row of
// kMeta, and go on to kHosts only once they are old and there are no newer ones of their hosts.
//
//   kMeta   "rows:" + number (8)  ->  (host id, row) ...
//
//     rows: 7001 | 7002 7003 ... 7840 |      a host's row is in the last of these that has it, else
//            ^ goes to kHosts   ^ last       in kHosts: that of host 17 is in 7003
//
// So a host that is asked again and again is written once for each commit, behind others, in one
// place. It is rarely written into the table, where each row has to find its place, is flushed, and
// merged with those that it replaces. A row in kHosts is never newer than one that stands here: so
// whatever is read over it is right, wherever a crash comes.
//
// 1 M URLs over 100,000 hosts in turn: a pop took 10.4 and 11.4 us of CPU of all threads before,
// and 8.7 and 8.6 with this log in the same minutes.
//
// Borrows the store. Not thread-safe. Cost: 60 bytes a row, in the log and on disk; memory: 4 bytes
// a batch.
#ifndef SPINNERET_FRONTIER_ROW_LOG_H_
#define SPINNERET_FRONTIER_ROW_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "frontier/keys.h"
#include "frontier/store.h"

namespace spinneret::frontier {

class RowLog {
 public:
  using Number = std::uint64_t;  // number of a batch, from 1
  using Each = std::function<void(HostId id, std::string_view row)>;
  using EachOf = std::function<void(Number batch, HostId id, std::string_view row)>;

  explicit RowLog(Store& store) : store_(store) {}

  using Problem = std::function<void(const std::string& problem)>;
  // Reads all rows, the older first. Damage is an Error; with `problem`, which gets a sentence for
  // each batch that is damaged or missing, what is left is read, and nothing but clear() may
  // follow.
  Status read(const EachOf& each, const Problem& problem = {});
  // Reads the rows of one committed batch. False: it cannot be read.
  bool get(Number batch, const Each& each);
  // These include the batch that is staged.
  std::uint64_t size() const { return size_; }  // rows
  std::size_t batches() const { return sizes_.size(); }

  // Builds a batch: add() each row, once a host, and stage(). Stages nothing where none was added.
  Number next() const { return next_; }
  void add(HostId id, std::string_view row);
  void stage();
  // Gives the oldest batch, and stages its removal. Only if there are more than the one that was
  // staged last. False: it cannot be read.
  bool take_oldest(const EachOf& each);
  // Stages the removal of all, with nothing else staged, in a state whose kHosts has all of them.
  void clear();

 private:
  void make_key(Number batch);

  Store& store_;
  std::deque<std::uint32_t> sizes_;  // rows of each batch, the oldest first
  Number next_ = 1;
  std::uint64_t size_ = 0;
  std::string batch_;  // the one that is being built
  std::uint32_t added_ = 0;
  std::string key_, bytes_;  // reused
};

// Whether the key of a row in kMeta is one of the log's.
bool is_of_row_log(std::string_view key);

// For inspection of a state: the last row of each host that the log has.
class LoggedRows {
 public:
  Status read(Store& store, const RowLog::Problem& problem = {});
  // The row of a host: what the log has of it, or else `row`, which kHosts has.
  std::string_view of(HostId id, std::string_view row) const;

 private:
  struct Piece {
    std::size_t begin = 0, size = 0;
  };
  std::unordered_map<HostId, Piece> rows_;
  std::string bytes_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_ROW_LOG_H_
