// SPDX-License-Identifier: Apache-2.0
// A file to which programs append whole lines, all lines of a page in one piece, and which others may read meanwhile.
//
//   auto file = LineFile::open("texts");        // made where there is none
//   if (const Status kept = file->append("http://h/\ttext=...\n"); !kept.ok()) ...
//
// A write that fails (a full disk) leaves none of its lines behind: what was written is taken back. If a writer was
// killed in the middle of a line, the next append first ends that line. Several programs may write, also from other
// machines by NFS, where appends would else fall onto each other: each holds the lock of the file (flock) meanwhile. One that
// was stopped amid that is waited for as long as lock_file() does, and a file system without locks does without. A pipe
// or a device is written to directly. A power cut takes the last second with it (base/paced_sync.h). Not thread-safe.
#ifndef SPINNERET_IO_LINE_FILE_H_
#define SPINNERET_IO_LINE_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/paced_sync.h"
#include "base/result.h"

namespace spinneret {

class LineFile {
 public:
  static Result<LineFile> open(const std::string& path);

  // Appends lines, which bring their line ends. Costs three system calls more than write(2). What failed names the file.
  Status append(std::string_view lines);
  // For whoever must know that all is on disk, as of some file systems only this says that there is no room.
  Status close();

 private:
  Status told(int code) const;
  int append_locked(std::string_view lines);
  int write(std::string_view lines);
  bool ends_torn(std::int64_t size) const;

  std::string path_;
  Fd file_;
  PacedSync sync_;
  std::int64_t end_ = 0;  // as it was left
  bool regular_ = false;
  bool torn_ = false;  // the last line has no end
};

}  // namespace spinneret

#endif  // SPINNERET_IO_LINE_FILE_H_
