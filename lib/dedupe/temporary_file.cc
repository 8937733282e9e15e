// SPDX-License-Identifier: Apache-2.0
#include "dedupe/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/hash.h"

namespace spinneret::dedupe {

std::string temporary_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

Result<Fd> open_temporary(const std::string& folder) {
  Result<Fd> unnamed = open_file(folder, O_TMPFILE | O_RDWR, 0600);
  if (unnamed.ok()) return unnamed;
  // Not every file system knows O_TMPFILE.
  std::string path = folder + "/spinneret.XXXXXX";
  Fd file(mkostemp(path.data(), O_CLOEXEC));
  if (!file) return system_error("cannot create a temporary file in " + folder, errno);
  unlink(path.c_str());
  return file;
}

Status BlockFile::open(const std::string& folder) {
  Result<Fd> made = open_temporary(folder);
  if (!made.ok()) return made.error();
  folder_ = folder;
  file_ = made.take();
  buffer_ = std::make_unique_for_overwrite<char[]>(block_);
  return {};
}

void BlockFile::append(std::string_view bytes) {
  size_ += bytes.size();
  while (!bytes.empty()) {
    if (used_ == 0 && bytes.size() >= block_) {
      write(bytes.substr(0, block_));
      bytes.remove_prefix(block_);
      continue;
    }
    const std::size_t some = std::min(bytes.size(), block_ - used_);
    std::memcpy(buffer_.get() + used_, bytes.data(), some);
    used_ += some;
    bytes.remove_prefix(some);
    if (used_ == block_) {
      write({buffer_.get(), block_});
      used_ = 0;
    }
  }
}

void BlockFile::write(std::string_view block) {
  if (error_code_ == 0) error_code_ = write_all(file_.get(), block);
  sums_.push_back(hash64(block));
}

Status BlockFile::finish() {
  if (used_ != 0) write({buffer_.get(), used_});
  used_ = 0;
  buffer_.reset();
  return status();
}

Status BlockFile::status() const {
  if (error_code_ == 0) return {};
  return system_error("cannot write a temporary file in " + folder_, error_code_);
}

std::size_t BlockFile::length(std::uint64_t number) const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(block_, size_ - number * block_));
}

Status BlockFile::read(std::uint64_t number, void* into) const {
  const std::size_t bytes = length(number);
  const int code = read_at(file_.get(), into, bytes, number * block_);
  if (code != 0) return system_error("cannot read a temporary file in " + folder_, code);
  if (hash64({static_cast<const char*>(into), bytes}) != sums_[number]) {
    return Error{"a temporary file in " + folder_ +
                 " is not as it was written: something changed it, or the disk fails"};
  }
  return {};
}

}  // namespace spinneret::dedupe
