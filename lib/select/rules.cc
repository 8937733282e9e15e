// SPDX-License-Identifier: Apache-2.0
#include "select/rules.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "io/record.h"
#include "policy/pattern_set.h"

namespace spinneret::select {
namespace {

// Other fields that the record of an item has.
constexpr std::string_view kOurs[] = {"url", "item", "outcome", "match", "body", "columns"};

std::string_view take_word(std::string_view& rest) {
  rest = trim(rest);
  const auto end =
      static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), is_space) - rest.begin());
  const std::string_view word = rest.substr(0, end);
  rest = trim(rest.substr(end));
  return word;
}

}  // namespace

void split_attribute(std::string_view value, std::string_view& selector,
                     std::string_view& attribute) {
  std::size_t at = std::string_view::npos;
  char quote = 0;
  int brackets = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '(') {
      ++brackets;
    } else if (c == ']' || c == ')') {
      --brackets;
    } else if (c == '@' && brackets <= 0) {
      at = i;
    }
  }
  selector = trim(value.substr(0, at));
  attribute = at == std::string_view::npos ? std::string_view() : trim(value.substr(at + 1));
}

bool ItemRules::selectors(std::string_view text, const policy::Place& place, bool relative,
                          SelectorList& out) {
  SelectorError why;
  if (parse_selectors(text, out, why, relative)) return true;
  problem(place, "selector " + excerpt(text) + ", character " + std::to_string(why.at + 1) + ": " +
                     why.message);
  return false;
}

ItemRule& ItemRules::rule(const policy::Place& place) {
  if (!open_) {
    rules_.emplace_back();
    rules_.back().section = section_;
    rules_.back().path = path_;
    rules_.back().place = place;
    open_ = true;
  }
  return rules_.back();
}

void ItemRules::field(std::string_view name, std::string_view value, const policy::Place& place) {
  if (!is_field_key(name)) {
    // The form of the command line has '=' where a line of rules has a blank.
    const std::size_t equals = name.find('=');
    const bool joined = equals != std::string_view::npos && is_field_key(name.substr(0, equals));
    const std::string hint =
        joined ? ": write " + excerpt("field " + std::string(name.substr(0, equals)) + " " +
                                      std::string(name.substr(equals + 1)))
               : "";
    return problem(place, "name " + excerpt(name) +
                              " of a field is not of a-z, 0-9, '.' and '-', a letter first" + hint);
  }
  if (std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs))
    return problem(place,
                   "a field of an item cannot be named " + std::string(name) + ": that is ours");
  std::string_view selector;
  std::string_view attribute;
  split_attribute(value, selector, attribute);
  if (selector.empty() && attribute.empty())
    return problem(place, "field " + std::string(name) + " lacks a selector");
  if (attribute.empty() && !value.empty() && trim(value).back() == '@')
    return problem(place,
                   "field " + std::string(name) + ": \"@\" without the name of an attribute");
  ItemField out;
  out.name = name;
  out.selector = selector;
  out.attribute = to_lower_copy(attribute);
  out.place = place;
  const bool own = selector.empty() || selector == ":scope";
  if (!own && !selectors(selector, place, true, out.list)) return;
  rule(place).fields.push_back(std::move(out));
}

void ItemRules::add_field(std::string_view text, const policy::Place& place) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return problem(place, excerpt(text) + " is not NAME=SELECTOR[@ATTR]");
  field(text.substr(0, equals), text.substr(equals + 1), place);
}

void ItemRules::each(std::string_view selector, const policy::Place& place) {
  open_ = false;
  ItemRule& made = rule(place);
  made.each = selector;
  selectors(selector, place, false, made.each_list);
}

void ItemRules::path(std::string_view pattern, const policy::Place& place) {
  open_ = false;
  path_ = 0;
  if (pattern == "*") return;
  std::string why;
  auto compiled = policy::compile_pattern(pattern, &why);
  if (!compiled) return problem(place, "path " + excerpt(pattern) + ": " + why);
  paths_.push_back(std::move(compiled));
  path_ = static_cast<std::uint32_t>(paths_.size());
}

void ItemRules::section(std::string_view line, const policy::Place& place) {
  open_ = false;
  path_ = 0;
  std::vector<policy::Directive> directives;
  std::vector<policy::Problem> found;
  policy::read_directives(line, place.file, directives, found);
  for (const policy::Problem& bad : found) problem(place, bad.message);
  if (directives.empty()) return;
  section_ = 0;
  if (directives[0].arguments == std::vector<std::string>{"*"}) return;
  section_ = ++sections_;
  for (const std::string& host : directives[0].arguments) {
    policy::HostPattern pattern;
    std::string why;
    if (!policy::parse_host_pattern(host, pattern, &why)) {
      problem(place, excerpt(host) + ": " + why);
    } else {
      hosts_.add(pattern, section_);
    }
  }
}

void ItemRules::add_line(std::string_view line, const policy::Place& place) {
  line = trim(line);
  if (line.empty() || line.front() == '#') return;
  if (line.front() == '[') return section(line, place);
  std::string_view rest = line;
  const std::string_view word = take_word(rest);
  if (word == "field") {
    const std::string_view name = take_word(rest);
    field(name, rest, place);
  } else if (rest.empty()) {
    problem(place, excerpt(word) + " lacks what should follow it");
  } else if (word == "each") {
    each(rest, place);
  } else if (word == "type") {
    rule(place).type = rest;
  } else if (word == "path") {
    path(rest, place);
  } else {
    problem(place,
            "unknown directive " + excerpt(word) +
                ": a line begins with each, type, field (field NAME SELECTOR), path, [ or #");
  }
}

void ItemRules::add_text(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  section_ = path_ = 0;
  open_ = false;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    std::string_view line = cut(text, '\n');
    add_line(line, {file, number});
  }
}

void ItemRules::finish() {
  for (const ItemRule& rule : rules_) {
    if (rule.fields.empty())
      remarks_.push_back({rule.place, "a rule without fields finds nothing"});
    for (std::size_t i = 0; i < rule.fields.size(); ++i) {
      for (std::size_t j = 0; j < i && j < 64; ++j) {
        const ItemField& a = rule.fields[i];
        const ItemField& b = rule.fields[j];
        if (a.name == b.name && a.selector == b.selector && a.attribute == b.attribute)
          remarks_.push_back(
              {a.place, "the same field is in line " + std::to_string(b.place.line)});
      }
    }
  }
}

void ItemRules::find(const Url& url, std::vector<std::uint32_t>& out) const {
  std::vector<std::uint32_t> sections;
  if (sections_ != 0) hosts_.find(url.host(), sections);
  std::sort(sections.begin(), sections.end());
  // A path is matched once, however many rules stand under it.
  std::uint32_t asked = 0;
  bool matches = true;
  out.clear();
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    const ItemRule& rule = rules_[i];
    if (rule.section != 0 && !std::binary_search(sections.begin(), sections.end(), rule.section))
      continue;
    if (rule.path != asked) {
      asked = rule.path;
      matches = asked == 0 || paths_[asked - 1](url.path());
    }
    if (matches) out.push_back(i);
  }
}

}  // namespace spinneret::select
