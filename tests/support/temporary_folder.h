// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own, which is removed with all its contents when the test ends.
#ifndef SPINNERET_TESTS_SUPPORT_TEMPORARY_FOLDER_H_
#define SPINNERET_TESTS_SUPPORT_TEMPORARY_FOLDER_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace spinneret {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(testing::TempDir() + "spinneret-test-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~TemporaryFolder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_TEMPORARY_FOLDER_H_
