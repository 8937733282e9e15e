// SPDX-License-Identifier: Apache-2.0
// The Store on RocksDB: one column family a table, and one write-ahead log for all, so that a batch
// is atomic.
//
// Durability. A commit is one write(2) to the log: it survives kill -9 of the process at any
// moment. A thread syncs the log (fdatasync) every sync_every_ms while there is something to sync:
// a power cut loses at most what was committed since, and always a suffix, never a part out of the
// middle (point-in-time recovery). sync() waits for that.
//
// Memory: write buffers (30 MB when loaded, 50 at most), a block cache of cache_bytes, and a Bloom
// filter of 1.25 bytes a URL. At its peak, over lists of 10 k, 100 k and 1 M URLs of 200 hosts,
// politeness-sched took 28, 61 and 91 MB; with write buffers of 100 MB and a cache of 64 MB it took
// 29, 75 and 158.
#ifndef SPINNERET_FRONTIER_ROCKS_STORE_H_
#define SPINNERET_FRONTIER_ROCKS_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "frontier/store.h"

namespace spinneret::frontier {

// A cache of blocks that were read lately. Several stores may share one, in any threads.
struct BlockCache;
std::shared_ptr<BlockCache> make_block_cache(std::size_t bytes);

struct RocksOptions {
  std::size_t cache_bytes = std::size_t{16} << 20;
  std::shared_ptr<BlockCache> cache = {};  // instead of one of its own
  std::int64_t sync_every_ms = 1000;
  bool read_only = false;    // reads what is on disk now; takes no lock, writes nothing
  int max_open_files = 512;  // most open table files; 20 at least
  // Opens the tables kOutbox and kInbox too, and makes them where they are missing. They are also
  // opened where a state has them, unless it is only read.
  bool partition = false;
};

// Opens the database in the folder `path`, creating it unless read_only. `notice` gets what a user
// should hear now (such as that recovery had to leave damaged changes out), or becomes empty.
Result<std::unique_ptr<Store>> open_rocks_store(const std::string& path,
                                                const RocksOptions& options,
                                                std::string* notice = nullptr);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_ROCKS_STORE_H_
