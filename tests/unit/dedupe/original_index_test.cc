// SPDX-License-Identifier: Apache-2.0
#include "dedupe/original_index.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "dedupe/clusters.h"
#include "dedupe/content_sketch.h"
#include "support/temporary_folder.h"

namespace spinneret::dedupe {
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
  // Returns "new", "none" or the original's name.
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

// Each visit has a process of its own, as in a crawl that runs every day.
TEST_F(OriginalIndexTest, a_page_is_compared_with_what_it_had_last) {
  const std::string other = "words of which none is among those of the news";
  for (const Method method : {Method::kText, Method::kSimhash, Method::kMinhash}) {
    OriginalOptions options;
    options.method = method;
    options.store = folder_ + "/" + std::to_string(static_cast<int>(method));
    const auto visit = [&](std::string_view name, std::string_view content) -> std::string {
      const auto index = make(options);
      OriginalIndex::Verdict verdict;
      EXPECT_TRUE(index->judge(name, content, true, verdict));
      EXPECT_TRUE(index->commit().ok());
      if (!verdict.copy) return "new";
      return std::string(verdict.original) + (verdict.unchanged ? " unchanged" : " changed");
    };
    EXPECT_EQ(visit("a", long_page(1)), "new");
    EXPECT_EQ(visit("a", long_page(2)), "a unchanged");
    EXPECT_EQ(visit("b", long_page(3)), "a changed");  // it has no visit of its own
    EXPECT_EQ(visit("a", other), "new");
    EXPECT_EQ(visit("a", other), "a unchanged");
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(visit("a", long_page(4)), "a changed");
      EXPECT_EQ(visit("a", long_page(5)), "a unchanged");
      EXPECT_EQ(visit("a", other), "a changed");
      EXPECT_EQ(visit("a", other), "a unchanged");
    }
    EXPECT_EQ(make(options)->size(), 6U);  // an entry for each change
    EXPECT_EQ(visit("c", other), "a changed");
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

// With the store cut anywhere, each page that was committed completely is known, and no other.
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

TEST(Clusters, the_best_is_that_of_the_greatest_rank) {
  for (const Clusters::Ties ties : {Clusters::Ties::kFirst, Clusters::Ties::kLast}) {
    Clusters clusters({}, ties);
    const double ranks[] = {0, -1, 7, 7, 3};
    for (const double rank : ranks) clusters.add("0123456789abcdef", rank);
    clusters.add("another digest..", -5);
    clusters.close();
    EXPECT_EQ(clusters.best(0), ties == Clusters::Ties::kFirst ? 2U : 3U);
    EXPECT_EQ(clusters.best(5), 5U);
    EXPECT_EQ(clusters.size(4), 5U);
  }
}

TEST(Clusters, ranks_are_numbers_and_dates) {
  EXPECT_EQ(rank_of("12"), 12);
  EXPECT_EQ(rank_of("-0.5"), -0.5);
  EXPECT_EQ(rank_of("1e3"), 1000);
  EXPECT_EQ(rank_of("1970-01-02"), 86400);
  EXPECT_EQ(rank_of("1970-02"), 31 * 86400);
  EXPECT_EQ(rank_of("1970-01-01T01:00:00Z"), 3600);
  EXPECT_EQ(rank_of("1970-01-01 01:00:00"), 3600);
  EXPECT_EQ(rank_of("1970-01-01T01:00+01:00"), 0);
  EXPECT_EQ(rank_of("1970-01-01T00:00:00.25-00:30"), 1800.25);
  // Bug: dates with such zones were refused.
  for (const char* const date :
       {"1970-01-01T01:00:00+0100", "1970-01-01T01:00+01", "1970-01-01 01:00:00 +01:00",
        "Thu, 01 Jan 1970 01:00:00 +0100", "1 Jan 1970 00:00:00 GMT", "1969-12-31T18:30-0530"}) {
    EXPECT_EQ(rank_of(date), 0) << date;
  }
  EXPECT_EQ(rank_of("1970-01-01T00:00:00,5"), 0.5);
  EXPECT_EQ(rank_of("2016-12-31T23:59:60Z"), rank_of("2017-01-01"));
  // Bug: a fraction with an exponent, signs within a zone, days that are in no calendar, and 1e999
  // won over all other dates.
  for (const char* const forged :
       {"1970-01-01T00:00:00.5e300", "1970-01-01T00:00+-9:-5", "1970-01-01T00:00+99:00",
        "2026-02-31", "1e999", "-1e999", "+", "e", ".", "1970-01-01T00:00:00.Z"}) {
    EXPECT_FALSE(rank_of(forged)) << forged;
  }
  EXPECT_EQ(rank_of("Thu, 01 Jan 1970 00:01:00 GMT"), 60);
  for (const char* const none : {"", "x", "nan", "inf", "0x10", "1 2", "2026-13-01", "2026-11-23x",
                                 "2026-11-23T10:00:00+1", "1e", "-", "--1"}) {
    EXPECT_EQ(rank_of(none), std::nullopt) << none;
  }
}

TEST(ContentSketch, is_read_back_from_its_text) {
  for (const MinhashForm& form :
       {MinhashForm{128, true}, MinhashForm{256, true}, MinhashForm{128, false}}) {
    OriginalOptions options;
    options.method = OriginalOptions::Method::kMinhash;
    options.form = form;
    ContentSketch sketches(options);
    std::string sketch, again;
    ASSERT_TRUE(sketches.make("<p>some words of a page", true, sketch));
    const std::string text = sketches.text(sketch);
    EXPECT_TRUE(sketches.read(text, again));
    EXPECT_EQ(again, sketch);
    for (const std::string& bad :
         {text + "0", text.substr(1), text.substr(0, text.size() - 2),
          text.substr(0, text.size() - 1) + "g", std::string(), std::string("simhash-w3:00")}) {
      EXPECT_FALSE(sketches.read(bad, again)) << bad;
    }
    options.shingling.length = 5;
    EXPECT_FALSE(ContentSketch(options).read(text, again));
    // Near pages share a band, in the same place.
    std::vector<std::uint64_t> bands;
    sketches.make_index()->each_band(sketch, [&](std::uint64_t key) { bands.push_back(key); });
    EXPECT_EQ(bands.size(), 16U);
    EXPECT_EQ(std::set<std::uint64_t>(bands.begin(), bands.end()).size(), bands.size());
  }
}

}  // namespace
}  // namespace spinneret::dedupe
