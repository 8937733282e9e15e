// SPDX-License-Identifier: Apache-2.0
#include "io/sink.h"

#include <unistd.h>

#include <cerrno>

#include "base/file.h"

namespace spinneret {

Sink::Sink(int fd, std::size_t capacity)
    : fd_(fd), capacity_(capacity), buffer_(std::make_unique_for_overwrite<char[]>(capacity)) {}

void Sink::write_slow(std::string_view bytes) {
  // Fill the buffer first, so that the reader sees blocks of one size and the order is kept.
  const std::size_t head = capacity_ - used_;
  std::memcpy(buffer_.get() + used_, bytes.data(), head);
  used_ = capacity_;
  flush();
  bytes.remove_prefix(head);
  const std::size_t direct = bytes.size() - bytes.size() % capacity_;
  if (direct != 0 && ok()) error_code_ = write_all(fd_, bytes.substr(0, direct));
  bytes.remove_prefix(direct);
  if (!bytes.empty()) std::memcpy(buffer_.get(), bytes.data(), bytes.size());
  used_ = bytes.size();
}

bool Sink::flush() {
  if (used_ != 0 && ok()) error_code_ = write_all(fd_, {buffer_.get(), used_});
  used_ = 0;
  return ok();
}

bool Sink::close() {
  flush();
  // EINTR: Linux has closed it; everything was handed over before.
  if (fd_ >= 0 && ::close(fd_) != 0 && errno != EINTR && ok()) error_code_ = errno;
  fd_ = -1;
  return ok();
}

}  // namespace spinneret
