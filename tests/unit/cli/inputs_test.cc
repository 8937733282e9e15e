// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace spinneret::cli {
namespace {

TEST(UrlOperand, BeginsWithASchemeAndTwoSlashes) {
  for (const char* url : {"http://a/", "HTTPS://A", "x://", "svn+ssh://h", "a-b.c1://"}) {
    EXPECT_TRUE(is_url_operand(url)) << url;
  }
  for (const char* file : {"", "-", "file", "./http://a/", "://a", "1http://a", "ht tp://a",
                           "http:/a", "mailto:a@b", "/tmp/x://y", "\xC3://a"}) {
    EXPECT_FALSE(is_url_operand(file)) << file;
  }
}

class InputsTest : public testing::Test {
 protected:
  std::string file(const std::string& name, std::string_view bytes) {
    const std::string path = folder_ + "/" + name;
    EXPECT_TRUE(write_file_atomic(path, bytes).ok());
    return path;
  }

  Inputs open(std::vector<std::string> operands, LineReader::Options options = {}) {
    return Inputs(
        std::move(operands), std::move(options),
        {[this](const std::string& message) { events_.push_back("trouble " + message); },
         [this](const std::string& message) { events_.push_back("refused " + message); }});
  }

  // Returns every line as "name:number line", among the reports, in order.
  std::vector<std::string> all(Inputs inputs) {
    std::string_view line;
    while (inputs.next(line)) {
      const std::string name = std::filesystem::path(inputs.name()).filename();
      events_.push_back(name + ":" + std::to_string(inputs.line_number()) + " " +
                        std::string(line));
    }
    EXPECT_FALSE(inputs.next(line)) << "the end stays the end";
    return std::exchange(events_, {});
  }

  std::vector<std::string> all_runs(Inputs inputs) {
    std::string_view run;
    while (inputs.next_run(run)) {
      const std::string name = std::filesystem::path(inputs.name()).filename();
      events_.push_back(name + ":" + std::to_string(inputs.line_number()) + " " + std::string(run));
      inputs.add_lines(2);
    }
    return std::exchange(events_, {});
  }

  using Events = std::vector<std::string>;
  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
  Events events_;
};

TEST_F(InputsTest, FilesAndUrlsInOrder) {
  const std::string one = file("one", "a\nb");
  const std::string two = file("two", "");
  const std::string three = file("three", "c\n");
  EXPECT_EQ(
      all(open({one, "http://x/", two, three, "http://y/"})),
      (Events{"one:1 a", "one:2 b", "argument:1 http://x/", "three:1 c", "argument:2 http://y/"}));
}

TEST_F(InputsTest, RunsOfFilesAndUrls) {
  const std::string one = file("one", "a\nb\n");
  EXPECT_EQ(all_runs(open({one, "http://x/", one})),
            (Events{"one:0 a\nb\n", "argument:1 http://x/", "one:0 a\nb\n"}));
}

TEST_F(InputsTest, NoOperandIsStandardInput) {
  const Result<Fd> input = open_file(file("in", "a\nb\n"), O_RDONLY);
  const int saved = dup(STDIN_FILENO);
  ASSERT_EQ(dup2(input->get(), STDIN_FILENO), STDIN_FILENO);
  EXPECT_EQ(all(open({})), (Events{"-:1 a", "-:2 b"}));
  ASSERT_EQ(lseek(STDIN_FILENO, 0, SEEK_SET), 0);
  EXPECT_EQ(all(open({"-", "-"})), (Events{"-:1 a", "-:2 b"}));
  EXPECT_NE(fcntl(STDIN_FILENO, F_GETFD), -1) << "it is borrowed, not closed";
  dup2(saved, STDIN_FILENO);
  close(saved);
}

TEST_F(InputsTest, BadFilesDoNotStopTheOthers) {
  const std::string good = file("good", "a\n");
  const std::string none = folder_ + "/none";
  EXPECT_EQ(all(open({none, good, folder_, good})),
            (Events{"trouble cannot open " + none + ": No such file or directory", "good:1 a",
                    "trouble cannot read " + folder_ + ": Is a directory", "good:1 a"}));
}

TEST_F(InputsTest, LongLinesAreReportedInTheirPlace) {
  const std::string path = file("long", "ab\nabcdef\ncd\n");
  const std::string reason = "refused line is longer than --max-line (3 bytes)";
  EXPECT_EQ(all(open({path}, {.max_line = 3})), (Events{"long:1 ab", reason, "long:3 cd"}));
  EXPECT_EQ(all_runs(open({path}, {.max_line = 3}))[1], reason);
}

// Bug: a line end within an operand made two records of one.
TEST_F(InputsTest, OperandHoldsOneLine) {
  EXPECT_EQ(all(open({"http://a/\nhttp://b/", "http://c/"})),
            (Events{"refused URL holds a line end", "argument:2 http://c/"}));
  EXPECT_EQ(all(open({"http://a/\nb"}, {.terminator = '\0'})), (Events{"argument:1 http://a/\nb"}));
}

}  // namespace
}  // namespace spinneret::cli
