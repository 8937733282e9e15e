// SPDX-License-Identifier: Apache-2.0
#include "frontier/memory_store.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace spinneret::frontier {
namespace {

// Beside a map, while keys come and go.
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
  // A copy finds its own rows, whatever becomes of the first.
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

}  // namespace
}  // namespace spinneret::frontier
