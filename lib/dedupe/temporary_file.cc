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

}  // namespace spinneret
