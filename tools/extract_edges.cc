// SPDX-License-Identifier: Apache-2.0
#include "extract_edges.h"

#include <fcntl.h>

#include <utility>

#include "io/record.h"

namespace spinneret {

Result<EdgeFile> EdgeFile::open(const std::string& path) {
  Result<Fd> file = open_file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (!file.ok()) return file.error();
  return EdgeFile(file.take(), path);
}

void EdgeFile::add(std::string_view link) {
  lines_ += find_raw_field(link, "via").value_or("");
  lines_ += '\t';
  lines_ += record_url(link);
  for (const char* const field : {"tag", "rel", "text"}) {
    lines_ += '\t';
    lines_ += find_raw_field(link, field).value_or("");
  }
  lines_ += '\n';
}

Status EdgeFile::flush() {
  const int code = lines_.empty() ? 0 : write_all(file_.get(), lines_);
  lines_.clear();
  return code == 0 ? Status() : system_error("cannot write " + path_, code);
}

}  // namespace spinneret
