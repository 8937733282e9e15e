// SPDX-License-Identifier: Apache-2.0
// Robots rules in process: compiling, asking, memory and hostile input.
//
//   bench-robots FOLDER [URLS]    FOLDER: robots.txt files named by host (the corpus, unpacked);
//                                 URLS: a list whose paths are asked for, beside paths made of the
//                                 rules
//
// Prints times as ratios to a memcpy of the same bytes where that means something, and always the
// unit.
#include <dirent.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "robots/pattern.h"
#include "robots/rule_set.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

// CPU time of the process, which other work on the machine does not add to.
double now_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct File {
  std::string host;
  std::string text;
};

std::vector<File> read_corpus(const std::string& folder) {
  std::vector<File> out;
  DIR* const dir = opendir(folder.c_str());
  if (dir == nullptr) return out;
  while (const dirent* const entry = readdir(dir)) {
    if (entry->d_name[0] == '.') continue;
    Result<std::string> text = read_file(folder + "/" + entry->d_name);
    if (text.ok()) out.push_back({entry->d_name, text.take()});
  }
  closedir(dir);
  std::sort(out.begin(), out.end(), [](const File& a, const File& b) { return a.host < b.host; });
  return out;
}

std::vector<std::string> real_paths(const char* list) {
  std::vector<std::string> out;
  Result<std::string> text = list == nullptr ? Result<std::string>(std::string()) : read_file(list);
  std::string_view rest = text.ok() ? std::string_view(*text) : std::string_view();
  Url url;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (parse(line, url) && url.is_http()) out.emplace_back(url.path_and_query());
  }
  if (out.empty()) out = {"/", "/index.html", "/a/b/c/d.html?id=1234567", "/search?q=robots"};
  return out;
}

// Returns a path that the rule matches: each '*' becomes some word, and '$' is left out.
std::string path_of_rule(std::string_view pattern) {
  std::string out;
  for (const char c : pattern) {
    if (c == '*') {
      out += "word";
    } else if (c != '$') {
      out += c;
    }
  }
  return out.starts_with('/') ? out : "/" + out;
}

void print(const char* what, double seconds, double count, const char* unit) {
  std::printf("%-44s %10.1f ns/%s %12.0f %s/s\n", what, seconds / count * 1e9, unit,
              count / seconds, unit);
}

void one_host(const File& file, const std::vector<std::string>& real) {
  const double begin = now_s();
  const robots::RuleSet rules = robots::RuleSet::compile(file.text, "*");
  const double compiled = now_s() - begin;
  std::vector<std::string> paths;
  std::mt19937 random(1);
  for (std::size_t i = 0; i < 20'000; ++i) {
    paths.push_back(
        i % 2 == 0 || rules.rules().empty()
            ? real[random() % real.size()]
            : path_of_rule(rules.pattern(rules.rules()[random() % rules.rules().size()])));
  }
  std::printf("%s: %zu bytes, %zu rules for '*', compiled in %.2f ms, %zu bytes\n",
              file.host.c_str(), file.text.size(), rules.rules().size(), compiled * 1e3,
              rules.memory());
  std::string storage;
  std::size_t blocked = 0;
  double best = 1e9;
  for (int round = 0; round < 10; ++round) {
    const double start = now_s();
    blocked = 0;
    for (const std::string& path : paths) {
      blocked +=
          !rules.check(robots::comparable_path(path, robots::RobotsMode::kRfc, storage)).allowed;
    }
    best = std::min(best, now_s() - start);
  }
  print("  check", best, static_cast<double>(paths.size()), "path");
  std::printf("  %zu of %zu blocked\n", blocked, paths.size());
}

void many_hosts(const std::vector<File>& files) {
  std::size_t bytes = 0;
  std::size_t memory = 0;
  std::size_t rules = 0;
  std::vector<robots::RuleSet> sets;
  sets.reserve(files.size());
  const double begin = now_s();
  for (const File& file : files) {
    sets.push_back(robots::RuleSet::compile(file.text, "examplebot"));
    bytes += file.text.size();
    memory += sets.back().memory();
    rules += sets.back().rules().size();
  }
  const double seconds = now_s() - begin;
  std::printf("%zu files, %.1f MB, %zu rules: compiled in %.0f ms (%.0f MB/s), %.1f MB held\n",
              files.size(), static_cast<double>(bytes) / 1e6, rules, seconds * 1e3,
              static_cast<double>(bytes) / 1e6 / seconds, static_cast<double>(memory) / 1e6);
}

void hostile(const char* name, const std::string& rule_head, const std::vector<std::string>& rules,
             const std::string& path) {
  std::string text = "User-agent: *\n";
  for (const std::string& rule : rules) text += rule_head + rule + "\n";
  const double begin = now_s();
  const robots::RuleSet set = robots::RuleSet::compile(text, "*");
  const double compiled = now_s() - begin;
  double best = 1e9;
  bool allowed = true;
  for (int round = 0; round < 10; ++round) {
    const double start = now_s();
    allowed = set.check(path).allowed;
    best = std::min(best, now_s() - start);
  }
  std::printf("  %-34s %6zu rules %7zu bytes, path %6zu: %8.3f ms (%s), compiled in %.1f ms\n",
              name, rules.size(), text.size(), path.size(), best * 1e3,
              allowed ? "allowed" : "blocked", compiled * 1e3);
}

std::string repeat(std::string_view text, std::size_t size) {
  std::string out;
  while (out.size() < size) out += text;
  return out;
}

void hostile_input() {
  std::printf("hostile input, one check:\n");
  constexpr std::size_t kPath = 16 << 10;
  constexpr const char* kRule = "Disallow: ";
  std::mt19937 random(1);
  const auto family = [](std::size_t count, auto make) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(make(i));
    return out;
  };
  const auto stars = family(5000, [](std::size_t i) {
    return "/" + repeat("*a*b", 84) + "*c" + std::to_string(i) + "$";
  });
  hostile("/*a*b*a*b... on aaaa", kRule, stars, "/" + repeat("a", kPath));
  hostile("/*a*b*a*b... on abab", kRule, stars, "/" + repeat("ab", kPath));
  hostile("/*a*b*a*b... on abab, 500 bytes", kRule, stars, "/" + repeat("ab", 500));
  hostile("/*a*b*a*b... on abab, 50 bytes", kRule, stars, "/" + repeat("ab", 50));
  const auto late = family(5000, [](std::size_t i) {
    return "/" + repeat("*a*b", 84) + "*c*" + std::string(1 + i % 9, 'd');
  });
  hostile("/*a*b*...*c*d on cdabab", kRule, late, "/cddddddddd" + repeat("ab", kPath));
  hostile("/*a*b*...*c*d on ab...dc", kRule, late, "/" + repeat("ab", kPath) + "dddddddddc");
  const auto random_stars = family(5000, [&random](std::size_t) {
    std::string out = "/";
    for (int i = 0; i < 45; ++i) out += std::string("*") + "abcd"[random() % 4];
    return out + "*e";
  });
  hostile("/*random letters*e on abcd", kRule, random_stars, "/e" + repeat("abcd", kPath));
  const auto words = family(
      5000, [](std::size_t i) { return "/*" + repeat("a", 80) + "b" + std::to_string(i % 10); });
  hostile("/*aaaa...b on aaaa...b", kRule, words,
          "/" + repeat(repeat("a", 79) + "b0123456789", kPath));
  const auto heads = family(700, [](std::size_t i) { return "/" + repeat("a", i) + "*b"; });
  hostile("/aaaa*b: a head at each byte", kRule, heads, "/" + repeat("a", kPath));
  const auto nested = family(950, [](std::size_t i) { return "/" + repeat("a", i); });
  hostile("/aaaa: nested literals", kRule, nested, "/" + repeat("a", kPath));
  const auto shared =
      family(60'000, [](std::size_t i) { return "/*" + std::to_string(i % 10) + "x"; });
  hostile("/*1x: 60,000 short ones", kRule, shared, "/" + repeat("1y2y3y4x5z", kPath));
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::vector<File> files = read_corpus(argc > 1 ? argv[1] : ".");
  const std::vector<std::string> real = real_paths(argc > 2 ? argv[2] : nullptr);
  if (!files.empty()) {
    for (const char* name : {"docs.oracle.com", "github.com", "www.eventbrite.com",
                             "www.sophos.com", "www.aeroflot.ru"}) {
      for (const File& file : files) {
        if (file.host == name) one_host(file, real);
      }
    }
    many_hosts(files);
  }
  hostile_input();
  return 0;
}
