// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <dirent.h>
#include <stdlib.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
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
#include "support/json.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "url/parse.h"

namespace spinneret::robots {
namespace {

// Runs 4,231 real files through everything: nothing fails, the fast matcher agrees with the slow
// one, and the canonical form has the same meaning. Reads ../shared/data/robots/corpus.tar.gz with
// tar(1).

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

// Returns paths that a file's own rules suggest: the pattern's text, and a little more.
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
      // The slow matcher takes too long for more.
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

// The 521 verdicts that the test suites of google/robotstxt and protego assert
// (shared/data/README.md).

struct Vector {
  std::string id, robots, agent, url, expected, google, rfc, status;
  std::uint32_t google_line = 0;
};

std::vector<Vector> load() {
  std::vector<Vector> out;
  std::ifstream file(SPINNERET_SHARED_DATA "/robots/vectors.jsonl");
  std::string text;
  while (std::getline(file, text)) {
    const Json json = Json::parse(text);
    out.push_back({json["id"].text(), json["robots_txt"].text(), json["agent"].text(),
                   json["url"].text(), json["expected"].text(), json["google"].text(),
                   json["rfcref"].text(), json["status"].text(),
                   static_cast<std::uint32_t>(json["google_line"].number())});
  }
  return out;
}

std::string path_of(const std::string& text) {
  Url url;
  if (parse(text, url)) return std::string(url.path_and_query());
  return text;
}

TEST(Vectors, RfcMode) {
  const std::vector<Vector> vectors = load();
  if (vectors.empty()) GTEST_SKIP() << "no ../shared/data/robots/vectors.jsonl";
  std::map<std::string, std::pair<int, int>> table;  // by status: right, all
  for (const Vector& vector : vectors) {
    std::string storage;
    const RuleSet rules = RuleSet::compile(vector.robots, vector.agent);
    const bool allowed =
        rules.check(comparable_path(path_of(vector.url), RobotsMode::kRfc, storage)).allowed;
    const bool right = (allowed ? "allow" : "disallow") == vector.expected;
    table[vector.status].first += right;
    ++table[vector.status].second;
    if (vector.status == "agree" || vector.status == "google-differs") {
      EXPECT_TRUE(right) << vector.id << " " << vector.agent << " " << vector.url << "\n"
                         << vector.robots.substr(0, 500);
    }
  }
  for (const auto& [status, count] : table) {
    std::printf("rfc mode  %-15s %d of %d\n", status.c_str(), count.first, count.second);
  }
}

TEST(Vectors, GoogleMode) {
  const std::vector<Vector> vectors = load();
  if (vectors.empty()) GTEST_SKIP() << "no ../shared/data/robots/vectors.jsonl";
  int right = 0;
  for (const Vector& vector : vectors) {
    std::string storage;
    RuleOptions options;
    options.mode = RobotsMode::kGoogle;
    const RuleSet rules = RuleSet::compile(vector.robots, vector.agent, options);
    const Verdict verdict = rules.check(google_path(vector.url, storage));
    const bool same = (verdict.allowed ? "allow" : "disallow") == vector.google;
    const std::uint32_t line = verdict.rule == nullptr ? 0 : verdict.rule->line;
    EXPECT_TRUE(same) << vector.id << " " << vector.agent << " " << vector.url << "\n"
                      << vector.robots.substr(0, 500);
    EXPECT_EQ(line, vector.google_line) << vector.id;
    right += same;
  }
  std::printf("google mode  %d of %zu\n", right, vectors.size());
}

}  // namespace
}  // namespace spinneret::robots
