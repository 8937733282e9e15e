// SPDX-License-Identifier: Apache-2.0
// Selectors over pages, in memory: figures for tests/bench/select.sh, and answers to compare with a
// browser's.
//
//  bench-select speed SELECTORS FILE...    MB/s of CPU time: reading and matching, all selectors at
//                                          once, best of 5
//  bench-select match SELECTORS FILE       for each selector a line: the number of elements, and a
//                                          hash of their numbers
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/file.h"
#include "select/matcher.h"

namespace {

using namespace spinneret;
using namespace spinneret::select;

struct Matches : MatchTaker {
  explicit Matches(std::size_t targets) : of(targets) {}
  bool matched(NodeId node, std::span<const std::uint32_t> targets) override {
    for (const std::uint32_t target : targets) of[target].push_back(node);
    return false;
  }
  std::vector<std::vector<NodeId>> of;
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) out.emplace_back(cut(text, '\n'));
  return out;
}

// Compiles all selectors into one program. False: one of them is invalid.
bool compile(const std::vector<std::string>& selectors, Program& program) {
  for (const std::string& selector : selectors) {
    SelectorList list;
    SelectorError why;
    std::uint32_t target = 0;
    if (parse_selectors(selector, list, why) && program.add(list, kNone, target, why)) continue;
    std::fprintf(stderr, "%s: %zu: %s\n", selector.c_str(), why.at, why.message.c_str());
    return false;
  }
  program.finish();
  return true;
}

int match(const std::vector<std::string>& selectors, const std::string& page) {
  for (const std::string& selector : selectors) {
    Program program;
    if (!compile({selector}, program)) return 2;
    Matcher matcher(program);
    matcher.read(page, "utf-8");
    Matches got(1);
    matcher.run(got);
    std::map<NodeId, std::uint32_t> numbers;
    const PageNodes& nodes = matcher.page();
    std::uint32_t number = 0;
    for (NodeId node = 0; (node = nodes.next(node, 0)) != 0;) {
      if (nodes[node].is_element()) numbers[node] = number++;
    }
    std::uint32_t hash = 2166136261u;
    for (const NodeId node : got.of[0]) hash = (hash ^ numbers[node]) * 16777619u;
    std::printf("%zu %u\n", got.of[0].size(), hash);
  }
  return 0;
}

int speed(const std::vector<std::string>& selectors, const std::vector<std::string>& pages) {
  Program program;
  if (!compile(selectors, program)) return 2;
  Matcher matcher(program);
  double best = 1e9;
  std::size_t bytes = 0;
  std::size_t found = 0;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t start = std::clock();
    bytes = found = 0;
    for (const std::string& page : pages) {
      Matches got(program.targets());
      matcher.read(page, "utf-8");
      matcher.run(got);
      bytes += page.size();
      for (const auto& nodes : got.of) found += nodes.size();
    }
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::printf("%.0f MB/s, %zu selectors, %zu pages, %zu bytes, %zu matches\n",
              static_cast<double>(bytes) / best / 1e6, selectors.size(), pages.size(), bytes,
              found);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto selectors = read_file(argv[2]);
  if (!selectors.ok()) return 2;
  std::vector<std::string> pages;
  for (int i = 3; i < argc; ++i) {
    auto page = read_file(argv[i]);
    if (!page.ok()) return 2;
    pages.push_back(page.take());
  }
  return std::string_view(argv[1]) == "match" ? match(lines_of(*selectors), pages[0])
                                              : speed(lines_of(*selectors), pages);
}
