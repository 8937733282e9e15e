// SPDX-License-Identifier: Apache-2.0
// What is remembered from run to run, for how long, and what is taken from a file that another
// program wrote.
#include "check/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <string_view>

#include "base/file.h"
#include "support/temporary_folder.h"

namespace spinneret::check {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
constexpr std::int64_t kWeek = 7 * 86400;

class LinkCacheTest : public testing::Test {
 protected:
  void put(std::string_view bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string saved(LinkCache& cache) {
    EXPECT_TRUE(cache.save().ok());
    return read_file(path_, 1 << 20).take();
  }
  static std::string entry(const std::string& url, std::int64_t age, const std::string& rest = "") {
    return url + "\tchecked=" + std::to_string(kNow - age) + rest + "\n";
  }
  std::string fresh(const LinkCache& cache) {
    std::string out;
    cache.each_fresh([&out](Record& record) { out.append(record.url()).append(" "); });
    return out;
  }

  const std::string format_ = std::string(LinkCache::kFormat).append(1, '\n');
  TemporaryFolder folder_;
  const std::string path_ = folder_.file("cache");
};

TEST_F(LinkCacheTest, KeepsWhatWasFoundWithWhatItIsAskedForBy) {
  LinkCache cache;
  EXPECT_FALSE(cache.is_open());
  EXPECT_TRUE(cache.save().ok());
  ASSERT_TRUE(cache.open(path_, kNow, kWeek).ok());
  EXPECT_TRUE(cache.is_open());
  const auto note = [&cache](std::string_view line, Outcome outcome) {
    Record record;
    record.parse(line);
    cache.note(record, outcome);
  };
  note("http://a/\tetag=\"x\\ty\"\tstatus=200\tlast-modified=then", Outcome::kOk);
  note("http://b/\tetag=", Outcome::kNotModified);
  note("http://gone/", Outcome::kGone);
  note("http://gone/", Outcome::kOk);  // the first note of a run counts
  note("http://earlier/\tchecked=" + std::to_string(kNow - 5), Outcome::kOk);
  note("http://future/\tchecked=" + std::to_string(kNow + 5), Outcome::kOk);
  note("http://long-ago/\tchecked=" + std::to_string(kNow - 9 * kWeek), Outcome::kOk);
  note("http://odd/\tchecked=99999999999999999999", Outcome::kOk);
  const std::string now = "\tchecked=1800000000";
  EXPECT_EQ(saved(cache), format_ + "http://a/" + now + "\tetag=\"x\\ty\"\tlast-modified=then\n" +
                              "http://b/" + now + "\nhttp://earlier/\tchecked=1799999995\n" +
                              "http://future/" + now + "\nhttp://odd/" + now + "\n");
}

TEST_F(LinkCacheTest, RecallsTheFreshGivesTheStaleAndForgetsTheOld) {
  put(format_ + entry("http://fresh/", kWeek) + entry("http://stale/", kWeek + 1, "\tetag=e") +
      entry("http://old/", 9 * kWeek) + entry("http://told/", 1) + "http://odd/\tchecked=x\n" +
      entry("http://future/", -1) + "\n" + entry("http://unasked/", 2));
  LinkCache cache;
  ASSERT_TRUE(cache.open(path_, kNow, kWeek).ok());
  EXPECT_EQ(fresh(cache), "http://fresh/ http://told/ http://unasked/ ");
  Record told;
  told.reset("http://told/");
  cache.note(told, Outcome::kGone);
  LinkBook book;
  for (const char* const url : {"http://fresh/", "http://stale/", "http://told/"})
    book.add_link({.page = "", .target = url, .tag = ""});
  std::string stale;
  cache.recall(book, [&stale](Record& record) { record.append_to(stale); });
  EXPECT_EQ(stale + "\n", entry("http://stale/", kWeek + 1, "\tetag=e"));
  std::string verdicts;
  book.judge([&verdicts](const Finding& each) { verdicts.append(to_string(each.verdict)) += ' '; });
  EXPECT_EQ(verdicts, "ok not-checkable not-checkable ");
  EXPECT_EQ(saved(cache), format_ + entry("http://fresh/", kWeek) +
                              entry("http://stale/", kWeek + 1, "\tetag=e") +
                              entry("http://unasked/", 2));
}

TEST_F(LinkCacheTest, WithoutARecallNothingIsForgotten) {
  const std::string bytes = format_ + entry("http://a/", 1) + entry("http://old/", 99 * kWeek);
  put(bytes);
  LinkCache cache;
  ASSERT_TRUE(cache.open(path_, kNow, kWeek).ok());
  EXPECT_EQ(saved(cache), bytes);
}

TEST_F(LinkCacheTest, OfAFileThatWasCutOffTheWholeLinesCount) {
  const std::string whole = format_ + entry("http://a/", 1) + entry("http://b/", 2, "\tetag=x");
  const std::size_t first = format_.size() + entry("http://a/", 1).size();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    put(whole.substr(0, size));
    LinkCache cache;
    const Status opened = cache.open(path_, kNow, kWeek);
    ASSERT_EQ(opened.ok(), size == 0 || size + 1 >= format_.size()) << size;
    if (!opened.ok()) continue;
    const std::string links = fresh(cache);
    if (size == whole.size()) {
      EXPECT_EQ(links, "http://a/ http://b/ ");
    } else {
      EXPECT_EQ(links, size >= first ? "http://a/ " : "") << size;
    }
  }
}

TEST_F(LinkCacheTest, WhatIsNoCacheIsLeftAloneAndTold) {
  for (const std::string_view bytes :
       {std::string_view("something else\n"), std::string_view("link-check-cache:2\n"),
        std::string_view("link-check-cache:1\tx\n"), std::string_view("\0\x1B", 2)}) {
    put(bytes);
    LinkCache cache;
    const Status opened = cache.open(path_, kNow, kWeek);
    ASSERT_FALSE(opened.ok());
    EXPECT_TRUE(opened.message().starts_with(path_ + " is not a cache of this version"));
    EXPECT_EQ(opened.message().find('\x1B'), std::string::npos);
    EXPECT_FALSE(cache.is_open());
    EXPECT_EQ(read_file(path_, 100).take(), bytes);
  }
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  LinkCache cache;
  const Status opened = cache.open(pipe, kNow, kWeek);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.message(), pipe + " is a pipe, which keeps nothing: give a file");
  EXPECT_FALSE(cache.open(folder_.file("none/cache"), kNow, kWeek).ok());
  EXPECT_FALSE(cache.open(folder_.path(), kNow, kWeek).ok());
}

}  // namespace
}  // namespace spinneret::check
