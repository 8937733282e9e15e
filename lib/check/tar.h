// SPDX-License-Identifier: Apache-2.0
// Lists the files in a tar archive (POSIX ustar and pax, GNU) with their places, so that each can
// be read in the archive.
//
//   std::vector<NamedFile> files;
//   if (Status status = list_tar("site.tar", files, trouble); !status.ok()) ...
#ifndef SPINNERET_CHECK_TAR_H_
#define SPINNERET_CHECK_TAR_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/folder.h"

namespace spinneret::check {

// Whether the bytes begin a tar archive. Decided by the first 512 bytes.
bool is_tar(std::string_view bytes);

// Files are sorted by name and listed once: of one name the last file counts, and a hard link is
// the file that it links to. Symbolic links, sparse files, and names that lead out of the archive
// are left out and reported. An Error means that the archive is damaged or cut off; files before
// that place are listed.
Status list_tar(const std::string& path, std::vector<NamedFile>& files,
                const Folder::Trouble& trouble);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_TAR_H_
