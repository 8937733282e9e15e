// SPDX-License-Identifier: Apache-2.0
#include "io/reader.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/text_file.h"

namespace spinneret {

LineReader::LineReader(int fd, Options options) : fd_(fd), options_(std::move(options)) {
  options_.block = std::max<std::size_t>(options_.block, 1);
  // "No limit" is written as the greatest number, which would overflow the sums below.
  options_.max_line = std::min(options_.max_line, SIZE_MAX / 8);
  capacity_ = options_.block;
  buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
  begin_ = end_ = buffer_.get();
}

// Moves the unread bytes to the front, and makes sure that a whole block fits after them or, while
// a long line is being gathered, that the buffer has doubled.
void LineReader::make_room() {
  const auto unread = static_cast<std::size_t>(end_ - begin_);
  std::size_t wanted = options_.block;
  while (wanted < unread + std::min(unread, options_.block) + 1) wanted *= 2;
  if (wanted > capacity_ || (wanted < capacity_ && unread <= options_.block / 2)) {
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    if (unread != 0) std::memcpy(larger.get(), begin_, unread);
    buffer_ = std::move(larger);
    capacity_ = wanted;
  } else if (unread != 0 && begin_ != buffer_.get()) {
    // Bytes that are in front already stay: a long line that comes through a pipe would otherwise
    // be moved onto itself at each read, which is quadratic.
    std::memmove(buffer_.get(), begin_, unread);
  }
  begin_ = buffer_.get();
  end_ = begin_ + unread;
}

bool LineReader::fill() {
  starved_ = false;
  if (at_end_ || error_code_ != 0) return false;
  pollfd ready{fd_, POLLIN, 0};
  if (!options_.wait) {
    starved_ = poll(&ready, 1, 0) <= 0;
    if (starved_) return false;
  }
  make_room();
  const auto used = static_cast<std::size_t>(end_ - buffer_.get());
  // An interrupted poll() has no answer, and so counts as "would block".
  if (options_.wait && options_.before_wait && poll(&ready, 1, 0) <= 0) options_.before_wait();
  while (true) {
    if (options_.stop_fd >= 0 && told_to_stop()) return false;
    const ssize_t got = ::read(fd_, buffer_.get() + used, capacity_ - used);
    if (got > 0) {
      if (take_block(static_cast<std::size_t>(got))) return true;
      return fill();
    }
    if (got == 0) {
      at_end_ = true;
      return false;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Another process that shares the descriptor was faster, or the descriptor is non-blocking.
      starved_ = !options_.wait;
      if (starved_) return false;
      if (options_.before_wait) options_.before_wait();
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      error_code_ = errno;
      return false;
    }
  }
}

namespace {

// Whether `bytes` are too few to tell whether a byte order mark begins the text.
bool may_be_mark(std::string_view bytes) {
  const std::string_view two = bytes.substr(0, 2);
  const bool utf16 = std::string_view("\xFF\xFE").starts_with(two) ||
                     std::string_view("\xFE\xFF").starts_with(two);
  return (bytes.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(bytes)) ||
         (bytes.size() < 4 && utf16);
}

}  // namespace

// Takes `got` bytes that were read. Returns false if more bytes are needed to recognise a byte
// order mark, where the text is in UTF-16, or where nothing is left behind the mark.
bool LineReader::take_block(std::size_t got) {
  if (options_.after_read) options_.after_read({end_, got});
  end_ += got;
  if (began_ || !options_.drop_mark) return true;
  const std::string_view bytes(begin_, static_cast<std::size_t>(end_ - begin_));
  if (may_be_mark(bytes) && options_.wait) return false;
  began_ = true;
  // Where records end with NUL, zero bytes are no sign of UTF-16.
  if (options_.terminator != '\0' && is_utf16(bytes)) {
    error_code_ = EILSEQ;
    begin_ = end_;
    return false;
  }
  if (bytes.starts_with(kByteOrderMark)) begin_ += kByteOrderMark.size();
  // A file that holds only the mark has no line.
  return begin_ != end_;
}

// Waits for input or for stop_fd. A signal handler's flag would not do, since the signal may arrive
// just before read(2).
bool LineReader::told_to_stop() {
  pollfd fds[2] = {{fd_, POLLIN, 0}, {options_.stop_fd, POLLIN, 0}};
  while (poll(fds, 2, -1) < 0 && errno == EINTR) {
  }
  if (fds[1].revents == 0) return false;
  at_end_ = true;
  begin_ = end_;
  return true;
}

// At the end of the input: whether a line without terminator is left and counts.
bool LineReader::has_last_line() const {
  return begin_ != end_ && options_.unterminated && (!options_.is_whole || options_.is_whole());
}

LineReader::Event LineReader::next_slow(std::string_view& line) {
  if (skipping_) return skip_long_line();
  std::size_t searched = static_cast<std::size_t>(end_ - begin_);
  while (true) {
    // One byte over the limit may be the CR of a line that just fits.
    if (searched > options_.max_line + 1) return skip_long_line();
    if (!fill()) break;
    const char* const from = begin_ + searched;
    const void* const found =
        std::memchr(from, options_.terminator, static_cast<std::size_t>(end_ - from));
    if (found != nullptr) return next(line);
    searched = static_cast<std::size_t>(end_ - begin_);
  }
  if (starved_) return Event::kWait;
  if (error_code_ != 0) return Event::kError;
  if (!has_last_line()) return Event::kEnd;
  // Takes all that is unread, not only what was searched: the last read may have brought what
  // looked like the beginning of a byte order mark.
  line = without_cr({begin_, static_cast<std::size_t>(end_ - begin_)});
  begin_ = end_;
  ++line_number_;
  return line.size() <= options_.max_line ? Event::kLine : Event::kTooLong;
}

// Drops bytes up to and including the next terminator.
LineReader::Event LineReader::skip_long_line() {
  if (!skipping_) ++line_number_;
  skipping_ = true;
  while (true) {
    begin_ = end_;
    if (!fill()) {
      if (starved_) return Event::kWait;
      skipping_ = false;
      return error_code_ != 0 ? Event::kError : Event::kTooLong;
    }
    const void* const found =
        std::memchr(begin_, options_.terminator, static_cast<std::size_t>(end_ - begin_));
    if (found == nullptr) continue;
    begin_ = static_cast<const char*>(found) + 1;
    skipping_ = false;
    return Event::kTooLong;
  }
}

LineReader::Event LineReader::next_run(std::string_view& run) {
  if (skipping_) return skip_long_line();
  std::size_t searched = 0;
  while (true) {
    const auto unread = static_cast<std::size_t>(end_ - begin_);
    const void* const last =
        unread > searched ? memrchr(begin_ + searched, options_.terminator, unread - searched)
                          : nullptr;
    if (last != nullptr) {
      return take_run(run, static_cast<std::size_t>(static_cast<const char*>(last) + 1 - begin_));
    }
    if (unread > options_.max_line + 1) return skip_long_line();
    searched = unread;
    if (!fill()) break;
  }
  if (starved_) return Event::kWait;
  if (error_code_ != 0) return Event::kError;
  if (!has_last_line()) return Event::kEnd;
  return take_run(run, static_cast<std::size_t>(end_ - begin_));
}

// Returns the first `size` unread bytes, or those of them before a line that exceeds the limit.
// There can be no such line where the limit is not below the buffer's size, as by default.
LineReader::Event LineReader::take_run(std::string_view& run, std::size_t size) {
  if (size > options_.max_line) size = before_long_line({begin_, size});
  if (size == 0) {
    std::string_view line;
    return next(line);
  }
  run = {begin_, size};
  begin_ += size;
  return Event::kLine;
}

std::size_t LineReader::before_long_line(std::string_view lines) const {
  std::size_t start = 0;
  while (start < lines.size()) {
    const std::size_t end = lines.find(options_.terminator, start);
    if (without_cr(lines.substr(start, end - start)).size() > options_.max_line) break;
    if (end == std::string_view::npos) return lines.size();
    start = end + 1;
  }
  return start;
}

}  // namespace spinneret
