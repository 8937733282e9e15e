// SPDX-License-Identifier: Apache-2.0
// Buffered output to a descriptor. No failure is lost: the first failed write is remembered, later
// output is dropped, and flush() and close() report the failure.
//
// Not thread-safe. The sink does not own the descriptor, but close() closes it, since only close(2)
// tells whether everything arrived (NFS, quotas).
#ifndef SPINNERET_IO_SINK_H_
#define SPINNERET_IO_SINK_H_

#include <cassert>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace spinneret {

class Sink {
 public:
  explicit Sink(int fd, std::size_t capacity = std::size_t{64} << 10);

  // For a terminal: removes from all further output, as clean_lines() does, what the terminal would
  // act on, since the bytes may come from a file that a stranger has made. A writer that has
  // cleaned its text and colours it passes `false`.
  void clean(bool whether) { cleans_ = whether; }

  // For records that are appended to those of an earlier run: where that run was killed within a
  // line, or the disk was full, ends the torn line, so that our first record is no part of it. Must
  // be called before anything is written.
  void begin_line(char terminator);

  void write(std::string_view bytes) {
    if (bytes.size() > capacity_ - used_) return write_slow(bytes);
    if (!bytes.empty()) std::memcpy(buffer_.get() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void put(char byte) {
    if (used_ == capacity_) flush();
    buffer_[used_++] = byte;
  }

  // Returns the place for `size` contiguous bytes (at most the capacity), to be filled there; the
  // caller must then call advance() with the number used. For encoders that would otherwise need a
  // scratch buffer.
  char* reserve(std::size_t size) {
    assert(size <= capacity_);
    if (size > capacity_ - used_) flush();
    return buffer_.get() + used_;
  }
  void advance(std::size_t size) { used_ += size; }
  std::size_t capacity() const { return capacity_; }

  // Number of bytes not yet written.
  std::size_t pending() const { return used_; }
  // flush() writes all pending bytes; close() also closes the descriptor. Both return ok().
  bool flush();
  bool close();
  bool ok() const { return error_code_ == 0; }
  // The errno of the first failure, or 0.
  int error_code() const { return error_code_; }

 private:
  void write_slow(std::string_view bytes);
  void write_out(std::string_view bytes);
  void write_clean(std::string_view bytes);

  int fd_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  std::unique_ptr<char[]> buffer_;
  int error_code_ = 0;
  bool cleans_ = false;
  // The first bytes of a character whose rest has not come yet, while cleans_.
  std::string unclean_;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_SINK_H_
