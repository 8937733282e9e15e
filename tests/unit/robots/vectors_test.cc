// SPDX-License-Identifier: Apache-2.0
// The 521 verdicts that the suites of google/robotstxt and protego assert (shared/data/README.md).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "robots/pattern.h"
#include "robots/rule_set.h"
#include "support/json.h"
#include "url/parse.h"

namespace spinneret {
namespace {

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
  std::map<std::string, std::pair<int, int>> table;  // status: right, all
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
}  // namespace spinneret
