// SPDX-License-Identifier: Apache-2.0
#include "io/reader.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace spinneret {

LineReader::LineReader(int fd, Options options) : fd_(fd), options_(std::move(options)) {
  options_.block = std::max<std::size_t>(options_.block, 1);
  capacity_ = options_.block;
  buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
  begin_ = end_ = buffer_.get();
}

// Moves what is unread to the front and makes sure that a whole block fits behind it, or, while a long
// line is being gathered, that the buffer has doubled.
void LineReader::make_room() {
  const auto unread = static_cast<std::size_t>(end_ - begin_);
  std::size_t wanted = options_.block;
  while (wanted < unread + std::min(unread, options_.block) + 1) wanted *= 2;
  if (wanted > capacity_ || (wanted < capacity_ && unread <= options_.block / 2)) {
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    if (unread != 0) std::memcpy(larger.get(), begin_, unread);
    buffer_ = std::move(larger);
    capacity_ = wanted;
  } else if (unread != 0) {
    std::memmove(buffer_.get(), begin_, unread);
  }
  begin_ = buffer_.get();
  end_ = begin_ + unread;
}

bool LineReader::fill() {
  if (at_end_ || error_code_ != 0) return false;
  make_room();
  const auto used = static_cast<std::size_t>(end_ - buffer_.get());
  if (options_.before_wait) {
    pollfd ready{fd_, POLLIN, 0};
    if (poll(&ready, 1, 0) == 0) options_.before_wait();
  }
  while (true) {
    const ssize_t got = ::read(fd_, buffer_.get() + used, capacity_ - used);
    if (got > 0) {
      end_ += got;
      return true;
    }
    if (got == 0) {
      at_end_ = true;
      return false;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{fd_, POLLIN, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      error_code_ = errno;
      return false;
    }
  }
}

LineReader::Event LineReader::next_slow(std::string_view& line) {
  std::size_t searched = static_cast<std::size_t>(end_ - begin_);
  while (true) {
    // One more byte than allowed may be the CR of a line that just fits.
    if (searched > options_.max_line + 1) return skip_long_line();
    if (!fill()) break;
    const char* const from = begin_ + searched;
    const void* const found =
        std::memchr(from, options_.terminator, static_cast<std::size_t>(end_ - from));
    if (found != nullptr) return next(line);
    searched = static_cast<std::size_t>(end_ - begin_);
  }
  if (error_code_ != 0) return Event::kError;
  if (begin_ == end_) return Event::kEnd;
  line = without_cr({begin_, searched});
  begin_ = end_;
  ++line_number_;
  return line.size() <= options_.max_line ? Event::kLine : Event::kTooLong;
}

// Drops bytes up to and with the next terminator.
LineReader::Event LineReader::skip_long_line() {
  ++line_number_;
  while (true) {
    begin_ = end_;
    if (!fill()) return error_code_ != 0 ? Event::kError : Event::kTooLong;
    const void* const found = std::memchr(begin_, options_.terminator,
                                          static_cast<std::size_t>(end_ - begin_));
    if (found == nullptr) continue;
    begin_ = static_cast<const char*>(found) + 1;
    return Event::kTooLong;
  }
}

LineReader::Event LineReader::next_run(std::string_view& run) {
  std::size_t searched = 0;
  while (true) {
    const auto unread = static_cast<std::size_t>(end_ - begin_);
    const void* const last =
        unread > searched
            ? memrchr(begin_ + searched, options_.terminator, unread - searched)
            : nullptr;
    if (last != nullptr) {
      // Only the first line of a run can be one that had to be gathered.
      const char* const end = static_cast<const char*>(last) + 1;
      if (unread > options_.max_line) {
        std::string_view line;
        const char* const start = begin_;
        const std::uint64_t number = line_number_;
        if (next(line) == Event::kTooLong) return Event::kTooLong;
        begin_ = start;
        line_number_ = number;
      }
      run = {begin_, static_cast<std::size_t>(end - begin_)};
      begin_ = end;
      return Event::kLine;
    }
    if (unread > options_.max_line + 1) return skip_long_line();
    searched = unread;
    if (!fill()) break;
  }
  if (error_code_ != 0) return Event::kError;
  if (begin_ == end_) return Event::kEnd;
  run = {begin_, static_cast<std::size_t>(end_ - begin_)};
  begin_ = end_;
  return Event::kLine;
}

}  // namespace spinneret
