// SPDX-License-Identifier: Apache-2.0
#include "io/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace spinneret {

Result<LineFile> LineFile::open(const std::string& path) {
  // A file that may be written and not read is opened without a look at its end.
  Result<Fd> opened = open_file(path, O_RDWR | O_CREAT | O_APPEND);
  if (!opened.ok()) opened = open_file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (!opened.ok()) return opened.error();
  LineFile made;
  made.file_ = opened.take();
  struct stat status {};
  made.regular_ = fstat(made.file_.get(), &status) == 0 && S_ISREG(status.st_mode);
  char last = '\n';
  if (made.regular_ && status.st_size > 0 &&
      pread(made.file_.get(), &last, 1, status.st_size - 1) == 1)
    made.torn_ = last != '\n';
  return made;
}

int LineFile::append(std::string_view lines) {
  if (lines.empty()) return 0;
  struct stat before {};
  const bool known = regular_ && fstat(file_.get(), &before) == 0;
  int code = torn_ ? write_all(file_.get(), "\n") : 0;
  if (code == 0) code = write_all(file_.get(), lines);
  if (code == 0) {
    torn_ = false;
  } else if (known && ftruncate(file_.get(), before.st_size) != 0) {
    torn_ = true;  // the next one ends it, else
  }
  return code;
}

}  // namespace spinneret
