// SPDX-License-Identifier: Apache-2.0
// A file that programs append whole lines to, each page's in one piece, and that others read.
//
//   auto file = LineFile::open("texts");        // made where there is none
//   if (const int code = file->append("http://h/\ttext=...\n")) ...
//
// A write that fails (a full disk) leaves none of its lines: what was written is taken back. What a writer that was
// killed in the middle has left, a last line without its end, is ended by the next append. One program writes at a time.
// A pipe or a device is written to as it is. Not thread-safe.
#ifndef SPINNERET_IO_LINE_FILE_H_
#define SPINNERET_IO_LINE_FILE_H_

#include <string>
#include <string_view>

#include "base/file.h"

namespace spinneret {

class LineFile {
 public:
  static Result<LineFile> open(const std::string& path);

  // Lines with their ends. 0, or an errno. One system call more than write(2).
  int append(std::string_view lines);

 private:
  Fd file_;
  bool regular_ = false;
  bool torn_ = false;  // the last line has no end
};

}  // namespace spinneret

#endif  // SPINNERET_IO_LINE_FILE_H_
