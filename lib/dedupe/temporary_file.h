// SPDX-License-Identifier: Apache-2.0
// Files without a name, for what is too large for memory: gone when the process is, however it ends.
#ifndef SPINNERET_DEDUPE_TEMPORARY_FILE_H_
#define SPINNERET_DEDUPE_TEMPORARY_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace spinneret {

// $TMPDIR, or /tmp.
std::string temporary_folder();

// A new file in `folder`, open for reading and writing, already unlinked.
Result<Fd> open_temporary(const std::string& folder);

// Appends through a buffer. After the first error nothing more is written, and finish() tells.
class BufferedAppender {
 public:
  explicit BufferedAppender(int fd, std::size_t capacity = std::size_t{256} << 10) : fd_(fd) {
    buffer_.reserve(capacity);
  }
  void append(std::string_view bytes) {
    if (bytes.size() > buffer_.capacity() - buffer_.size()) flush();
    bytes.size() > buffer_.capacity() ? write(bytes) : void(buffer_.append(bytes));
  }
  // 0 or an errno.
  int finish() {
    flush();
    return error_code_;
  }

 private:
  void flush() {
    write(buffer_);
    buffer_.clear();
  }
  void write(std::string_view bytes) {
    if (error_code_ == 0 && !bytes.empty()) error_code_ = write_all(fd_, bytes);
  }

  int fd_;
  std::string buffer_;
  int error_code_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_DEDUPE_TEMPORARY_FILE_H_
