// SPDX-License-Identifier: Apache-2.0
#include "loop/line_buffer.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace spinneret::loop {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;

}  // namespace

void LineBuffer::clear() {
  begin_ = searched_ = end_ = 0;
  skipping_ = false;
}

void LineBuffer::make_room() {
  if (begin_ != 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    searched_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (bytes_.size() - end_ < kBlock) bytes_.resize(end_ + kBlock);
  // A huge line has passed: its memory must not stay.
  if (bytes_.size() > 16 * kBlock && end_ < kBlock) {
    bytes_.resize(2 * kBlock);
    bytes_.shrink_to_fit();
  }
}

LineBuffer::Fill LineBuffer::fill(int fd) {
  make_room();
  while (true) {
    const ssize_t got = ::read(fd, bytes_.data() + end_, kBlock);
    if (got > 0) {
      end_ += static_cast<std::size_t>(got);
      return Fill::kRead;
    }
    if (got == 0) return Fill::kEnd;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Fill::kWouldBlock;
    error_code_ = errno;
    return Fill::kError;
  }
}

bool LineBuffer::next(std::string_view& line) {
  while (true) {
    const char* const from = bytes_.data() + searched_;
    const char* const at =
        searched_ == end_ ? nullptr
                          : static_cast<const char*>(std::memchr(from, terminator_, end_ - searched_));
    if (at == nullptr) {
      searched_ = end_;
      if (!skipping_ && end_ - begin_ > max_line_) {
        skipping_ = true;
        ++skipped_;
      }
      // Of a line that is skipped nothing needs to be kept.
      if (skipping_) begin_ = end_;
      return false;
    }
    const auto stop = static_cast<std::size_t>(at - bytes_.data());
    line = {bytes_.data() + begin_, stop - begin_};
    begin_ = searched_ = stop + 1;
    if (skipping_) {
      skipping_ = false;
      continue;
    }
    if (line.size() > max_line_) {
      ++skipped_;
      continue;
    }
    if (terminator_ == '\n' && line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }
}

}  // namespace spinneret::loop
