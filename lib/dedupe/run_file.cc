// SPDX-License-Identifier: Apache-2.0
#include "dedupe/run_file.h"

#include <fcntl.h>

#include "dedupe/temporary_file.h"

namespace spinneret::dedupe {

Status RunFile::open() {
  if (file_) return {};
  Result<Fd> made = open_temporary(folder_);
  if (!made.ok()) return made.error();
  file_ = made.take();
  return {};
}

int RunFile::write(std::string_view bytes) {
  if (const int code = fault_ ? fault_() : 0; code != 0) return code;
  return write_all(file_.get(), bytes);
}

Status RunFile::cannot(const char* verb, int code) const {
  return system_error("cannot " + std::string(verb) + " " + name_, code);
}

Status RunFile::was_changed() const {
  return Error{name_ + " is not as it was written: something changed it, or the disk fails" +
               remedy_};
}

void RunFile::give_back(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(bytes));
}

}  // namespace spinneret::dedupe
