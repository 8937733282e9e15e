// SPDX-License-Identifier: Apache-2.0
// Lists the files that a ZIP archive stores uncompressed (APPNOTE 6.3, sections 4.3.7 to 4.3.16,
// with ZIP64), with their places, so that each can be read in the archive. The archives of a WACZ
// file are stored so (WACZ 1.1, section 4).
//
//   std::vector<StoredFile> files;
//   if (Status status = list_stored("site.wacz", wanted, files, trouble); !status.ok())
//     return status;
#ifndef SPINNERET_CHECK_ZIP_H_
#define SPINNERET_CHECK_ZIP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/folder.h"

namespace spinneret::check {

struct StoredFile {
  std::string name;  // as it is in the archive: it is a stranger's, and not to be used as a path
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Whether the bytes begin a ZIP archive. Decided by the first four bytes.
inline bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04"); }

// Appends the files whose names `wanted` accepts, in the order of the archive's directory, of which
// at most 64 MiB are read. A wanted file that is compressed, encrypted or not within the archive is
// left out and reported. An Error means that `path` cannot be read, or is not a ZIP archive with a
// whole directory.
Status list_stored(const std::string& path, bool (*wanted)(std::string_view name),
                   std::vector<StoredFile>& files, const Folder::Trouble& trouble);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_ZIP_H_
