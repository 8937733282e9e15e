// SPDX-License-Identifier: Apache-2.0
#include "select/items.h"

#include <algorithm>
#include <span>

#include "base/number.h"

namespace spinneret::select {
namespace {

// Puts :scope in front of a leading combinator.
SelectorList with_scope(SelectorList list) {
  for (Complex& complex : list) {
    if (complex.compounds.empty() || complex.compounds[0].before == Combinator::kNone) continue;
    Simple scope;
    scope.kind = SimpleKind::kScope;
    Compound first;
    first.simples.push_back(std::move(scope));
    complex.compounds.insert(complex.compounds.begin(), std::move(first));
  }
  return list;
}

// The meaning of a program's target: the element of an item, or a field.
struct Target {
  std::uint32_t rule;
  std::uint32_t field;  // kNone: the item's element
};

struct Found {
  std::uint32_t item;
  std::uint32_t field;
  NodeId node;
};

}  // namespace

// The rules of some pages, as one program, and what it has found on the present page.
struct ItemReader::Compiled : public MatchTaker {
  explicit Compiled(const ItemRules& all, const std::vector<std::uint32_t>& chosen,
                    std::string& problem) {
    for (const std::uint32_t number : chosen) add(all.rules()[number], problem);
    program.finish();
    open.resize(rules.size());
    matcher = std::make_unique<Matcher>(program);
    values = std::make_unique<PageValues>(matcher->page());
  }

  void add(const ItemRule& rule, std::string& problem);
  bool matched(NodeId node, std::span<const std::uint32_t> numbers) override;
  void left(NodeId node) override;
  std::uint32_t begin_item(std::uint32_t rule, NodeId node);
  void give(const ItemOptions& options, ItemTaker& taker);
  void add_value(const ItemRule& rule, const Found& one, bool matches, Item& item);

  struct OpenItem {
    std::uint32_t item;
    NodeId node;
  };
  Program program;
  std::vector<const ItemRule*> rules;
  std::vector<Target> targets;
  std::vector<std::vector<OpenItem>> open;              // by rule: items around the present element
  std::vector<std::pair<std::uint32_t, NodeId>> items;  // rule and element
  std::vector<Found> found;
  std::unique_ptr<Matcher> matcher;
  std::unique_ptr<PageValues> values;
};

void ItemReader::Compiled::add(const ItemRule& rule, std::string& problem) {
  const auto number = static_cast<std::uint32_t>(rules.size());
  rules.push_back(&rule);
  const auto add_list = [&](const SelectorList& list, std::uint32_t scope, Target target,
                            const policy::Place& place) {
    SelectorError why;
    std::uint32_t id = kNone;
    if (!program.add(list, scope, id, why) && problem.empty())
      problem = place.to_string() + ": " + why.message;
    targets.push_back(target);
    return id;
  };
  std::uint32_t scope = kNone;
  if (!rule.each_list.empty()) scope = add_list(rule.each_list, kNone, {number, kNone}, rule.place);
  for (std::uint32_t i = 0; i < rule.fields.size(); ++i) {
    const ItemField& field = rule.fields[i];
    if (!field.list.empty()) add_list(with_scope(field.list), scope, {number, i}, field.place);
  }
}

std::uint32_t ItemReader::Compiled::begin_item(std::uint32_t rule, NodeId node) {
  items.emplace_back(rule, node);
  const auto item = static_cast<std::uint32_t>(items.size() - 1);
  for (std::uint32_t i = 0; i < rules[rule]->fields.size(); ++i) {
    if (rules[rule]->fields[i].list.empty()) found.push_back({item, i, node});
  }
  return item;
}

// Targets ascend, so an element is known to be an item before its fields come. A field that is
// itself an item belongs to the item around it.
bool ItemReader::Compiled::matched(NodeId node, std::span<const std::uint32_t> numbers) {
  bool begins = false;
  for (const std::uint32_t number : numbers) {
    const Target& target = targets[number];
    std::vector<OpenItem>& around = open[target.rule];
    if (target.field == kNone) {
      around.push_back({begin_item(target.rule, node), node});
      begins = true;
      continue;
    }
    auto innermost = around.rbegin();
    if (innermost != around.rend() && innermost->node == node) ++innermost;
    if (innermost != around.rend()) found.push_back({innermost->item, target.field, node});
  }
  return begins;
}

void ItemReader::Compiled::left(NodeId node) {
  for (std::vector<OpenItem>& around : open) {
    while (!around.empty() && around.back().node == node) around.pop_back();
  }
}

void ItemReader::Compiled::add_value(const ItemRule& rule, const Found& one, bool matches,
                                     Item& item) {
  const ItemField& field = rule.fields[one.field];
  std::string value;
  if (field.attribute.empty()) {
    value = values->text(one.node);
  } else if (!values->attribute(one.node, field.attribute, value)) {
    return;
  }
  item.values.emplace_back(field.name, std::move(value));
  if (!matches) return;
  std::string where = field.name + " line ";
  const Node& node = matcher->page()[one.node];
  const std::size_t offset = node.begin == Node::kNowhere ? 0 : node.begin;
  append_unsigned(where, values->line_of(offset));
  where += " offset ";
  append_unsigned(where,
                  offset + (matcher->page().transcoded() ? 0 : matcher->page().charset().bom));
  const std::string& selector = field.selector.empty() ? rule.each : field.selector;
  item.matches.push_back(where + " " + selector);
}

void ItemReader::Compiled::give(const ItemOptions& options, ItemTaker& taker) {
  const auto before = [](const Found& a, const Found& b) {
    return a.item != b.item ? a.item < b.item : a.field < b.field;
  };
  if (!std::is_sorted(found.begin(), found.end(), before))
    std::stable_sort(found.begin(), found.end(), before);
  auto one = found.begin();
  for (std::uint32_t number = 0; number < items.size(); ++number) {
    const ItemRule& rule = *rules[items[number].first];
    Item item;
    if (!rule.type.empty()) item.values.emplace_back("type", rule.type);
    const auto end =
        std::find_if(one, found.end(), [number](const Found& next) { return next.item != number; });
    item.values.reserve(item.values.size() + static_cast<std::size_t>(end - one));
    for (; one != end; ++one) add_value(rule, *one, options.matches, item);
    if (item.values.size() > (rule.type.empty() ? 0u : 1u)) taker.item(item);
  }
}

ItemReader::ItemReader(const ItemRules& rules, ItemOptions options)
    : rules_(rules), options_(options) {}
ItemReader::~ItemReader() = default;

bool ItemReader::wants(const Url& url) {
  if (options_.json_ld || options_.microdata || options_.rdfa || options_.opengraph ||
      options_.tables)
    return true;
  rules_.find(url, chosen_);
  return !chosen_.empty();
}

void ItemReader::read(const Url& url, std::string_view document, std::string_view http_charset,
                      ItemTaker& taker, std::size_t piece, html::Syntax syntax) {
  rules_.find(url, chosen_);
  if (programs_.size() >= kMaxPrograms && programs_.find(chosen_) == programs_.end())
    programs_.clear();
  std::unique_ptr<Compiled>& kept = programs_[chosen_];
  if (kept == nullptr) {
    std::string problem;
    kept = std::make_unique<Compiled>(rules_, chosen_, problem);
    if (!problem.empty()) taker.trouble(problem, 0);
  }
  Compiled& now = *kept;
  now.items.clear();
  now.found.clear();
  now.matcher->read(document, http_charset, piece, syntax);
  now.values->begin(url, document.size());
  taker.page(now.matcher->page().charset());
  for (std::uint32_t i = 0; i < now.rules.size(); ++i) {
    now.open[i].clear();
    // Without `each` the page is the only item, which is open around all elements.
    if (now.rules[i]->each_list.empty()) now.open[i].push_back({now.begin_item(i, 0), 0});
  }
  if (!now.rules.empty()) now.matcher->run(now);
  now.give(options_, taker);
  read_structured(now.matcher->page(), *now.values, options_, taker);
  if (now.matcher->cut()) taker.trouble("page is nested too deep or too large: read so far", 0);
  if (now.values->cut())
    taker.trouble("values of the page are more than four times its size: the rest is left empty",
                  0);
}

}  // namespace spinneret::select
