// SPDX-License-Identifier: Apache-2.0
#include "frontier/beside_writer.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace spinneret::frontier {

StateFiles state_files_in(const std::string& folder) {
  StateFiles files;
  std::error_code code;
  std::filesystem::directory_iterator at(folder, code);
  for (; !code && at != std::filesystem::directory_iterator(); at.increment(code)) {
    const std::filesystem::path& path = at->path();
    const std::string name = path.filename().string();
    if (path.extension() == ".log") {
      files.logs.push_back(name);
    } else if (path.extension() == ".sst" || name.starts_with("MANIFEST-")) {
      files.others.push_back(name);
    }
  }
  std::sort(files.logs.begin(), files.logs.end());
  std::sort(files.others.begin(), files.others.end());
  return files;
}

bool any_gone(const std::vector<std::string>& first, const std::vector<std::string>& later) {
  return !std::includes(later.begin(), later.end(), first.begin(), first.end());
}

}  // namespace spinneret::frontier
