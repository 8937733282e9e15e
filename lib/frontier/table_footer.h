// SPDX-License-Identifier: Apache-2.0
// The ends of RocksDB's table files. RocksDB trusts two things there before it has looked at their
// checksum, if they have one at all, and an assertion or bad_alloc then ends the process:
//
//   footer (53 bytes, format 5)  has no checksum; may say that blocks have none, or have 2^60 bytes
//   properties block             is parsed before its checksum is verified, because a table from
//                                elsewhere may have another number in it
//
// So both, and the meta index, which says where the properties are, are checked before RocksDB
// opens the state. RocksDB judges every other block that it reads by its checksum first.
#ifndef SPINNERET_FRONTIER_TABLE_FOOTER_H_
#define SPINNERET_FRONTIER_TABLE_FOOTER_H_

#include <string>

#include "base/result.h"

namespace spinneret::frontier {

// Returns an Error that names file and part, for the first *.sst in `folder` with such damage.
// Files without RocksDB's magic number are left to RocksDB: a kill may leave halves of files that
// belong to no state. Cost: three reads a file, of some 1,000 bytes together.
Status check_table_footers(const std::string& folder);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_TABLE_FOOTER_H_
