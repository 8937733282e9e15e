// SPDX-License-Identifier: Apache-2.0
// The ends of RocksDB's table files. RocksDB believes two things there before it has looked at their checksum, if they have
// one at all, and an assertion or bad_alloc then ends the process:
//
//   footer (53 bytes, format 5)   has no checksum; may say that blocks have none, or that a block has 2^60 bytes
//   properties block              is taken apart before its checksum is reckoned, as a table that is brought in from
//                                 elsewhere may have another number in it
//
// So both are looked at before RocksDB opens the state, and the meta index, which says where the properties are. Every
// other block that RocksDB reads is judged by its checksum first.
#ifndef SPINNERET_FRONTIER_TABLE_FOOTER_H_
#define SPINNERET_FRONTIER_TABLE_FOOTER_H_

#include <string>

#include "base/result.h"

namespace spinneret::frontier {

// An Error that names file and part, for the first *.sst in `folder` with such damage. Files without RocksDB's magic
// number are left to it: a kill may leave halves of files that belong to no state. Cost: three reads a file, of some
// 1,000 bytes together.
Status check_table_footers(const std::string& folder);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_TABLE_FOOTER_H_
