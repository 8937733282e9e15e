// SPDX-License-Identifier: Apache-2.0
// Memtables of leaves beside a map: whatever is written, in whatever order, walks and lookups find it, also walks that began
// before; and it comes back after the process has died.
#include "frontier/leaf_memtable.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "support/temporary_folder.h"

namespace spinneret::frontier {
namespace {

using Rows = std::map<std::string, std::string>;

class LeafMemtableTest : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { open(); }
  void open() {
    db_.reset();
    rocksdb::Options options;
    options.create_if_missing = true;
    options.allow_concurrent_memtable_write = false;
    options.memtable_factory = make_leaf_memtables();
    options.write_buffer_size = std::size_t{128} << 10;
    rocksdb::DB* opened = nullptr;
    const rocksdb::Status done = rocksdb::DB::Open(options, folder_.file("db"), &opened);
    ASSERT_TRUE(done.ok()) << done.ToString();
    db_.reset(opened);
  }
  std::size_t pick(std::size_t below) { return random_() % below; }
  // Short ones, which are all of their number; long ones that share it with others; and such as come in their order.
  std::string key() {
    switch (pick(4)) {
      case 0: return std::string(pick(10), static_cast<char>(pick(3)));
      case 1: return "0123456789" + std::to_string(pick(500));
      case 2: return std::string("\xff\xff", 2) + std::to_string(100'000 + ++last_);
      default: {
        std::string out(12, '\0');
        for (char& each : out) each = static_cast<char>(pick(256));
        return out;
      }
    }
  }
  void write(std::size_t changes) {
    rocksdb::WriteBatch batch;
    for (; changes != 0; --changes) {
      const auto known = rows_.lower_bound(key());
      if (pick(3) == 0 && known != rows_.end()) {
        ASSERT_TRUE(batch.Delete(known->first).ok());
        rows_.erase(known);
        continue;
      }
      const std::string fresh = key();
      rows_[fresh] = std::string(pick(30), 'v') + std::to_string(pick(1000));
      ASSERT_TRUE(batch.Put(fresh, rows_[fresh]).ok());
    }
    ASSERT_TRUE(db_->Write({}, &batch).ok());
  }
  void expect_all() {
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}));
    auto want = rows_.begin();
    for (at->SeekToFirst(); at->Valid(); at->Next(), ++want) {
      ASSERT_NE(want, rows_.end());
      ASSERT_EQ(at->key().ToString(), want->first);
      ASSERT_EQ(at->value().ToString(), want->second);
    }
    EXPECT_EQ(want, rows_.end());
    auto back = rows_.rbegin();
    for (at->SeekToLast(); at->Valid(); at->Prev(), ++back) {
      ASSERT_NE(back, rows_.rend());
      ASSERT_EQ(at->key().ToString(), back->first);
    }
    EXPECT_EQ(back, rows_.rend());
    EXPECT_TRUE(at->status().ok());
  }
  void expect_near(const std::string& wanted) {
    std::string value;
    const auto found = rows_.find(wanted);
    EXPECT_EQ(db_->Get({}, wanted, &value).ok(), found != rows_.end());
    if (found != rows_.end()) {
      EXPECT_EQ(value, found->second);
    }
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}));
    at->Seek(wanted);
    const auto behind = rows_.lower_bound(wanted);
    ASSERT_EQ(at->Valid(), behind != rows_.end());
    if (at->Valid()) {
      EXPECT_EQ(at->key().ToString(), behind->first);
    }
    at->SeekForPrev(wanted);
    const auto above = rows_.upper_bound(wanted);
    ASSERT_EQ(at->Valid(), above != rows_.begin());
    if (at->Valid()) {
      EXPECT_EQ(at->key().ToString(), std::prev(above)->first);
    }
  }

  const TemporaryFolder folder_;
  std::unique_ptr<rocksdb::DB> db_;
  std::mt19937 random_{GetParam()};
  Rows rows_;
  std::size_t last_ = 0;
};

TEST_P(LeafMemtableTest, HasWhatAMapHas) {
  for (int i = 0; i < 60; ++i) {
    write(1 + pick(i % 5 == 0 ? 2000 : 30));
    for (int k = 0; k < 10; ++k) expect_near(key());
    if (i % 6 == 0) expect_all();
    if (pick(12) == 0) open();
    if (testing::Test::HasFailure()) return;
  }
  expect_all();
}

// It shows what was there when it began.
TEST_P(LeafMemtableTest, AWalkGoesOnWhileOthersAreWritten) {
  for (int i = 0; i < 20; ++i) {
    write(1 + pick(200));
    const Rows then = rows_;
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}));
    auto want = then.begin();
    for (at->SeekToFirst(); at->Valid(); at->Next(), ++want) {
      ASSERT_NE(want, then.end());
      ASSERT_EQ(at->key().ToString(), want->first);
      if (pick(200) == 0) write(1 + pick(100));
    }
    EXPECT_EQ(want, then.end());
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LeafMemtableTest, testing::Values(1U, 2U, 3U));

}  // namespace
}  // namespace spinneret::frontier
