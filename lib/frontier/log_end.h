// SPDX-License-Identifier: Apache-2.0
// How far the log of a state reached when all of it was last known to be on disk: RocksDB opens a state whose log was deleted
// or cut at the end of a change, as if nothing had been there.
//
//   folder/log-end    the number of the last change, in a file of its own, which checkpoints do not have
//
// The file is not synced, for what it speaks of is. One that is not there, or is no number, says nothing.
#ifndef SPINNERET_FRONTIER_LOG_END_H_
#define SPINNERET_FRONTIER_LOG_END_H_

#include <cstdint>
#include <string>

namespace spinneret::frontier {

// 0: it does not say. Whoever compares reads it before the log: a running crawl writes on.
std::uint64_t read_log_end(const std::string& folder);
// Of what is on disk.
void write_log_end(const std::string& folder, std::uint64_t last_change);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LOG_END_H_
