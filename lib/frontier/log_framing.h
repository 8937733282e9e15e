// SPDX-License-Identifier: Apache-2.0
// The framing of RocksDB's logs (*.log and MANIFEST-*): blocks of 32 KiB, and in them records that do not cross their
// end.
//
//   crc32c of type and bytes, masked: 4   size of the bytes: 2   type: 1   the bytes
//
// A record of the four types of recycled logs, which are never written here, has a longer header. Where a bit that
// tipped makes one of a sound record, RocksDB takes it for what an older log left behind, before it looks at the checksum;
// version 9.10 then reads it again for ever. So logs are looked at before RocksDB opens the state.
#ifndef SPINNERET_FRONTIER_LOG_FRAMING_H_
#define SPINNERET_FRONTIER_LOG_FRAMING_H_

#include <string>

#include "base/result.h"

namespace spinneret::frontier {

// An Error that names the file and the offset, for the first log in `folder` that holds such a record where RocksDB
// comes upon it. Damage of any other kind is left to RocksDB, which tells it by checksums. Cost: the logs are read
// once, and checksums of single records are only reckoned beside such a type.
Status check_log_framing(const std::string& folder);

// An Error where `folder` holds data and no CURRENT, which names the manifest that is good: RocksDB would begin an empty
// state over it. One that was killed while it was made has neither.
Status check_current(const std::string& folder);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LOG_FRAMING_H_
