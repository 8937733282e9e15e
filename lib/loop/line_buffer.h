// SPDX-License-Identifier: Apache-2.0
// Lines of a descriptor that must not be waited for: fill() reads what is there, next() gives whole lines.
//
// Unlike LineReader it never blocks on a non-blocking descriptor, and never gives a last line without
// terminator: on a pipe whose writer has died that is a torn one. A line over max_line is skipped whole.
#ifndef SPINNERET_LOOP_LINE_BUFFER_H_
#define SPINNERET_LOOP_LINE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spinneret::loop {

class LineBuffer {
 public:
  LineBuffer(char terminator, std::size_t max_line)
      : terminator_(terminator), max_line_(max_line) {}

  enum class Fill { kRead, kWouldBlock, kEnd, kError };
  // One read(2) of up to 256 KiB. kError: errno in error_code().
  Fill fill(int fd);
  int error_code() const { return error_code_; }

  // The next whole line without its terminator. The view lives until the next fill().
  bool next(std::string_view& line);
  // Lines that were too long, since the buffer was made.
  std::uint64_t skipped() const { return skipped_; }
  // Bytes behind the last terminator.
  std::size_t rest() const { return end_ - begin_; }
  // Forgets everything: a new writer begins.
  void clear();

 private:
  void make_room();

  char terminator_;
  std::size_t max_line_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0;     // first byte not given yet
  std::size_t searched_ = 0;  // no terminator in [begin_, searched_)
  std::size_t end_ = 0;
  bool skipping_ = false;     // within a line that is too long
  std::uint64_t skipped_ = 0;
  int error_code_ = 0;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_LINE_BUFFER_H_
