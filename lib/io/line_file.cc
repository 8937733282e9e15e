// SPDX-License-Identifier: Apache-2.0
#include "io/line_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace spinneret {

Result<LineFile> LineFile::open(const std::string& path) {
  // A file that may be written but not read is opened without checking whether its last line is
  // whole.
  Result<Fd> opened = open_file(path, O_RDWR | O_CREAT | O_APPEND);
  if (!opened.ok()) opened = open_file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (!opened.ok()) return opened.error();
  LineFile made;
  made.path_ = path;
  made.file_ = opened.take();
  struct stat status {};
  made.regular_ = fstat(made.file_.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (made.regular_) made.torn_ = made.ends_torn(made.end_ = status.st_size);
  return made;
}

bool LineFile::ends_torn(std::int64_t size) const {
  char last = '\n';
  return size > 0 && pread(file_.get(), &last, 1, size - 1) == 1 && last != '\n';
}

Status LineFile::append(std::string_view lines) {
  if (lines.empty()) return {};
  return told(regular_ ? append_locked(lines) : write_all(file_.get(), lines));
}

int LineFile::append_locked(std::string_view lines) {
  const Result<bool> locked = lock_file(file_.get(), {});
  const int code = write(lines);
  if (locked.ok() && *locked) flock(file_.get(), LOCK_UN);
  return code == 0 ? sync_.written(file_.get()) : code;
}

Status LineFile::close() {
  const int synced = sync_.end();
  const int fd = file_.release();
  // Linux frees the descriptor even when close() is interrupted.
  const int closed = fd < 0 || ::close(fd) == 0 || errno == EINTR ? 0 : errno;
  return told(synced != 0 ? synced : closed);
}

Status LineFile::told(int code) const {
  return code == 0 ? Status() : Status(system_error("cannot write " + path_, code));
}

int LineFile::write(std::string_view lines) {
  struct stat before {};
  const bool known = fstat(file_.get(), &before) == 0;
  // Another program has written since.
  if (known && before.st_size != end_) torn_ = ends_torn(before.st_size);
  const bool was_torn = torn_;
  int code = was_torn ? write_all(file_.get(), "\n") : 0;
  if (code == 0) code = write_all(file_.get(), lines);
  if (code == 0) {
    torn_ = false;
    end_ = before.st_size + (was_torn ? 1 : 0) + static_cast<std::int64_t>(lines.size());
  } else if (known && ftruncate(file_.get(), before.st_size) != 0) {
    torn_ = true;  // some of these lines are left, so the next append ends the last one
  }
  return code;
}

}  // namespace spinneret
