// SPDX-License-Identifier: Apache-2.0
#include "fuzz/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace spinneret {
namespace {

using namespace std::string_literals;

const std::string kFirst = "spinneret-corpus 1\n";

TEST(Corpus, is_written_as_its_header_says) {
  EXPECT_EQ(pack_corpus({}), kFirst);
  EXPECT_EQ(pack_corpus({{"", "zz"}, {"b", ""}, {"", "b"}, {"", "a"}, {"a", "long\n"}}),
            kFirst + "5 a\nlong\n\n0 b\n\n1\na\n1\nb\n2\nzz\n");
}

TEST(Corpus, any_bytes_come_back_and_what_is_there_twice_stays_twice) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const Corpus inputs = {{"a-name", all},  {"", ""},  {"", "\n"},
                         {"", "\0\n1\n"s}, {"", all}, {"", all}};
  const auto read = parse_corpus(pack_corpus(inputs));
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read->size(), inputs.size());
  EXPECT_TRUE(std::is_permutation(read->begin(), read->end(), inputs.begin(), inputs.end()));
}

TEST(Corpus, what_is_none_is_told_by_the_byte) {
  const struct {
    std::string packed, why;
  } rows[] = {
      {"", "byte 0: not a spinneret-corpus of version 1"},
      {"spinneret-corpus 2\n", "byte 0: not a spinneret-corpus of version 1"},
      {kFirst + "1", "byte 19: a line without an end"},
      {kFirst + "x\n", "byte 19: no length"},
      {kFirst + "-1\n\n", "byte 19: no length"},
      {kFirst + "01\na\n", "byte 19: no length"},
      {kFirst + "18446744073709551615\n\n", "byte 19: an input that is cut short"},
      {kFirst + "2\na\n", "byte 19: an input that is cut short"},
      {kFirst + "1\na", "byte 19: an input that is cut short"},
      {kFirst + "1\naa\n", "byte 22: no end of line behind an input"},
      {kFirst + "1\na\n1 ../b\na\n", "byte 25: no name"},
      {kFirst + "1 \na\n", "byte 21: no name"},
      {kFirst + "1 .hidden\na\n", "byte 21: no name"},
      {kFirst + "1 " + std::string(40, '0') + "\na\n", "byte 21: no name"},
  };
  for (const auto& [packed, why] : rows) {
    const auto read = parse_corpus(packed);
    ASSERT_FALSE(read.ok()) << packed;
    EXPECT_EQ(read.message(), why) << packed;
  }
}

class CorpusFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "corpus.XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(CorpusFolder, unpacked_and_packed_again_is_the_same_file) {
  const std::string packed =
      pack_corpus({{"a-name", "x\0y"s}, {"", ""}, {"", "same"}, {"", "same"}});
  const auto inputs = parse_corpus(packed);
  ASSERT_TRUE(inputs.ok());
  ASSERT_TRUE(write_corpus_folder(*inputs, folder_).ok());
  const auto again = read_corpus_folder(folder_);
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(pack_corpus(*again), packed);
}

TEST_F(CorpusFolder, a_file_whose_name_cannot_be_kept_is_an_error_and_not_lost) {
  std::ofstream(folder_ + "/a name") << "x";
  const auto read = read_corpus_folder(folder_);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.message().find("a name\" is no name of an input"), std::string::npos)
      << read.message();
}

TEST_F(CorpusFolder, that_is_not_there_is_an_error) {
  EXPECT_FALSE(read_corpus_folder(folder_ + "/none").ok());
  EXPECT_FALSE(write_corpus_folder({{"", "x"}}, folder_ + "/none").ok());
}

}  // namespace
}  // namespace spinneret
