// SPDX-License-Identifier: Apache-2.0
#include "dedupe/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace spinneret {

std::string temporary_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

Result<Fd> open_temporary(const std::string& folder) {
  Result<Fd> unnamed = open_file(folder, O_TMPFILE | O_RDWR, 0600);
  if (unnamed.ok()) return unnamed;
  // Not every file system knows O_TMPFILE.
  std::string path = folder + "/spinneret.XXXXXX";
  Fd file(mkostemp(path.data(), O_CLOEXEC));
  if (!file) return system_error("cannot create a temporary file in " + folder, errno);
  unlink(path.c_str());
  return file;
}

int read_at(int fd, void* into, std::size_t size, std::uint64_t offset) {
  char* at = static_cast<char*>(into);
  while (size != 0) {
    const ssize_t got = pread(fd, at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;
    at += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return 0;
}

}  // namespace spinneret
