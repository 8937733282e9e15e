// SPDX-License-Identifier: Apache-2.0
// Tests both stores by one contract.
#include "frontier/store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "frontier/memory_store.h"
#include "frontier/overlay_store.h"
#include "frontier/rocks_store.h"

namespace spinneret::frontier {
namespace {

class StoreTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/store_test." + std::to_string(getpid());
    std::filesystem::remove_all(path_);
    open();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(path_);
  }
  void open() {
    if (!GetParam()) {
      store_ = std::make_unique<MemoryStore>();
      return;
    }
    Result<std::unique_ptr<Store>> opened = open_rocks_store(path_, {});
    ASSERT_TRUE(opened.ok()) << opened.message();
    store_ = opened.take();
  }
  std::string path_;
  std::unique_ptr<Store> store_;
};

// Compares with a map; half of the changes are made in the store below.
TEST(OverlayStore, IsAStoreOfItsOwnAndLeavesTheOtherAlone) {
  std::mt19937 random(1);
  MemoryStore base;
  MemoryStore top;
  OverlayStore store(base, top);
  std::map<std::string, std::string> want;
  const auto change = [&](Store& into) {
    const std::string key(1 + random() % 2, static_cast<char>(random() % 12));
    if (random() % 3 != 0) {
      want[key] = std::string(random() % 3, 'v');
      return into.put(Table::kUrls, key, want[key]);
    }
    want.erase(key);
    into.erase(Table::kUrls, key);
  };
  for (int i = 0; i < 20; ++i) change(base);
  ASSERT_TRUE(base.commit().ok());
  const MemoryStore::Rows before = base.rows(Table::kUrls);
  for (int i = 0; i < 200; ++i) {
    change(store);
    ASSERT_TRUE(store.commit().ok());
    const std::unique_ptr<Cursor> at = store.scan(Table::kUrls, "\x0b");
    auto expected = want.lower_bound("\x02");
    for (at->seek("\x02"); at->valid(); at->next(), ++expected) {
      ASSERT_NE(expected, want.end());
      EXPECT_EQ(at->key(), expected->first);
      EXPECT_EQ(at->value(), expected->second);
    }
    EXPECT_EQ(expected, want.lower_bound("\x0b"));
    for (char c = 0; c < 12; ++c) {
      std::string value;
      const auto found = want.find(std::string(1, c));
      ASSERT_EQ(store.get(Table::kUrls, std::string(1, c), value), found != want.end());
      if (found != want.end()) {
        EXPECT_EQ(value, found->second);
      }
    }
  }
  EXPECT_EQ(base.rows(Table::kUrls), before);
  EXPECT_FALSE(store.checkpoint("x").ok());
}

TEST_P(StoreTest, StagedIsNotSeenUntilCommitted) {
  std::string value;
  store_->put(Table::kUrls, "a", "1");
  store_->put(Table::kHosts, "a", "2");
  EXPECT_EQ(store_->staged(), 2U);
  EXPECT_FALSE(store_->get(Table::kUrls, "a", value));
  ASSERT_TRUE(store_->commit().ok());
  EXPECT_EQ(store_->staged(), 0U);
  ASSERT_TRUE(store_->get(Table::kUrls, "a", value));
  EXPECT_EQ(value, "1");
  ASSERT_TRUE(store_->get(Table::kHosts, "a", value));
  EXPECT_EQ(value, "2");
  EXPECT_FALSE(store_->get(Table::kQueue, "a", value));
}

TEST_P(StoreTest, KeysSortAsUnsignedBytesAndMayHoldAnything) {
  for (const std::string& key : {std::string("\xff\x01", 2), std::string("\0\0", 2),
                                 std::string("b"), std::string("a\0z", 3), std::string("a")}) {
    store_->put(Table::kQueue, key, key);
  }
  ASSERT_TRUE(store_->commit().ok());
  std::vector<std::string> seen;
  const std::unique_ptr<Cursor> at = store_->scan(Table::kQueue);
  EXPECT_FALSE(at->valid());
  for (at->seek({}); at->valid(); at->next()) {
    EXPECT_EQ(at->key(), at->value());
    seen.emplace_back(at->key());
  }
  const std::vector<std::string> expected = {std::string("\0\0", 2), "a", std::string("a\0z", 3),
                                             "b", "\xff\x01"};
  EXPECT_EQ(seen, expected);
}

TEST_P(StoreTest, AWalkEndsBeforeItsEndAndSeesTheTableAsItWas) {
  for (const char* const key : {"a", "b", "c", "d"}) store_->put(Table::kQueue, key, "");
  ASSERT_TRUE(store_->commit().ok());
  const std::unique_ptr<Cursor> at = store_->scan(Table::kQueue, "c");
  store_->erase(Table::kQueue, "b");
  ASSERT_TRUE(store_->commit().ok());
  at->seek("a");
  EXPECT_EQ(at->key(), "a");
  at->next();
  EXPECT_EQ(at->key(), "b");
  at->next();
  EXPECT_FALSE(at->valid());
  at->seek("c");
  EXPECT_FALSE(at->valid());
}

TEST_P(StoreTest, EraseAndEraseSingle) {
  std::string value;
  store_->put(Table::kQueue, "a", "1");
  store_->put(Table::kQueue, "b", "2");
  ASSERT_TRUE(store_->commit().ok());
  store_->erase(Table::kQueue, "a");
  store_->erase_single(Table::kQueue, "b");
  store_->erase(Table::kQueue, "never there");
  ASSERT_TRUE(store_->commit().ok());
  EXPECT_FALSE(store_->get(Table::kQueue, "a", value));
  EXPECT_FALSE(store_->get(Table::kQueue, "b", value));
}

TEST_P(StoreTest, MultiGetAgainstGet) {
  std::mt19937 random(1);
  std::map<std::string, std::string> twin;
  for (int i = 0; i < 3000; ++i) {
    const std::string key = std::to_string(random() % 10'000);
    twin[key] = std::to_string(i);
    store_->put(Table::kUrls, key, twin[key]);
  }
  ASSERT_TRUE(store_->commit().ok());
  std::vector<std::string> names;
  for (int i = 0; i < 10'000; i += 3) names.push_back(std::to_string(i));
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> keys(names.begin(), names.end());
  std::vector<std::string> values;
  std::vector<char> found;
  store_->multi_get(Table::kUrls, keys, values, found);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto at = twin.find(names[i]);
    ASSERT_EQ(found[i] != 0, at != twin.end());
    if (found[i] != 0) {
      ASSERT_EQ(values[i], at->second);
    }
  }
  store_->multi_get(Table::kUrls, {}, values, found);
  EXPECT_TRUE(store_->status().ok());
}

TEST_P(StoreTest, AnEmptyCommitIsFine) {
  EXPECT_TRUE(store_->commit().ok());
  EXPECT_TRUE(store_->sync().ok());
  EXPECT_TRUE(store_->verify().ok());
}

INSTANTIATE_TEST_SUITE_P(Memory, StoreTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Rocks, StoreTest, testing::Values(true));

class RocksStoreTest : public StoreTest {};

TEST_P(RocksStoreTest, WhatWasCommittedIsThereWhenOpenedAgainAndWhatWasStagedIsNot) {
  store_->put(Table::kUrls, "kept", "1");
  ASSERT_TRUE(store_->commit().ok());
  store_->put(Table::kUrls, "lost", "1");
  store_.reset();
  open();
  std::string value;
  EXPECT_TRUE(store_->get(Table::kUrls, "kept", value));
  EXPECT_FALSE(store_->get(Table::kUrls, "lost", value));
}

TEST_P(RocksStoreTest, TheTablesOfAPartitionAreMadeWhereTheyAreAskedForAndStay) {
  const auto reopen = [this](const RocksOptions& options) {
    store_.reset();
    Result<std::unique_ptr<Store>> opened = open_rocks_store(path_, options);
    ASSERT_TRUE(opened.ok()) << opened.message();
    store_ = opened.take();
  };
  std::string value;
  // A state from before.
  store_->put(Table::kUrls, "u", "1");
  ASSERT_TRUE(store_->commit().ok());
  reopen({.partition = true});
  ASSERT_TRUE(store_->get(Table::kUrls, "u", value));
  store_->put(Table::kOutbox, "o", "batch");
  store_->put(Table::kInbox, "i", "seen");
  store_->put(Table::kUrls, "v", "2");
  ASSERT_TRUE(store_->commit().ok());
  // Without the option the tables are kept, and a reader need not know them.
  reopen({.read_only = true});
  EXPECT_TRUE(store_->get(Table::kUrls, "v", value));
  reopen({});
  EXPECT_TRUE(store_->get(Table::kUrls, "v", value));
  EXPECT_TRUE(store_->get(Table::kOutbox, "o", value));
  EXPECT_EQ(value, "batch");
  ASSERT_TRUE(store_->checkpoint(path_ + ".copy").ok());
  store_.reset();
  std::filesystem::remove_all(path_);
  std::filesystem::rename(path_ + ".copy", path_);
  reopen({.partition = true});
  EXPECT_TRUE(store_->get(Table::kInbox, "i", value));
  store_->erase(Table::kOutbox, "o");
  ASSERT_TRUE(store_->commit().ok());
  EXPECT_FALSE(store_->get(Table::kOutbox, "o", value));
  // A new state has the tables from the start.
  store_.reset();
  std::filesystem::remove_all(path_);
  reopen({.partition = true});
  store_->put(Table::kOutbox, "o", "batch");
  ASSERT_TRUE(store_->commit().ok());
}

TEST_P(RocksStoreTest, ReadOnlyBesideAnOpenOne) {
  store_->put(Table::kUrls, "a", "1");
  ASSERT_TRUE(store_->commit().ok());
  RocksOptions options;
  options.read_only = true;
  Result<std::unique_ptr<Store>> reader = open_rocks_store(path_, options);
  ASSERT_TRUE(reader.ok()) << reader.message();
  std::string value;
  EXPECT_TRUE((*reader)->get(Table::kUrls, "a", value));
}

TEST_P(RocksStoreTest, ACheckpointIsAStoreOfItsOwn) {
  const std::string copy = path_ + ".copy";
  std::filesystem::remove_all(copy);
  store_->put(Table::kUrls, "a", "1");
  ASSERT_TRUE(store_->commit().ok());
  ASSERT_TRUE(store_->checkpoint(copy).ok());
  store_->put(Table::kUrls, "a", "2");
  ASSERT_TRUE(store_->commit().ok());
  {
    Result<std::unique_ptr<Store>> opened = open_rocks_store(copy, {});
    ASSERT_TRUE(opened.ok()) << opened.message();
    std::string value;
    ASSERT_TRUE((*opened)->get(Table::kUrls, "a", value));
    EXPECT_EQ(value, "1");
  }
  // The folder exists and is not empty.
  EXPECT_FALSE(store_->checkpoint(copy).ok());
  std::filesystem::remove_all(copy);
}

// Each such file cost as much as a third of a new state.
TEST_P(RocksStoreTest, NoFileOfOptionsIsMadeAndOneFromBeforeIsLeftAlone) {
  const auto options_files = [](const std::string& folder) {
    int files = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder))
      files += each.path().filename().string().starts_with("OPTIONS-") ? 1 : 0;
    return files;
  };
  EXPECT_EQ(options_files(path_), 0);
  store_->put(Table::kUrls, "a", "1");
  ASSERT_TRUE(store_->commit().ok());
  store_.reset();
  std::ofstream(path_ + "/OPTIONS-000007") << "[Version]";
  open();
  std::string value;
  EXPECT_TRUE(store_->get(Table::kUrls, "a", value));
  EXPECT_EQ(options_files(path_), 1);
  const std::string copy = path_ + ".copy";
  ASSERT_TRUE(store_->checkpoint(copy).ok());
  EXPECT_EQ(options_files(copy), 0);
  EXPECT_TRUE(open_rocks_store(copy, {}).ok());
  std::filesystem::remove_all(copy);
}

TEST_P(RocksStoreTest, NoFolderToReadIsAnError) {
  RocksOptions options;
  options.read_only = true;
  EXPECT_FALSE(open_rocks_store(path_ + ".none", options).ok());
  EXPECT_FALSE(open_rocks_store("/dev/null/x", {}).ok());
}

std::string why_not(const std::string& path, bool read_only) {
  RocksOptions options;
  options.read_only = read_only;
  const Result<std::unique_ptr<Store>> opened = open_rocks_store(path, options);
  return opened.ok() ? "" : std::string(opened.message());
}

// Bug: a program that read such a state got the error "Column family not found", or one about a
// file CURRENT.
TEST_P(RocksStoreTest, AStateThatWasKilledAtItsBirthIsNoStateYet) {
  const std::string path = path_ + ".born";
  std::filesystem::remove_all(path);
  std::filesystem::create_directory(path);
  EXPECT_NE(why_not(path, true).find("there is no state yet in " + path), std::string::npos);
  EXPECT_EQ(why_not(path, false), "");
  EXPECT_EQ(why_not(path, true), "");
  std::filesystem::remove_all(path);
}

// Bug: the state was begun anew, empty, without a notice.
TEST_P(RocksStoreTest, AStateWhoseCURRENTIsGoneIsNotBegunAnew) {
  store_->put(Table::kUrls, "a", "1");
  ASSERT_TRUE(store_->commit().ok());
  store_.reset();
  std::filesystem::rename(path_ + "/CURRENT", path_ + "/away");
  for (const bool read_only : {false, true})
    EXPECT_NE(why_not(path_, read_only).find("CURRENT is missing beside"), std::string::npos);
  std::filesystem::rename(path_ + "/away", path_ + "/CURRENT");
  open();
  std::string value;
  EXPECT_TRUE(store_->get(Table::kUrls, "a", value));
}

INSTANTIATE_TEST_SUITE_P(Rocks, RocksStoreTest, testing::Values(true));

}  // namespace
}  // namespace spinneret::frontier
