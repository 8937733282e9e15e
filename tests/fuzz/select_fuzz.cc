// SPDX-License-Identifier: Apache-2.0
// Selectors and items. The input's first line is a list of selectors, or a rule with fields between
// ';'; the rest is a page. Beyond "no crash":
//  - what is selected is what the slow twin selects on a DOM of pointers;
//  - the page in pieces gives the same as the page at once;
//  - an error has a place within the text; a node has one place in the log, and the log is a tree;
//  - the items of the rule and what the page says of itself are the same in pieces; names are keys.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "fuzz/turn.h"
#include "io/record.h"
#include "select/items.h"
#include "select/matcher.h"
#include "select/program.h"
#include "select/selector.h"
#include "support/slow_select.h"

namespace {

using namespace spinneret;
using namespace spinneret::select;

void check(bool holds) {
  if (!holds) std::abort();
}

struct Collector : MatchTaker {
  bool matched(NodeId node, std::span<const std::uint32_t>) override {
    nodes.push_back(node);
    return true;
  }
  void left(NodeId) override { ++lefts; }
  std::vector<NodeId> nodes;
  std::size_t lefts = 0;
};

std::vector<NodeId> run(Matcher& matcher, std::string_view page, std::string_view charset,
                        std::size_t piece) {
  matcher.read(page, charset, piece);
  Collector got;
  matcher.run(got);
  check(got.lefts == got.nodes.size());
  return got.nodes;
}

// Checks that every node is its parent's child once, between its neighbours.
void check_tree(const PageNodes& page) {
  for (NodeId parent = 0; parent < page.size(); ++parent) {
    if (!page[parent].is_element()) continue;
    NodeId previous = 0;
    std::size_t children = 0;
    for (NodeId child = page[parent].first; child != 0; child = page[child].next) {
      check(page[child].parent == parent && page[child].previous == previous);
      check(++children < page.size());
      previous = child;
    }
    check(page[parent].last == previous);
  }
}

struct Items : ItemTaker {
  void item(const Item& item) override {
    check(!item.values.empty());
    for (const auto& [name, value] : item.values) {
      check(is_field_key(name));
      text += name + "=" + value + "\n";
    }
    for (const std::string& match : item.matches) text += match + "\n";
    text += "\n";
  }
  void trouble(std::string_view reason, std::uint64_t) override {
    check(!reason.empty());
    text += "! " + std::string(reason) + "\n";
  }
  std::string text;
};

void check_items(std::string_view line, std::string_view page, std::string_view charset,
                 std::size_t piece) {
  ItemRules rules;
  std::string lines(line);
  std::replace(lines.begin(), lines.end(), ';', '\n');
  rules.add_text(lines, "rules");
  rules.finish();
  for (const auto& problem : rules.problems()) check(!problem.message.empty());
  Url url;
  check(parse("http://h.example/d/p?q", url));
  ItemReader reader(rules, {true, true, true, true, true, true});
  Items whole;
  Items pieces;
  reader.read(url, page, charset, whole);
  // Text that stands wrongly in a table is moved out as a whole or not at all; in pieces its blanks
  // stay. (The tools read no pieces.)
  constexpr std::string_view kTable = "table";
  if (std::search(page.begin(), page.end(), kTable.begin(), kTable.end(),
                  [](char a, char b) { return to_lower(a) == b; }) != page.end())
    return;
  reader.read(url, page, charset, pieces, piece);
  check(whole.text == pieces.text);
}

void check_selectors(std::string_view text, std::string_view page, std::string_view charset,
                     std::size_t piece) {
  constexpr std::size_t kMostForTheTwin = 512;
  SelectorList list;
  SelectorError why;
  if (!parse_selectors(text, list, why))
    return check(why.at <= text.size() && !why.message.empty());
  Program program;
  std::uint32_t target = 0;
  if (!program.add(list, kNone, target, why)) return;
  program.finish();
  Matcher matcher(program);
  const std::vector<NodeId> whole = run(matcher, page, charset, 0);
  check_tree(matcher.page());
  if (page.size() <= kMostForTheTwin && text.size() <= 64) {
    slow::Dom dom(matcher.page(), matcher.page().quirks());
    check(dom.select(list) == whole);
  }
  const auto tags_of = [&](const std::vector<NodeId>& nodes) {
    std::vector<std::uint32_t> out;
    for (const NodeId node : nodes) out.push_back(matcher.page()[node].begin);
    return out;
  };
  const std::vector<std::uint32_t> tags = tags_of(whole);
  // Texts may be cut differently, and so nodes have other numbers.
  check(tags_of(run(matcher, page, charset, piece)) == tags);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view page(reinterpret_cast<const char*>(data), size);
  const Turn turn(page);
  // Guessing the encoding takes a third of the time, and is not what is tested here.
  const std::string_view charset = turn.is_one_in(64) ? "" : "utf-8";
  const std::string_view text = cut(page, '\n');
  const std::size_t piece = 1 + size % 13;
  if (turn.is(0, 2)) check_items(text, page, charset, piece);
  if (turn.is(1, 2)) check_selectors(text, page, charset, piece);
  return 0;
}
