// SPDX-License-Identifier: Apache-2.0
// Buffered output to a descriptor that loses no failure: the first failed write is remembered, what follows is
// dropped, and flush() and close() report it.
//
// Not thread-safe. The sink does not own the descriptor. close() closes it all the same, since only that tells
// whether everything arrived (NFS, quotas).
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

  // For a terminal: from here on what would act on it is taken out of all bytes on their way, as clean_lines() does, for
  // they may be those of a file that somebody else has made. `false` is for a writer that has cleaned its words, and
  // colours them.
  void clean(bool whether) { cleans_ = whether; }

  // For records that go on behind those of an earlier run: where it was killed amid a line, or the disk was full, that line is
  // ended, so that the first one of ours is no part of it. Before anything is written.
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

  // Returns room for `size` contiguous bytes (at most the capacity) to be filled in place; call advance() with the
  // number used. For encoders that would otherwise need a scratch buffer.
  char* reserve(std::size_t size) {
    assert(size <= capacity_);
    if (size > capacity_ - used_) flush();
    return buffer_.get() + used_;
  }
  void advance(std::size_t size) { used_ += size; }
  std::size_t capacity() const { return capacity_; }

  // Bytes not yet written out.
  std::size_t pending() const { return used_; }
  // Both return ok().
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
  std::string
      unclean_;  // the begin of a character whose end has not come yet, while bytes are cleaned
};

}  // namespace spinneret

#endif  // SPINNERET_IO_SINK_H_
