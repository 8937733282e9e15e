// SPDX-License-Identifier: Apache-2.0
// Descriptors for tests of readers and sinks: bytes to read, and bytes that were written.
#ifndef SPINNERET_TESTS_UNIT_IO_FEED_H_
#define SPINNERET_TESTS_UNIT_IO_FEED_H_

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/file.h"

namespace spinneret {

// Returns a descriptor of a file that contains `bytes`, at its start. Nothing is on disk.
inline Fd file_of(std::string_view bytes) {
  Fd file(memfd_create("test", MFD_CLOEXEC));
  if (write_all(file.get(), bytes) != 0 || lseek(file.get(), 0, SEEK_SET) != 0) return Fd();
  return file;
}

inline std::string contents_of(const Fd& file) {
  std::string out(static_cast<std::size_t>(lseek(file.get(), 0, SEEK_END)), '\0');
  if (pread(file.get(), out.data(), out.size(), 0) != static_cast<ssize_t>(out.size())) out.clear();
  return out;
}

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) == 0) read_end = Fd(ends[0]), write_end = Fd(ends[1]);
  }
  Fd read_end;
  Fd write_end;
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_UNIT_IO_FEED_H_
