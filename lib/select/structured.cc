// SPDX-License-Identifier: Apache-2.0
// What pages say of themselves, as items: JSON-LD, microdata (HTML 5), RDFa Lite, Open Graph,
// tables.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/ascii.h"
#include "io/table.h"
#include "select/items.h"
#include "select/json_ld.h"
#include "select/vocabulary.h"

namespace spinneret::select {

using html::Element;

namespace {

constexpr int kMaxNesting = 16;
constexpr std::uint32_t kMaxSpan = 256;
constexpr std::size_t kMaxColumns = 1024;
constexpr int kMaxWords = 16;  // in an attribute that names properties, types or prefixes
constexpr std::size_t kMaxPrefixes = 64;  // in RDFa
constexpr std::size_t kMaxName = 256;     // as in JSON-LD; longer names are left out
constexpr std::size_t kColumnCost = 16;   // of a cell in a column of its own: a name and its marks

bool holds(std::string_view source, std::string_view word) {
  return source.find(word) != std::string_view::npos;
}

template <typename Take>
void for_each_word(std::string_view text, const Take& take) {
  for (int words = 0; words < kMaxWords; ++words) {
    const std::string_view word = cut_word(text);
    if (word.empty()) return;
    take(word);
  }
}

class Structured {
 public:
  Structured(PageNodes& page, PageValues& values, ItemTaker& taker)
      : page_(page), values_(values), taker_(taker) {}

  void json_ld();
  void open_graph();
  void tables();
  // Microdata and RDFa Lite differ in the names of their attributes.
  struct Words {
    const char* scope;
    const char* property;
    const char* type;
    bool is_rdfa;
  };
  void scoped(const Words& words);

 private:
  bool has(NodeId node, std::string_view name) { return page_.attribute(node, name, scratch_); }
  bool may_have(NodeId node) const {
    return page_[node].is_element() && page_[node].begin != Node::kNowhere;
  }
  void add_value(const std::string& name, std::string_view value, Item& item);
  void add_types(NodeId node, const Words& words, const std::string& prefix, Item& item);
  void add_properties(NodeId scope, const Words& words, const std::string& prefix, int depth,
                      Item& item);
  void add_property(NodeId node, const Words& words, const std::string& prefix, int depth,
                    Item& item);
  void find_properties(NodeId within, const Words& words, std::vector<NodeId>& found);
  void find_referenced(std::string_view ids, const Words& words, std::vector<NodeId>& found);
  void find_prefixes();
  std::string_view without_prefix(std::string_view name) const;
  std::string property_value(NodeId node, bool is_rdfa);
  void table(NodeId table, std::uint32_t number);

  PageNodes& page_;
  PageValues& values_;
  ItemTaker& taker_;
  std::string scratch_;
  std::unordered_map<std::string, NodeId> ids_;
  bool ids_known_ = false;
  std::vector<NodeId> open_;           // the items that are being read, outermost first
  std::vector<std::string> prefixes_;  // RDFa prefixes that mean schema.org: "s:"
};

void Structured::json_ld() {
  JsonLdReader reader;
  std::string type;
  for (NodeId node = 0; (node = page_.next(node, 0)) != 0;) {
    if (!page_[node].is(Element::kScript) || !page_.attribute(node, "type", type)) continue;
    const std::string_view media = trim(std::string_view(type).substr(0, type.find(';')));
    if (!equals_ignore_case(media, "application/ld+json")) continue;
    std::string why;
    if (!reader.read(values_.source(node), why, [&](const Item& item) { taker_.item(item); }))
      taker_.trouble("JSON-LD: " + why, values_.line_of(page_[node].begin));
  }
}

void Structured::open_graph() {
  constexpr std::string_view kPrefixes[] = {
      "og:", "article:", "product:", "book:", "profile:", "video:", "music:", "twitter:", "fb:"};
  constexpr std::string_view kUrls[] = {":url",   "_url",   ":image",  ":src",
                                        ":video", ":audio", ":player", ":stream"};
  Item item;
  std::string name;
  std::string content;
  std::string type = "website";
  for (NodeId node = 0; (node = page_.next(node, 0)) != 0;) {
    if (!page_[node].is(Element::kMeta)) continue;
    if (!page_.attribute(node, "property", name) && !page_.attribute(node, "name", name)) continue;
    name = to_lower_copy(trim(name));
    if (std::none_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); }))
      continue;
    if (!values_.attribute(node, "content", content)) continue;
    if (name == "og:type") type = content;
    const bool is_url =
        std::any_of(std::begin(kUrls), std::end(kUrls),
                    [&](std::string_view ending) { return name.ends_with(ending); });
    if (name.size() > kMaxName) continue;
    item.values.emplace_back(key_of(name), is_url ? values_.absolute(content) : content);
  }
  if (item.values.empty()) return;
  item.values.emplace(item.values.begin(), "type", type);
  taker_.item(item);
}

// --- microdata and RDFa ---

std::string Structured::property_value(NodeId node, bool is_rdfa) {
  struct Place {
    Element element;
    const char* attribute;
  };
  constexpr Place kPlaces[] = {
      {Element::kMeta, "content"}, {Element::kA, "href"},     {Element::kArea, "href"},
      {Element::kLink, "href"},    {Element::kImg, "src"},    {Element::kAudio, "src"},
      {Element::kVideo, "src"},    {Element::kIframe, "src"}, {Element::kEmbed, "src"},
      {Element::kSource, "src"},   {Element::kTrack, "src"},  {Element::kObject, "data"}};
  std::string value;
  // A `content` is the best value. This goes beyond the standard, but many pages write it.
  if (values_.attribute(node, "content", value)) return value;
  if (is_rdfa && values_.attribute(node, "resource", value)) return values_.absolute(value);
  for (const Place& place : kPlaces) {
    if (page_[node].is(place.element) && values_.attribute(node, place.attribute, value))
      return value;
  }
  // In microdata only some elements have such values: the number of a list's item is not its
  // content.
  const std::string_view name = page_.tag_name(node);
  const auto is = [name](std::string_view element) { return equals_ignore_case(name, element); };
  const bool has_value = is_rdfa || is("data") || is("meter") || is("input");
  const bool has_time = is_rdfa || is("time");
  if (has_time && values_.attribute(node, "datetime", value)) return value;
  if (has_value && values_.attribute(node, "value", value)) return value;
  return values_.text(node);
}

// Names of nested items grow, and a property with several names is read once for each: a page of a
// kilobyte with sixteen names, nested, would never end. So both names and values count towards the
// bound on the page's values.
void Structured::add_value(const std::string& name, std::string_view value, Item& item) {
  if (name.size() <= kMaxName && values_.spend(name.size() + value.size()))
    item.values.emplace_back(name, value);
}

void Structured::add_types(NodeId node, const Words& words, const std::string& prefix, Item& item) {
  std::string types;
  if (page_.attribute(node, words.type, types)) {
    for_each_word(types, [&](std::string_view type) {
      add_value(prefix + "type", short_name(without_prefix(type)), item);
    });
  }
  // A typed element of RDFa describes what it links to (RDFa Core 1.1, 7.5, steps 5 and 6).
  constexpr const char* kSubjects[] = {"about", "resource", "href", "src"};
  std::string id;
  if (!words.is_rdfa) {
    if (values_.attribute(node, "itemid", id)) add_value(prefix + "id", id, item);
    return;
  }
  for (const char* const subject : kSubjects) {
    if (values_.attribute(node, subject, id))
      return add_value(prefix + "id", values_.absolute(id), item);
  }
}

void Structured::add_property(NodeId node, const Words& words, const std::string& prefix, int depth,
                              Item& item) {
  std::string names;
  if (!page_.attribute(node, words.property, names)) return;
  const bool nested = has(node, words.scope);
  // If items refer to each other, none is read within itself.
  if (nested && std::find(open_.begin(), open_.end(), node) != open_.end()) return;
  std::string value;
  bool known = false;
  for_each_word(names, [&](std::string_view name) {
    const std::string key = prefix + key_of(without_prefix(name));
    if (nested) {
      if (depth >= kMaxNesting || key.size() > kMaxName) return;
      add_types(node, words, key + ".", item);
      add_properties(node, words, key + ".", depth + 1, item);
    } else {
      if (!known) value = property_value(node, words.is_rdfa);
      known = true;
      add_value(key, value, item);
    }
  });
}

// The properties of a nested item belong to that item, even if it is not a property itself.
void Structured::find_properties(NodeId within, const Words& words, std::vector<NodeId>& found) {
  bool skip = false;
  for (NodeId node = within; (node = page_.next(node, within, skip)) != 0;) {
    skip = false;
    if (!values_.spend(1)) return;
    if (!may_have(node)) continue;
    if (has(node, words.property)) found.push_back(node);
    skip = has(node, words.scope);
  }
}

void Structured::find_referenced(std::string_view ids, const Words& words,
                                 std::vector<NodeId>& found) {
  if (!ids_known_) {
    ids_known_ = true;
    std::string id;
    for (NodeId node = 0; (node = page_.next(node, 0)) != 0;) {
      if (may_have(node) && page_.attribute(node, "id", id)) ids_.emplace(id, node);
    }
  }
  for_each_word(ids, [&](std::string_view id) {
    const auto at = ids_.find(std::string(id));
    if (at == ids_.end() || !values_.spend(1)) return;
    if (has(at->second, words.property)) found.push_back(at->second);
    if (!has(at->second, words.scope)) find_properties(at->second, words, found);
  });
  // Each is taken once, in the order of the page (HTML, 5.2.5).
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

void Structured::add_properties(NodeId scope, const Words& words, const std::string& prefix,
                                int depth, Item& item) {
  std::vector<NodeId> found;
  find_properties(scope, words, found);
  std::string references;
  if (!words.is_rdfa && page_.attribute(scope, "itemref", references))
    find_referenced(references, words, found);
  open_.push_back(scope);
  for (const NodeId node : found) add_property(node, words, prefix, depth, item);
  open_.pop_back();
}

// Finds the prefixes that mean schema.org: a page may say prefix="s: https://schema.org/" and then
// write `s:name` (RDFa Core 1.1, 5). A prefix counts for the whole page, whatever element declares
// it.
void Structured::find_prefixes() {
  std::string mappings;
  for (NodeId node = 0; (node = page_.next(node, 0)) != 0;) {
    if (!may_have(node) || !page_.attribute(node, "prefix", mappings)) continue;
    std::string_view rest = mappings;
    for (int words = 0; words < kMaxWords && prefixes_.size() < kMaxPrefixes; ++words) {
      const std::string_view name = cut_word(rest);
      if (cut_word(rest).ends_with("schema.org/") && name.ends_with(':'))
        prefixes_.push_back(to_lower_copy(name));
    }
  }
}

std::string_view Structured::without_prefix(std::string_view name) const {
  const std::size_t colon = name.find(':');
  if (prefixes_.empty() || colon == name.npos) return name;
  const std::string prefix = to_lower_copy(name.substr(0, colon + 1));
  const bool known = std::find(prefixes_.begin(), prefixes_.end(), prefix) != prefixes_.end();
  return known && colon + 1 < name.size() ? name.substr(colon + 1) : name;
}

void Structured::scoped(const Words& words) {
  prefixes_.clear();
  if (words.is_rdfa && holds(page_.source(), "prefix")) find_prefixes();
  bool within = false;  // whether the node is in an item
  NodeId behind = 0;    // the first node behind that item
  for (NodeId node = 0; (node = page_.next(node, 0)) != 0;) {
    if (node == behind) within = false;
    if (!may_have(node) || !has(node, words.scope)) continue;
    // In RDFa a property outside of any other item is one of the page, but an item all the same.
    const bool outermost = !within;
    if (outermost) behind = page_.next(node, 0, true);
    within = true;
    if (has(node, words.property) && !(words.is_rdfa && outermost)) continue;
    Item item;
    add_types(node, words, "", item);
    add_properties(node, words, "", 0, item);
    if (!item.values.empty()) taker_.item(item);
  }
}

// --- tables ---

// Lays rows out in columns. A cell that spans several columns is in each of them, and is repeated
// in the rows that it spans, as long as the bound on the page's values allows.
class Grid {
 public:
  explicit Grid(PageValues& values) : values_(values) {}

  // Sets `out` to the texts of a row's columns; nullopt: the column is empty.
  void row(
      const std::vector<std::pair<std::string, std::pair<std::uint32_t, std::uint32_t>>>& cells,
      std::vector<std::optional<std::string>>& out) {
    out.clear();
    std::size_t at = 0;
    const auto again = [&](const std::string& text) -> std::optional<std::string> {
      if (!values_.spend(text.size() + kColumnCost)) return std::nullopt;
      return text;
    };
    const auto pass_spanned = [&] {
      for (; at < down_.size() && down_[at].rows > 0; ++at) {
        --down_[at].rows;
        out.push_back(again(down_[at].text));
      }
    };
    for (const auto& [text, spans] : cells) {
      pass_spanned();
      for (std::uint32_t i = 0; i < spans.first && at < kMaxColumns; ++i, ++at) {
        if (down_.size() <= at) down_.resize(at + 1);
        down_[at] = {spans.second - 1, spans.second > 1 ? text : std::string()};
        out.push_back(i == 0 ? text : again(text));
      }
    }
    // This goes on behind a gap, too, as the row may be too short.
    for (; at < down_.size() && values_.spend(1); ++at) {
      out.emplace_back();
      if (down_[at].rows == 0) continue;
      --down_[at].rows;
      out.back() = again(down_[at].text);
    }
    while (!down_.empty() && down_.back().rows == 0) down_.pop_back();
  }

  // No cell spans rows of the next <tbody>.
  void end_group() { down_.clear(); }

 private:
  struct Down {
    std::uint32_t rows = 0;
    std::string text;
  };
  PageValues& values_;
  std::vector<Down> down_;
};

// `none` is the meaning of 0.
std::uint32_t span_of(PageNodes& page, NodeId cell, std::string_view name, std::uint32_t none) {
  std::string value;
  if (!page.attribute(cell, name, value)) return 1;
  const std::string_view digits = trim(value);
  if (digits.empty() || !is_digit(digits.front())) return 1;
  std::uint32_t span = 0;
  for (const char c : digits) {
    if (!is_digit(c) || span > kMaxSpan) break;
    span = span * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return span == 0 ? none : std::min(span, kMaxSpan);
}

// These names are taken by the item's own fields.
std::string column_key(std::string_view name) {
  std::string key = key_of_name(name);
  if (key == "type" || key == "table" || key == "row") key.insert(0, "x-");
  return key;
}

void Structured::table(NodeId table, std::uint32_t number) {
  Grid grid(values_);
  std::vector<std::string> names;
  std::vector<std::optional<std::string>> columns;
  std::vector<std::pair<std::string, std::pair<std::uint32_t, std::uint32_t>>> cells;
  std::uint32_t rows = 0;
  NodeId group = table;  // that of the row before
  bool skip = false;
  for (NodeId node = table; (node = page_.next(node, table, skip && node != table)) != 0;) {
    skip = page_[node].is(Element::kTable);  // a table inside is a table by itself
    if (!page_[node].is(Element::kTr)) continue;
    skip = true;
    cells.clear();
    bool heads = true;
    for (NodeId cell = page_[node].first; cell != 0; cell = page_[cell].next) {
      const bool head = page_[cell].is(Element::kTh);
      if (!head && !page_[cell].is(Element::kTd)) continue;
      heads = heads && head;
      cells.emplace_back(values_.text(cell),
                         std::make_pair(span_of(page_, cell, "colspan", 1),
                                        span_of(page_, cell, "rowspan", UINT32_MAX)));
    }
    if (page_[node].parent != group) grid.end_group();
    group = page_[node].parent;
    grid.row(cells, columns);
    if (cells.empty()) continue;
    // A single cell that spans all columns is a caption.
    if (rows == 0 && names.empty() && heads && (cells.size() > 1 || cells[0].second.first == 1)) {
      for (const std::optional<std::string>& name : columns)
        names.push_back(!name || name->empty() ? "" : column_key(name->substr(0, 64)));
      continue;
    }
    Item item;
    item.values.emplace_back("type", "table");
    item.values.emplace_back("table", std::to_string(number));
    item.values.emplace_back("row", std::to_string(++rows));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i]) continue;
      const bool named = i < names.size() && !names[i].empty();
      item.values.emplace_back(named ? names[i] : "column" + std::to_string(i + 1),
                               std::move(*columns[i]));
    }
    taker_.item(item);
  }
}

void Structured::tables() {
  std::uint32_t number = 0;
  for (NodeId node = 0; (node = page_.next(node, 0)) != 0;) {
    if (page_[node].is(Element::kTable)) table(node, ++number);
  }
}

}  // namespace

void read_structured(PageNodes& page, PageValues& values, const ItemOptions& options,
                     ItemTaker& taker) {
  Structured structured(page, values, taker);
  if (options.json_ld && holds(page.source(), "ld+json")) structured.json_ld();
  if (options.microdata && holds(page.source(), "itemscope"))
    structured.scoped({"itemscope", "itemprop", "itemtype", false});
  if (options.rdfa && holds(page.source(), "typeof"))
    structured.scoped({"typeof", "property", "typeof", true});
  if (options.opengraph) structured.open_graph();
  if (options.tables) structured.tables();
}

}  // namespace spinneret::select
