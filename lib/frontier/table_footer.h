// SPDX-License-Identifier: Apache-2.0
// The footers of RocksDB's table files. Nothing in a file of format 5 vouches for its last 53 bytes, and what they
// say is followed unseen: one that names no checksum, or a block of 2^60 bytes, ends the process with an assertion or
// bad_alloc. So they are looked at before RocksDB opens the state: then every block that is read has its checksum.
#ifndef SPINNERET_FRONTIER_TABLE_FOOTER_H_
#define SPINNERET_FRONTIER_TABLE_FOOTER_H_

#include <string>

#include "base/result.h"

namespace spinneret::frontier {

// An Error that names the file, for the first *.sst in `folder` whose footer is wrong. Files without RocksDB's magic
// number are left to it: a kill may leave halves of files that belong to no state. Cost: one read a file.
Status check_table_footers(const std::string& folder);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_TABLE_FOOTER_H_
