// SPDX-License-Identifier: Apache-2.0
// Lines of any descriptor, as views over one buffer.
//
//   LineReader reader(0, {});
//   std::string_view line;
//   while (reader.next(line) == LineReader::Event::kLine) use(line);
//
// A line ends with LF (or NUL, see Options); the last may lack it. One CR before an LF, or before the end of
// the input, is dropped. All other bytes are carried. A line longer than max_line is reported once, with its number, and skipped
// whole: never cut, never split.
//
// Cost: one memchr a line, no allocation, no copy but that of a line which straddles two blocks. Memory:
// one block, or the longest line rounded up to a power of two, given back after use.
// Not thread-safe. Does not own the descriptor.
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
    char terminator = '\n';                        // or '\0', in which case CR is kept
    std::size_t max_line = std::size_t{64} << 20;  // bytes, without the terminator
    std::size_t block = std::size_t{256} << 10;    // bytes asked of one read(2)
    // Called before a read that would block: the place to flush what a slow pipe waits for.
    std::function<void()> before_wait = {};
    // false: where a read would block, next() answers kWait instead, and is to be called again once the
    // descriptor is readable. For event loops; before_wait is not called then.
    bool wait = true;
    // A UTF-8 byte order mark in front of all is dropped.
    bool drop_mark = false;
    // Called with what each read(2) brought.
    std::function<void(std::string_view block)> after_read = {};
    // false: a last line without terminator is dropped, for it was torn off: what comes of a writer that may die.
    bool unterminated = true;
    // Asked at the end, where a last line has no terminator. false: it was torn off, and is dropped.
    std::function<bool()> is_whole = {};
    // Once this descriptor is readable the input has ended, and a line that is not whole is dropped. -1: none.
    // Only with `wait`.
    int stop_fd = -1;
  };
  enum class Event {
    kLine,     // `line` is set; it lives until the next call
    kTooLong,  // line_number() was longer than max_line and has been skipped
    kEnd,      // end of input
    kWait,     // nothing whole is there yet; only with Options::wait == false
    kError,    // read(2) failed: error_code(); of text in UTF-16 EILSEQ; nothing more will come
  };

  LineReader(int fd, Options options);

  Event next(std::string_view& line) {
    const char* const end = static_cast<const char*>(
        std::memchr(begin_, options_.terminator, static_cast<std::size_t>(end_ - begin_)));
    if (end == nullptr) return next_slow(line);
    line = without_cr({begin_, static_cast<std::size_t>(end - begin_)});
    begin_ = end + 1;
    ++line_number_;
    // A line that is longer than the limit may still fit the block.
    return line.size() <= options_.max_line ? Event::kLine : Event::kTooLong;
  }

  // A run of whole lines with their terminators, as large as the buffer has it, CRs kept: for tools that
  // scan many lines at once. Only the last run of an input may lack its final terminator. A line over
  // max_line gives kTooLong, in its place. line_number() is then that of the line before the run: the
  // caller that counts the run's lines adds them by add_lines().
  Event next_run(std::string_view& run);
  void add_lines(std::uint64_t count) { line_number_ += count; }

  // Whether a CR was dropped behind the line that next() gave last.
  bool dropped_cr(std::string_view line) const {
    const char* const end = line.data() + line.size();
    return end < begin_ && *end == '\r';
  }

  // Number of the line given last, from 1.
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
  bool fill();  // more bytes behind end_; false at the end, on errors, and where starved_
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
  bool began_ = false;     // the first bytes have been looked at
  bool skipping_ = false;  // in the middle of a line over max_line
  int error_code_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_READER_H_
