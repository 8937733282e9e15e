// SPDX-License-Identifier: Apache-2.0
#include "loop/inbox.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"

namespace spinneret::loop {
namespace {

// Opens the file, locked until it is closed.
Result<Fd> open_locked(const std::string& path, int flags) {
  Result<Fd> opened = open_file(path, flags);
  if (!opened.ok()) return opened;
  // Reading a pipe would wait for ever, and a pipe cannot be truncated.
  struct stat status {};
  if (::fstat(opened->get(), &status) != 0 || !S_ISREG(status.st_mode))
    return Error{path + ": is not a file"};
  int done = 0;
  do done = ::flock(opened->get(), LOCK_EX);
  while (done != 0 && errno == EINTR);
  if (done != 0) return system_error("cannot lock " + path, errno);
  return opened;
}

// Returns the bytes up to the end of the last whole line.
std::string_view whole_lines(std::string_view bytes) {
  return bytes.substr(0, bytes.rfind('\n') + 1);
}

}  // namespace

Status add_to_inbox(const std::string& path, std::string_view lines) {
  const Result<Fd> file = open_locked(path, O_RDWR | O_CREAT | O_APPEND);
  if (!file.ok()) return file.error();
  const Result<std::string> before = read_descriptor(file->get(), path);
  if (!before.ok()) return before.error();
  const auto kept = static_cast<off_t>(whole_lines(*before).size());
  if (::ftruncate(file->get(), kept) != 0) return system_error("cannot write " + path, errno);
  int code = write_all(file->get(), lines);
  if (code == 0 && ::fsync(file->get()) != 0) code = errno;
  if (code == 0) return {};
  static_cast<void>(::ftruncate(file->get(), kept) == 0);  // otherwise the next append cuts it
  return system_error("cannot write " + path, code);
}

bool has_mail(const std::string& path) {
  struct stat status {};
  return !path.empty() && ::stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

Status empty_inbox(const std::string& path, const std::function<Status(std::string_view)>& take) {
  const Result<Fd> file = open_locked(path, O_RDWR);
  if (!file.ok()) return file.error();
  const Result<std::string> text = read_descriptor(file->get(), path);
  if (!text.ok()) return text.error();
  const std::string_view lines = whole_lines(*text);
  if (const Status taken = lines.empty() ? Status() : take(lines); !taken.ok()) return taken;
  if (::ftruncate(file->get(), 0) != 0) return system_error("cannot empty " + path, errno);
  return {};
}

}  // namespace spinneret::loop
