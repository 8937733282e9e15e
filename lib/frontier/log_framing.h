// SPDX-License-Identifier: Apache-2.0
// The framing of RocksDB's logs (*.log and MANIFEST-*): blocks of 32 KiB, and in them records that
// do not cross their ends.
//
//   crc32c of type and bytes, masked: 4   size of the bytes: 2   type: 1   the bytes
//
// A record of the four types of recycled logs, which are never written here, has a longer header.
// If a flipped bit makes one of a sound record, RocksDB takes it for the remains of an older log,
// before it looks at the checksum; version 9.10 then reads it again for ever. So logs are checked
// before RocksDB opens the state.
#ifndef SPINNERET_FRONTIER_LOG_FRAMING_H_
#define SPINNERET_FRONTIER_LOG_FRAMING_H_

#include <string>

#include "base/result.h"

namespace spinneret::frontier {

// Returns an Error that names the file and the offset, for the first log in `folder` that holds
// such a record where RocksDB comes upon it. Other damage is left to RocksDB, which finds it by
// checksums. Cost: the logs are read once; checksums are computed only for single records beside
// such a type.
Status check_log_framing(const std::string& folder);

// Returns an Error where `folder` holds data and no CURRENT, which names the valid manifest:
// RocksDB would begin an empty state over it. A state whose making was killed has neither.
Status check_current(const std::string& folder);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LOG_FRAMING_H_
