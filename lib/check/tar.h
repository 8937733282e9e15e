// SPDX-License-Identifier: Apache-2.0
// The files in a tar archive (POSIX ustar and pax, GNU), with their places in it, so that whoever wants one reads it there.
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

// By its first 512 bytes.
bool is_tar(std::string_view bytes);

// Sorted by name, each once: the last of a name counts. A hard link is the file that it is to. Left out, and told: symbolic
// links, sparse files, names that lead out of the archive. An Error: it is damaged or cut off; what stands before is there.
Status list_tar(const std::string& path, std::vector<NamedFile>& files,
                const Folder::Trouble& trouble);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_TAR_H_
