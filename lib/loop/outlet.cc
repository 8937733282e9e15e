// SPDX-License-Identifier: Apache-2.0
#include "loop/outlet.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace spinneret::loop {

int Outlet::write_some(int fd, bool shared) {
  while (pending() != 0) {
    const std::size_t size = shared ? std::min<std::size_t>(pending(), PIPE_BUF) : pending();
    const ssize_t put = ::write(fd, bytes_.data() + written_, size);
    if (put < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : errno;
    }
    written_ += static_cast<std::size_t>(put);
    if (shared) break;
  }
  if (pending() == 0) clear();
  return 0;
}

void Outlet::drop_unwritten(char terminator) {
  if (written_ == 0 || bytes_[written_ - 1] == terminator) return clear();
  const std::size_t end = bytes_.find(terminator, written_);
  if (end != std::string::npos) bytes_.resize(end + 1);
}

void Outlet::clear() {
  bytes_.clear();
  written_ = 0;
}

}  // namespace spinneret::loop
