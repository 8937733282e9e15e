// SPDX-License-Identifier: Apache-2.0
#include "base/text_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "base/descriptors.h"
#include "base/file.h"
#include "support/temporary_folder.h"

namespace spinneret {
namespace {

using namespace std::string_view_literals;

class TextFileTest : public testing::Test {
 protected:
  Result<std::string> text_of(std::string_view bytes, std::size_t max_bytes = 1000) {
    EXPECT_TRUE(write_file_atomic(path_, bytes).ok());
    return read_text_file(path_, max_bytes);
  }

  const TemporaryFolder temporary_;
  const std::string path_ = temporary_.file("rules");
};

TEST_F(TextFileTest, LosesAByteOrderMarkAndNothingElse) {
  EXPECT_EQ(*text_of("a\r\nb"), "a\r\nb");
  EXPECT_EQ(*text_of(""), "");
  EXPECT_EQ(*text_of("\xEF\xBB\xBF"), "");
  EXPECT_EQ(*text_of("\xEF\xBB\xBF\xEF\xBB\xBF"
                     "a\0b"sv),
            "\xEF\xBB\xBF"
            "a\0b"sv);
  EXPECT_EQ(*text_of("\xEF\xBB"), "\xEF\xBB");
}

TEST_F(TextFileTest, NamesOneThatIsInUtf16InWhicheverOrder) {
  for (const std::string_view bytes : {"\xFF\xFE"
                                       "a\0"sv,
                                       "\xFE\xFF\0a"sv}) {
    const Result<std::string> text = text_of(bytes);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.message(),
              path_ + " is in UTF-16: make it UTF-8 first (iconv -f UTF-16 -t UTF-8)");
  }
  // Without text behind it, the bytes of a mark may mean anything.
  EXPECT_TRUE(text_of("\xFF\xFE").ok());
}

TEST_F(TextFileTest, WhatIsTooLargeOrNotThereIsAnError) {
  EXPECT_TRUE(text_of(std::string(1000, 'x')).ok());
  EXPECT_FALSE(text_of(std::string(1001, 'x')).ok());
  const Result<std::string> none = read_text_file(temporary_.file("none"));
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.message().find("none: No such file"), std::string::npos);
  EXPECT_FALSE(read_text_file(temporary_.path()).ok());
}

TEST(Descriptors, AreRaisedAsFarAsAllowedAndNeverLowered) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_descriptor_limit(64), 64U);
  EXPECT_EQ(raise_descriptor_limit(100), 100U);
  EXPECT_EQ(raise_descriptor_limit(10), 10U);
  rlimit now{};
  getrlimit(RLIMIT_NOFILE, &now);
  EXPECT_EQ(now.rlim_cur, 100U);
  if (before.rlim_max != RLIM_INFINITY) {
    EXPECT_EQ(raise_descriptor_limit(SIZE_MAX), before.rlim_max);
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(TextFileTest, LineEndsAreCountedOverBlocksAndThePositionStays) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a line\n";
  ASSERT_TRUE(write_file_atomic(path_, text + "without an end").ok());
  const Result<Fd> file = open_file(path_, O_RDONLY);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(lseek(file->get(), 3, SEEK_SET), 3);
  EXPECT_EQ(count_line_ends(file->get()), 100'000u);
  EXPECT_EQ(lseek(file->get(), 0, SEEK_CUR), 3);
  const Result<Fd> endless = open_file("/dev/zero", O_RDONLY);
  ASSERT_TRUE(endless.ok());
  EXPECT_EQ(count_line_ends(endless->get()), 0u);
}

}  // namespace
}  // namespace spinneret
