// SPDX-License-Identifier: Apache-2.0
// A file to which sorted runs are appended. Runs that spill out of memory go to a file without a
// name, which disappears with the process; a store's index is a file with a name.
//
//   RunFile file("/tmp");
//   Status opened = file.open();
//   const int code = file.write(bytes);  file.extend(bytes.size());
//   if (code != 0) return file.cannot("write", code);
//
// Offsets and sizes are in bytes. The object owns the descriptor. Not thread-safe.
#ifndef SPINNERET_DEDUPE_RUN_FILE_H_
#define SPINNERET_DEDUPE_RUN_FILE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::dedupe {

class RunFile {
 public:
  // A file without a name, made in `folder` by open().
  explicit RunFile(std::string folder)
      : folder_(std::move(folder)), name_("a temporary file in " + folder_) {}
  // A file with a name. `remedy` tells a user what to do if the file was changed. `fault` is asked
  // before each write: it returns 0, or the errno with which the write is to fail (for tests).
  RunFile(Fd file, std::string name, std::string remedy, std::function<int()> fault)
      : name_(std::move(name)),
        remedy_(std::move(remedy)),
        fault_(std::move(fault)),
        file_(std::move(file)) {}
  // Makes the file without a name, unless it exists. An Error says where it could not be made.
  Status open();
  int fd() const { return file_.get(); }
  // The offset of the next run: the end of the runs that extend() has been told of.
  std::uint64_t end() const { return end_; }
  void extend(std::uint64_t bytes) { end_ += bytes; }
  // Appends `bytes`. Returns 0 or an errno.
  int write(std::string_view bytes);
  // The Errors of this file: "cannot read NAME: ...", by an errno; and that it does not hold what
  // was written to it.
  Status cannot(const char* verb, int code) const;
  Status was_changed() const;
  // Returns these bytes to the disk. Where the file system has no holes, that happens only when the
  // file is removed.
  void give_back(std::uint64_t offset, std::uint64_t bytes);

 private:
  std::string folder_;
  std::string name_;
  std::string remedy_;
  std::function<int()> fault_;
  Fd file_;
  std::uint64_t end_ = 0;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_RUN_FILE_H_
