// SPDX-License-Identifier: Apache-2.0
#include "frontier/memory_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>

namespace spinneret::frontier {
namespace {

using namespace std::string_view_literals;

// Compares with a map, while keys come and go.
TEST(MemoryStore, FindsByHashWhatAMapHas) {
  MemoryStore store;
  MemoryStore::Rows twin;
  std::mt19937_64 random(7);
  std::string value;
  for (int turn = 0; turn < 20'000; ++turn) {
    const std::string key = "key " + std::to_string(random() % 700);
    if (random() % 2 == 0) {
      store.put(Table::kUrls, key, std::to_string(turn));
      twin[key] = std::to_string(turn);
    } else {
      store.erase(Table::kUrls, key);
      twin.erase(key);
    }
    ASSERT_TRUE(store.commit().ok());
    const std::string asked = "key " + std::to_string(random() % 700);
    const auto found = twin.find(asked);
    ASSERT_EQ(store.get(Table::kUrls, asked, value), found != twin.end()) << asked;
    if (found != twin.end()) {
      ASSERT_EQ(value, found->second);
    }
  }
  EXPECT_EQ(store.rows(Table::kUrls), twin);
  // A copy finds its own rows, whatever becomes of the original.
  MemoryStore copy = store;
  for (const auto& [key, kept] : twin) store.erase(Table::kUrls, key);
  ASSERT_TRUE(store.commit().ok());
  copy.put(Table::kUrls, "new", "row");
  ASSERT_TRUE(copy.commit().ok());
  for (const auto& [key, kept] : twin) {
    EXPECT_FALSE(store.get(Table::kUrls, key, value));
    ASSERT_TRUE(copy.get(Table::kUrls, key, value)) << key;
    EXPECT_EQ(value, kept);
  }
  EXPECT_TRUE(copy.get(Table::kUrls, "new", value));
}

// Returns keys that differ only behind their sixteenth byte, that are prefixes of others, or such
// prefixes and zeros.
std::string a_key(std::mt19937_64& random) {
  static constexpr std::string_view kBegins[] = {"", "host", "host\0\0\0\0"sv, "a long way to it"};
  std::string key(kBegins[random() % std::size(kBegins)]);
  for (std::uint64_t more = random() % 4; more != 0; --more)
    key += static_cast<char>(random() % 12 * 23);
  return key;
}

TEST(MemoryStore, WalksInTheOrderOfAMapWhereverItBegins) {
  MemoryStore store;
  MemoryStore::Rows twin;
  std::mt19937_64 random(11);
  for (int turn = 0; turn < 60; ++turn) {
    // The table grows to some thousands of keys, shrinks to none, and grows again.
    const bool grows = turn % 30 < 12;
    for (int i = 0; i < 700; ++i) {
      std::string key = a_key(random);
      if (!grows && !twin.empty()) {
        const std::size_t far = random() % std::min<std::size_t>(twin.size(), 200);
        key = std::next(twin.begin(), static_cast<std::ptrdiff_t>(far))->first;
      }
      if (grows || random() % 8 == 0) {
        store.put(Table::kQueue, key, std::to_string(i));
        twin[key] = std::to_string(i);
      } else {
        store.erase(Table::kQueue, key);
        twin.erase(key);
      }
    }
    ASSERT_TRUE(store.commit().ok());
    ASSERT_EQ(store.rows(Table::kQueue), twin);
    const std::unique_ptr<Cursor> at = store.scan(Table::kQueue);
    for (int i = 0; i < 20; ++i) {
      const std::string from = a_key(random);
      auto want = twin.lower_bound(from);
      at->seek(from);
      for (int steps = 0; steps < 300 && want != twin.end(); ++steps, ++want, at->next()) {
        ASSERT_TRUE(at->valid());
        ASSERT_EQ(at->key(), want->first);
        ASSERT_EQ(at->value(), want->second);
      }
      ASSERT_EQ(at->valid(), want != twin.end());
    }
  }
}

}  // namespace
}  // namespace spinneret::frontier
