// SPDX-License-Identifier: Apache-2.0
#include "io/sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "base/excerpt.h"
#include "base/file.h"

namespace spinneret {
namespace {

// Returns how many bytes at the end are the first bytes of an incomplete UTF-8 character.
std::size_t begun_character(std::string_view bytes) {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace

Sink::Sink(int fd, std::size_t capacity)
    : fd_(fd), capacity_(capacity), buffer_(std::make_unique_for_overwrite<char[]>(capacity)) {}

void Sink::begin_line(char terminator) {
  struct stat status {};
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const bool appends = (::fcntl(fd_, F_GETFL) & O_APPEND) != 0;
  const off_t at = appends ? status.st_size : ::lseek(fd_, 0, SEEK_CUR);
  // A shell may have opened the descriptor for writing only.
  const Result<Fd> file = open_file("/proc/self/fd/" + std::to_string(fd_), O_RDONLY);
  char last = terminator;
  if (file.ok() && at > 0 && ::pread(file->get(), &last, 1, at - 1) == 1 && last != terminator)
    put(terminator);
}

void Sink::write_slow(std::string_view bytes) {
  // Fills the buffer first, so that the reader sees blocks of one size and the order is kept.
  const std::size_t head = capacity_ - used_;
  std::memcpy(buffer_.get() + used_, bytes.data(), head);
  used_ = capacity_;
  flush();
  bytes.remove_prefix(head);
  const std::size_t direct = bytes.size() - bytes.size() % capacity_;
  if (direct != 0 && ok()) write_out(bytes.substr(0, direct));
  bytes.remove_prefix(direct);
  if (!bytes.empty()) std::memcpy(buffer_.get(), bytes.data(), bytes.size());
  used_ = bytes.size();
}

bool Sink::flush() {
  if (used_ != 0 && ok()) write_out({buffer_.get(), used_});
  used_ = 0;
  return ok();
}

void Sink::write_out(std::string_view bytes) {
  if (cleans_) return write_clean(bytes);
  error_code_ = write_all(fd_, bytes);
}

void Sink::write_clean(std::string_view bytes) {
  std::string text = std::move(unclean_);
  text += bytes;
  const std::size_t whole = text.size() - begun_character(text);
  unclean_.assign(text, whole);
  text.resize(whole);
  clean_lines(text);
  error_code_ = write_all(fd_, text);
}

bool Sink::close() {
  flush();
  if (!unclean_.empty() && ok()) error_code_ = write_all(fd_, unclean_);
  // After EINTR Linux has closed the descriptor, and all bytes were handed over before.
  if (fd_ >= 0 && ::close(fd_) != 0 && errno != EINTR && ok()) error_code_ = errno;
  fd_ = -1;
  return ok();
}

}  // namespace spinneret
