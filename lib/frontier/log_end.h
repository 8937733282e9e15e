// SPDX-License-Identifier: Apache-2.0
// How far the log of a state reached when all of it was last known to be on disk. RocksDB opens a
// state whose log was deleted, or cut at the end of a change, as if nothing had been there.
//
//   folder/log-end    the number of the last change, in a file that checkpoints do not have
//
// The file is not synced, because what it speaks of is. If it is missing, or holds no number, it
// says nothing.
#ifndef SPINNERET_FRONTIER_LOG_END_H_
#define SPINNERET_FRONTIER_LOG_END_H_

#include <cstdint>
#include <string>

namespace spinneret::frontier {

// 0: the file does not say. To compare, read it before the log: a running crawl writes on.
std::uint64_t read_log_end(const std::string& folder);
// `last_change` must be on disk.
void write_log_end(const std::string& folder, std::uint64_t last_change);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LOG_END_H_
