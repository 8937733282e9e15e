// SPDX-License-Identifier: Apache-2.0
// A file to which programs append whole lines, all lines of a page in one call, while others may
// read it.
//
//   auto file = LineFile::open("texts");        // created where it does not exist
//   if (const Status kept = file->append("http://h/\ttext=...\n"); !kept.ok()) ...
//
// A failed write (a full disk) leaves none of its lines behind: the file is cut back. If a writer
// was killed in the middle of a line, the next append first ends that line. Several programs may
// write, also on several machines over NFS, where appends would otherwise overwrite each other:
// each holds the file's lock (flock) while it writes. A lock whose holder was stopped is waited for
// as long as lock_file() does, and a file system without locks is written to without one. A pipe or
// a device is written to directly. A power cut loses the last second (base/paced_sync.h). Not
// thread-safe.
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

  // Appends lines, given with their line ends. Costs three system calls more than write(2). An
  // error names the file.
  Status append(std::string_view lines);
  // Makes sure that all lines are on disk. Some file systems report a full disk only here.
  Status close();

 private:
  Status told(int code) const;
  int append_locked(std::string_view lines);
  int write(std::string_view lines);
  bool ends_torn(std::int64_t size) const;

  std::string path_;
  Fd file_;
  PacedSync sync_;
  std::int64_t end_ = 0;  // size of the file after the last append
  bool regular_ = false;
  bool torn_ = false;  // the last line has no end
};

}  // namespace spinneret

#endif  // SPINNERET_IO_LINE_FILE_H_
