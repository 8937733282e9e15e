// SPDX-License-Identifier: Apache-2.0
// Reads lines from any descriptor, as views into one buffer.
//
//   LineReader reader(0, {});
//   std::string_view line;
//   while (reader.next(line) == LineReader::Event::kLine) use(line);
//
// A line ends with LF (or NUL, see Options); the last one may lack it. One CR before an LF, or
// before the end of the input, is dropped; all other bytes are kept. A line longer than max_line is
// reported once, with its number, and skipped as a whole: no line is ever cut or split.
//
// Cost: one memchr a line. Nothing is allocated or copied, except for a line that straddles two
// blocks. Memory: one block, or the longest line rounded up to a power of two, which is given back
// after use. Not thread-safe. The reader does not own the descriptor.
#ifndef SPINNERET_IO_READER_H_
#define SPINNERET_IO_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>

namespace spinneret {

class LineReader {
 public:
  struct Options {
    char terminator = '\n';                        // or '\0', in which case a CR is kept
    std::size_t max_line = std::size_t{64} << 20;  // bytes, without the terminator
    std::size_t block = std::size_t{256} << 10;    // bytes requested from one read(2)
    // Called before a read that would block. Output that a reader at the other end waits for can be
    // flushed here.
    std::function<void()> before_wait = {};
    // Where false, next() returns kWait instead of blocking, and is to be called again once the
    // descriptor is readable: for event loops. before_wait is not called then.
    bool wait = true;
    // Whether to drop a UTF-8 byte order mark at the start of the input. Text in UTF-16 is an error
    // then.
    bool drop_mark = false;
    // Called with the bytes that each read(2) returned.
    std::function<void(std::string_view block)> after_read = {};
    // Where false, a last line without terminator is dropped as incomplete: for the output of a
    // writer that may have died.
    bool unterminated = true;
    // Called at the end of an input whose last line has no terminator. Where it returns false, that
    // line is incomplete and is dropped.
    std::function<bool()> is_whole = {};
    // Once this descriptor is readable the input counts as ended, and an incomplete line is
    // dropped. -1: none. Works only with `wait`.
    int stop_fd = -1;
  };
  enum class Event {
    kLine,     // `line` is set; it lives until the next call
    kTooLong,  // line_number() was longer than max_line and has been skipped
    kEnd,      // end of input
    kWait,     // no whole line has arrived yet; only with Options::wait == false
    // read(2) failed with error_code(), or the text is in UTF-16 (EILSEQ); no more lines follow
    kError,
  };

  LineReader(int fd, Options options);

  Event next(std::string_view& line) {
    const char* const end = static_cast<const char*>(
        std::memchr(begin_, options_.terminator, static_cast<std::size_t>(end_ - begin_)));
    if (end == nullptr) return next_slow(line);
    line = without_cr({begin_, static_cast<std::size_t>(end - begin_)});
    begin_ = end + 1;
    ++line_number_;
    // A block may hold a line that is longer than the limit.
    return line.size() <= options_.max_line ? Event::kLine : Event::kTooLong;
  }

  // Returns a run of whole lines with their terminators and CRs, as many as are in the buffer, for
  // tools that scan many lines at once. Only the last run of an input may lack its final
  // terminator. A line over max_line gives kTooLong in its turn. line_number() is then the number
  // of the line before the run, and the caller must report the number of lines in the run with
  // add_lines().
  Event next_run(std::string_view& run);
  void add_lines(std::uint64_t count) { line_number_ += count; }

  // Whether a CR was dropped from the end of `line`, the last one that next() gave.
  bool dropped_cr(std::string_view line) const {
    const char* const end = line.data() + line.size();
    return end < begin_ && *end == '\r';
  }

  // Number, from 1, of the line given last.
  std::uint64_t line_number() const { return line_number_; }
  int error_code() const { return error_code_; }

 private:
  bool told_to_stop();
  bool has_last_line() const;
  Event next_slow(std::string_view& line);
  Event skip_long_line();
  bool take_block(std::size_t got);
  Event take_run(std::string_view& run, std::size_t size);
  std::size_t before_long_line(std::string_view lines) const;
  bool fill();  // reads more after end_; false at the end, on errors, and if starved_
  void make_room();
  std::string_view without_cr(std::string_view line) const {
    if (options_.terminator == '\n' && !line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }

  int fd_;
  Options options_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  // buffer_ .. [begin_ .. unread .. end_) .. capacity_
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t line_number_ = 0;
  bool at_end_ = false;
  bool starved_ = false;   // fill() would have blocked
  bool began_ = false;     // the first bytes have been checked for a mark and for UTF-16
  bool skipping_ = false;  // inside a line over max_line
  int error_code_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_READER_H_
