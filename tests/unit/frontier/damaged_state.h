// SPDX-License-Identifier: Apache-2.0
// Damages the files of a state one after the other, each at every so many offsets.
#ifndef SPINNERET_TESTS_UNIT_FRONTIER_DAMAGED_STATE_H_
#define SPINNERET_TESTS_UNIT_FRONTIER_DAMAGED_STATE_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

namespace spinneret::frontier {

class DamagedState : public testing::Test {
 protected:
  // The intact state is made in root_ / `whole`; its damaged copy is root_ / "hurt".
  explicit DamagedState(std::string whole) : whole_(std::move(whole)) {}

  void SetUp() override {
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) /
            (std::string(test->test_suite_name()) + "." + std::to_string(getpid()));
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  // Copies the state, except for `name`, which gets these bytes.
  void hurt(const std::filesystem::path& name, const std::string& bytes) {
    std::filesystem::remove_all(root_ / "hurt");
    std::filesystem::create_directory(root_ / "hurt");
    for (const auto& entry : std::filesystem::directory_iterator(root_ / whole_)) {
      if (entry.path().filename() != name)
        std::filesystem::copy_file(entry.path(), root_ / "hurt" / entry.path().filename());
    }
    std::ofstream(root_ / "hurt" / name, std::ios::binary) << bytes;
  }

  // Returns the files that recovery reads, without RocksDB's messages to us, and without those that
  // it makes anew.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> names;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / whole_)) {
      const std::string name = entry.path().filename();
      if (name == "CURRENT" || name.starts_with("MANIFEST") || name.ends_with(".log") ||
          name.ends_with(".sst"))
        names.emplace_back(name);
    }
    return names;
  }

  std::string sound(const std::filesystem::path& name) const {
    return *read_file(root_ / whole_ / name);
  }

  // Calls check(bytes, what) for the file cut, with a bit changed and with 16 zeros, at every
  // `step`th offset, until a check fails.
  template <typename Check>
  void damage(const std::string& sound, std::size_t step, const Check& check) const {
    for (std::size_t at = 0; at < sound.size() && !HasFailure(); at += step) {
      const std::string where = " at " + std::to_string(at);
      check(sound.substr(0, at), "cut" + where);
      std::string bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
      check(bytes, "bit" + where);
      bytes = sound;
      const std::size_t size = std::min<std::size_t>(16, sound.size() - at);
      bytes.replace(at, size, size, '\0');
      if (bytes != sound) check(bytes, "zeros" + where);
    }
  }

  std::filesystem::path root_;

 private:
  std::string whole_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_TESTS_UNIT_FRONTIER_DAMAGED_STATE_H_
