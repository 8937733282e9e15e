// SPDX-License-Identifier: Apache-2.0
// Files without a name, for data too large for memory. They vanish with the process, however it
// ends.
#ifndef SPINNERET_DEDUPE_TEMPORARY_FILE_H_
#define SPINNERET_DEDUPE_TEMPORARY_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::dedupe {

// Returns $TMPDIR, or /tmp.
std::string temporary_folder();

// Makes a new file in `folder`, open for reading and writing, already unlinked.
Result<Fd> open_temporary(const std::string& folder);

// Bytes in such a file, which are appended and then read by blocks. Each block has a sum in memory
// (8 bytes), so that a file that was cut or changed is noticed wherever it is read. While it is
// written, one block is in memory.
//
//   BlockFile file(256 << 10);
//   file.open(temporary_folder());
//   file.append(bytes);  file.finish();
//   for (i = 0; i < file.blocks(); ++i) file.read(i, into);   // file.length(i) bytes
class BlockFile {
 public:
  explicit BlockFile(std::size_t block) : block_(block) {}
  Status open(const std::string& folder);
  // Appends bytes. After the first error nothing more is written, and finish() reports it.
  void append(std::string_view bytes);
  // Ends writing; nothing may be appended afterwards. May be called again.
  Status finish();
  Status status() const;

  std::uint64_t size() const { return size_; }
  std::size_t block() const { return block_; }
  std::uint64_t blocks() const { return sums_.size(); }
  // All blocks but the last are `block()` bytes long.
  std::size_t length(std::uint64_t number) const;
  // Reads a block: only whole blocks can be read before finish(), and all of them after it.
  Status read(std::uint64_t number, void* into) const;

 private:
  void write(std::string_view block);

  std::size_t block_;
  std::string folder_;
  Fd file_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;  // bytes of buffer_ that are used
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> sums_;
  int error_code_ = 0;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_TEMPORARY_FILE_H_
