// SPDX-License-Identifier: Apache-2.0
#include "loop/inbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "support/small_files.h"
#include "support/temporary_folder.h"

namespace spinneret::loop {
namespace {

class InboxTest : public testing::Test {
 protected:
  void put(std::string_view bytes) { ASSERT_TRUE(write_file_atomic(path_, bytes).ok()); }
  std::string held() { return read_file(path_).take(); }
  // Empties the inbox and returns its lines.
  std::string empty() {
    std::string out;
    const Status done = empty_inbox(path_, [&out](std::string_view lines) {
      out += lines;
      return Status();
    });
    EXPECT_TRUE(done.ok()) << done.message();
    return out;
  }

  const TemporaryFolder temporary_;
  const std::string path_ = temporary_.file("inbox");
};

TEST_F(InboxTest, GivesItsLinesOnce) {
  EXPECT_FALSE(has_mail(path_));
  EXPECT_FALSE(has_mail(""));
  ASSERT_TRUE(add_to_inbox(path_, "http://a/\n").ok());
  ASSERT_TRUE(add_to_inbox(path_, "http://b/\nhttp://c/\n").ok());
  EXPECT_TRUE(has_mail(path_));
  EXPECT_EQ(empty(), "http://a/\nhttp://b/\nhttp://c/\n");
  EXPECT_FALSE(has_mail(path_));
  EXPECT_EQ(empty(), "");
}

TEST_F(InboxTest, ALineThatWasTornIsCutOffByTheNextOneAndNeverGiven) {
  put("http://a/\nhttp://tor");
  ASSERT_TRUE(add_to_inbox(path_, "http://b/\n").ok());
  EXPECT_EQ(held(), "http://a/\nhttp://b/\n");
  put("http://a/\nhttp://tor");
  EXPECT_EQ(empty(), "http://a/\n");
  put("http://tor");
  EXPECT_EQ(empty(), "");
}

// Bug: adding seeds where a pipe is waited for ever.
TEST_F(InboxTest, APipeIsRefused) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(add_to_inbox(path_, "http://a.test/\n").message(),
            "cannot open " + path_ + ": it is a pipe that nobody reads");
  const Result<Fd> reader = open_file(path_, O_RDONLY | O_NONBLOCK);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(add_to_inbox(path_, "http://a.test/\n").message(), path_ + ": is not a file");
  EXPECT_FALSE(has_mail(path_));
}

TEST_F(InboxTest, WhatCannotBeTakenStays) {
  ASSERT_TRUE(add_to_inbox(path_, "http://a/\n").ok());
  const Status done = empty_inbox(path_, [](std::string_view) { return Status(Error{"no room"}); });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.message(), "no room");
  EXPECT_EQ(empty(), "http://a/\n");
}

TEST_F(InboxTest, AWriteThatFailsLeavesWhatWasThere) {
  put("http://a/\nhttp://tor");
  Status done, fits;
  {
    const SmallFiles small(20);
    done = add_to_inbox(path_, "http://b.example/too/long/by/far\n");
    fits = add_to_inbox(path_, "http://b/\n");
  }
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.message(), "cannot write " + path_ + ": File too large");
  EXPECT_TRUE(fits.ok());
  EXPECT_EQ(empty(), "http://a/\nhttp://b/\n");
}

TEST_F(InboxTest, WhatCannotBeOpenedIsNamed) {
  const std::string nowhere = temporary_.file("no/inbox");
  const Status added = add_to_inbox(nowhere, "http://a/\n");
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.message().find(nowhere), std::string::npos) << added.message();
  EXPECT_FALSE(add_to_inbox(temporary_.path(), "http://a/\n").ok());
  // Neither emptying an inbox nor looking for one makes it.
  EXPECT_FALSE(empty_inbox(path_, [](std::string_view) { return Status(); }).ok());
  EXPECT_FALSE(has_mail(path_));
}

TEST_F(InboxTest, NothingIsLostBetweenThoseWhoAddAndWhoEmpties) {
  ASSERT_TRUE(add_to_inbox(path_, "0\n").ok());
  std::atomic<int> at_work{2};
  std::vector<std::thread> writers;
  for (const int first : {1, 101}) {
    writers.emplace_back([this, first, &at_work] {
      for (int i = first; i < first + 100; ++i)
        EXPECT_TRUE(add_to_inbox(path_, std::to_string(i) + "\n").ok());
      --at_work;
    });
  }
  std::string all;
  while (at_work != 0) all += empty();
  for (std::thread& one : writers) one.join();
  all += empty();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 201);
  for (int i = 0; i <= 200; ++i)
    EXPECT_NE(("\n" + all).find("\n" + std::to_string(i) + "\n"), std::string::npos) << i;
}

}  // namespace
}  // namespace spinneret::loop
