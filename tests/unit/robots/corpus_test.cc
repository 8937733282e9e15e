// SPDX-License-Identifier: Apache-2.0
// 4,231 real files through everything: no fault, the fast matcher equal to the slow one, the canonical form
// equal in meaning. Reads ../shared/data/robots/corpus.tar.gz by way of tar(1).
#include <dirent.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "robots/canonical.h"
#include "robots/contents.h"
#include "robots/lint.h"
#include "robots/pattern.h"
#include "robots/rule_set.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace spinneret {
namespace {

constexpr const char* kArchive = SPINNERET_SHARED_DATA "/robots/corpus.tar.gz";

class Corpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!std::filesystem::exists(kArchive)) return;
    folder_ = std::make_unique<TemporaryFolder>();
    const std::string command =
        std::string("tar -xzf '") + kArchive + "' -C '" + folder_->path() + "'";
    if (system(command.c_str()) != 0) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_->path())) {
      if (entry.is_regular_file()) files_.push_back(entry.path());
    }
    std::sort(files_.begin(), files_.end());
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override {
    if (files_.empty()) GTEST_SKIP() << "no ../shared/data/robots/corpus.tar.gz";
  }

  static std::unique_ptr<TemporaryFolder> folder_;
  static std::vector<std::string> files_;
};
std::unique_ptr<TemporaryFolder> Corpus::folder_;
std::vector<std::string> Corpus::files_;

// Paths that a file's own rules call for: the pattern's text, and a little more.
std::vector<std::string> paths_of(const RuleSet& rules) {
  std::vector<std::string> out = {"/", "/index.html", "/a/b?c=d", "/robots.txt"};
  const std::size_t step = rules.rules().size() / 12 + 1;
  for (std::size_t i = 0; i < rules.rules().size(); i += step) {
    std::string path;
    for (const char c : rules.pattern(rules.rules()[i])) {
      if (c == '*')
        path += "xy";
      else if (c != '$')
        path += c;
    }
    if (!path.starts_with('/')) path.insert(0, "/");
    out.push_back(path);
    out.push_back(path + "/more.php?x=1");
    out.push_back(path.substr(0, path.size() - 1));
  }
  return out;
}

TEST_F(Corpus, FastEqualsSlowInEveryMode) {
  std::size_t checks = 0;
  for (const std::string& file : files_) {
    const std::string bytes = read_file(file).take();
    for (const RobotsMode mode : {RobotsMode::kRfc, RobotsMode::kGoogle, RobotsMode::k1994}) {
      RuleOptions options;
      options.mode = mode;
      const RuleSet rules = RuleSet::compile(bytes, "googlebot", options);
      // The slow way takes its time.
      if (rules.rules().size() > (kSanitized ? 300 : 3000)) continue;
      for (const std::string& text : paths_of(rules)) {
        std::string storage;
        const std::string_view path = comparable_path(text, mode, storage);
        const Verdict fast = rules.check(path);
        const Verdict slow = rules.check_slowly(path);
        ASSERT_EQ(fast.rule, slow.rule) << file << " " << path;
        ASSERT_EQ(fast.allowed, slow.allowed) << file << " " << path;
        ++checks;
      }
    }
  }
  std::printf("%zu files, %zu checks both ways\n", files_.size(), checks);
}

TEST_F(Corpus, LintHasSomethingToSayAndNeverFails) {
  std::size_t findings = 0;
  std::size_t clean = 0;
  for (const std::string& file : files_) {
    const std::size_t count = lint_robots(read_file(file).take()).size();
    findings += count;
    clean += count == 0;
  }
  std::printf("%zu findings; %zu of %zu files without any\n", findings, clean, files_.size());
  EXPECT_GT(clean, files_.size() / 10);
}

TEST_F(Corpus, CanonicalFormMeansTheSame) {
  for (const std::string& file : files_) {
    const std::string bytes = read_file(file).take();
    const std::string canonical = canonical_robots(bytes);
    ASSERT_TRUE(canonical_robots(canonical) == canonical) << file;
    for (const char* agent : {"googlebot", "examplebot", "bingbot", "*"}) {
      const RuleSet before = RuleSet::compile(bytes, agent);
      const RuleSet after = RuleSet::compile(canonical, agent);
      ASSERT_EQ(before.timetable().delay_ms(), after.timetable().delay_ms())
          << file << " " << agent;
      for (const std::string& text : paths_of(before)) {
        std::string storage;
        const std::string_view path = comparable_path(text, RobotsMode::kRfc, storage);
        ASSERT_EQ(before.check(path).allowed, after.check(path).allowed)
            << file << " " << agent << " " << path;
      }
    }
  }
}

TEST_F(Corpus, CompiledRulesOfAllFilesAreSmall) {
  std::size_t memory = 0;
  for (const std::string& file : files_) {
    memory += RuleSet::compile(read_file(file).take(), "examplebot").memory();
  }
  std::printf("%.1f MB for %zu files\n", static_cast<double>(memory) / 1e6, files_.size());
  EXPECT_LT(memory, 30'000'000U);
}

}  // namespace
}  // namespace spinneret
