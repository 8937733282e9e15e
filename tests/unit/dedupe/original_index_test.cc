// SPDX-License-Identifier: Apache-2.0
#include "dedupe/original_index.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "support/temporary_folder.h"

namespace spinneret {
namespace {

using Method = OriginalOptions::Method;

class OriginalIndexTest : public ::testing::Test {
 protected:
  static std::unique_ptr<OriginalIndex> make(Method method) {
    OriginalOptions options;
    options.method = method;
    return make(options);
  }
  static std::unique_ptr<OriginalIndex> make(const OriginalOptions& options,
                                             std::string* notice = nullptr) {
    auto made = make_original_index(options, notice);
    EXPECT_TRUE(made.ok()) << made.message();
    return made.take();
  }
  // "new", "none" or the original's name.
  static std::string judge(OriginalIndex& index, std::string_view name, std::string_view content) {
    OriginalIndex::Verdict verdict;
    if (!index.judge(name, content, true, verdict)) return "none";
    return verdict.copy ? std::string(verdict.original) : "new";
  }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

std::string long_page(int counter) {
  std::string page = "<title>News</title>";
  for (std::size_t i = 0; i < 300; ++i) {
    page += "<p>word" + std::string(1 + i % 26, static_cast<char>('a' + i % 25)) + " and more";
  }
  return page + "<p>read " + std::to_string(counter) + " times";
}

TEST_F(OriginalIndexTest, bytes) {
  const auto index = make(Method::kBytes);
  EXPECT_EQ(judge(*index, "a", "same"), "new");
  EXPECT_EQ(judge(*index, "b", "same"), "a");
  EXPECT_EQ(judge(*index, "c", "Same"), "new");
  EXPECT_EQ(judge(*index, "d", ""), "new");
  EXPECT_EQ(judge(*index, "e", ""), "d");
}

TEST_F(OriginalIndexTest, text_hides_no_copy_behind_a_counter) {
  const auto index = make(Method::kText);
  EXPECT_EQ(judge(*index, "a", long_page(1)), "new");
  EXPECT_EQ(judge(*index, "b", long_page(2)), "a");
  EXPECT_EQ(judge(*index, "c", "<b>other"), "new");
  EXPECT_EQ(judge(*index, "d", "<script>only</script>"), "none");
}

TEST_F(OriginalIndexTest, near) {
  for (const Method method : {Method::kSimhash, Method::kMinhash}) {
    const auto index = make(method);
    EXPECT_EQ(judge(*index, "a", long_page(1)), "new");
    EXPECT_EQ(judge(*index, "b", long_page(2) + " x"), "a");
    EXPECT_EQ(judge(*index, "c", "quite another text than that"), "new");
    EXPECT_EQ(judge(*index, "d", "<p>"), "none");
    EXPECT_EQ(index->size(), 2U);
  }
}

TEST_F(OriginalIndexTest, remembers_in_a_store) {
  for (const Method method : {Method::kBytes, Method::kText, Method::kSimhash, Method::kMinhash}) {
    OriginalOptions options;
    options.method = method;
    options.store = folder_ + "/" + std::to_string(static_cast<int>(method));
    options.description = "method " + std::to_string(static_cast<int>(method));
    {
      const auto index = make(options);
      EXPECT_EQ(judge(*index, "https://a.example/", long_page(1)), "new");
      EXPECT_EQ(judge(*index, "b", "short text"), "new");
      ASSERT_TRUE(index->commit().ok());
      EXPECT_EQ(judge(*index, "c", "never committed at all"), "new");
    }
    const auto index = make(options);
    EXPECT_EQ(index->size(), 2U);
    EXPECT_EQ(judge(*index, "d", long_page(1)), "https://a.example/");
    EXPECT_EQ(judge(*index, "e", "never committed at all"), "new");
    OriginalOptions other = options;
    other.description = "something else";
    EXPECT_FALSE(make_original_index(other).ok());
  }
}

// Cut anywhere: each page that was committed whole is known, and no other.
TEST_F(OriginalIndexTest, cut_at_every_byte) {
  OriginalOptions options;
  options.store = folder_ + "/store";
  {
    const auto index = make(options);
    for (const char* name : {"one", "two", "three"}) {
      EXPECT_EQ(judge(*index, name, std::string("content of ") + name), "new");
      ASSERT_TRUE(index->commit().ok());
    }
  }
  const std::string whole = *read_file(options.store);
  std::uint64_t before = 0;
  for (std::size_t size = 256; size <= whole.size(); ++size) {
    ASSERT_TRUE(write_file_atomic(options.store, whole.substr(0, size)).ok());
    const auto index = make(options);
    ASSERT_GE(index->size(), before);
    before = index->size();
    const char* const names[] = {"one", "two", "three"};
    for (std::uint64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(judge(*index, "again", std::string("content of ") + names[i]),
                i < before ? names[i] : "new");
    }
  }
  EXPECT_EQ(before, 3U);
}

}  // namespace
}  // namespace spinneret
