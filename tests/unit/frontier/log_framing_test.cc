// SPDX-License-Identifier: Apache-2.0
// bug: a bit that tipped in the type of a record of the log had RocksDB 9.10 read it for ever.
#include "frontier/log_framing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/file.h"
#include "frontier/rocks_store.h"

namespace spinneret::frontier {
namespace {

namespace fs = std::filesystem;

class LogFramingTest : public testing::Test {
 protected:
  // A state of `commits`, all of them in its log.
  void make(int commits, std::size_t value_size) {
    fs::remove_all(folder_);
    const Result<std::unique_ptr<Store>> store = open_rocks_store(folder_, {});
    ASSERT_TRUE(store.ok()) << store.message();
    for (int i = 0; i < commits; ++i) {
      (*store)->put(Table::kUrls, "key " + std::to_string(i), std::string(value_size, 'v'));
      ASSERT_TRUE((*store)->commit().ok());
    }
    ASSERT_TRUE((*store)->sync().ok());
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".log" && entry.file_size() > 0) log_ = entry.path();
    }
    sound_ = *read_file(log_);
    find_records();
  }
  void TearDown() override { fs::remove_all(folder_); }

  void find_records() {
    records_.clear();
    for (std::size_t at = 0; at + 7 <= sound_.size();) {
      records_.push_back(at);
      const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sound_[at + i]); };
      at += std::size_t{7} + byte(4) + byte(5) * std::size_t{256};
      if (32768 - at % 32768 < 7) at += 32768 - at % 32768;
    }
  }

  // What is said of the log with other bytes in it.
  Status with(std::string bytes) {
    std::ofstream(log_, std::ios::binary) << bytes;
    return check_log_framing(folder_);
  }

  const std::string folder_ = testing::TempDir() + "log_framing_test." + std::to_string(getpid());
  fs::path log_;
  std::string sound_;
  std::vector<std::size_t> records_;  // offsets
};

TEST_F(LogFramingTest, ARecordThatTurnedIntoOneOfARecycledLogIsNamed) {
  make(6, 40);
  ASSERT_GE(records_.size(), 6u);
  EXPECT_TRUE(with(sound_).ok());
  for (const std::size_t at : records_) {
    for (char type = 0; type < 16; ++type) {
      std::string bytes = sound_;
      bytes[at + 6] = type;
      const Status status = with(bytes);
      const bool recycled = type >= 5 && type <= 8;
      ASSERT_EQ(status.ok(), !recycled) << "type " << int{type} << " at " << at;
      if (recycled) {
        EXPECT_EQ(status.message(),
                  log_.string() + ": the log is damaged at byte " + std::to_string(at));
      }
    }
  }
  std::string bytes = sound_;
  bytes[records_[2] + 6] = 5;
  EXPECT_FALSE(with(bytes).ok());
  const Result<std::unique_ptr<Store>> store = open_rocks_store(folder_, {});
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.message().find("damaged at byte"), std::string::npos);
}

TEST_F(LogFramingTest, AlsoInALogOfManyBlocks) {
  make(40, 9000);
  ASSERT_GT(sound_.size(), std::size_t{10} * 32768);
  EXPECT_TRUE(with(sound_).ok());
  for (const std::size_t at : {records_[records_.size() / 2], records_.back()}) {
    std::string bytes = sound_;
    bytes[at + 6] = 8;
    EXPECT_FALSE(with(bytes).ok()) << at;
  }
}

TEST_F(LogFramingTest, BehindOtherDamageNobodyReadsOn) {
  make(6, 40);
  std::string bytes = sound_;
  bytes[records_[2] + 20] ^= 1;  // of which its checksum tells
  bytes[records_[3] + 6] = 5;
  EXPECT_TRUE(with(bytes).ok());
  // A length that is wrong leads anywhere, to what looks like such a type, too.
  bytes = sound_;
  bytes[records_[2] + 4] = 1;
  bytes[records_[2] + 7 + 1 + 6] = 5;
  EXPECT_TRUE(with(bytes).ok());
}

TEST_F(LogFramingTest, WhatIsCutIsLeftToRocksDB) {
  make(3, 40);
  for (std::size_t size = 0; size < sound_.size(); ++size) {
    ASSERT_TRUE(with(sound_.substr(0, size)).ok()) << size;
  }
  EXPECT_TRUE(check_log_framing(folder_ + "/no such folder").ok());
}

}  // namespace
}  // namespace spinneret::frontier
