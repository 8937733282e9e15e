// SPDX-License-Identifier: Apache-2.0
// A folder with a store that does not exist yet, and helpers that make sets and query them.
#ifndef SPINNERET_TESTS_UNIT_DEDUPE_STORE_FIXTURE_H_
#define SPINNERET_TESTS_UNIT_DEDUPE_STORE_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dedupe/seen_set.h"
#include "support/temporary_folder.h"

namespace spinneret::dedupe {

class StoreFixture : public ::testing::Test {
 protected:
  static std::vector<bool> insert(SeenSet& set, const std::vector<std::string>& keys) {
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const auto fresh = std::make_unique<bool[]>(keys.size() + 1);
    EXPECT_TRUE(set.insert_batch(views, fresh.get()).ok());
    return std::vector<bool>(fresh.get(), fresh.get() + keys.size());
  }
  static std::unique_ptr<SeenSet> make(const SeenSetOptions& options,
                                       std::string* notice = nullptr) {
    Result<std::unique_ptr<SeenSet>> made = make_seen_set(options, notice);
    EXPECT_TRUE(made.ok()) << made.message();
    return made.ok() ? made.take() : nullptr;
  }
  SeenSetOptions stored() const {
    SeenSetOptions options;
    options.store = path_;
    options.key_description = "url";
    return options;
  }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
  const std::string path_ = temporary_.file("store");
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_TESTS_UNIT_DEDUPE_STORE_FIXTURE_H_
