// SPDX-License-Identifier: Apache-2.0
#include "select/json_ld.h"

#include <algorithm>

#include "base/ascii.h"
#include "select/vocabulary.h"

namespace spinneret::select {

namespace {

using Kind = JsonTree::Kind;

constexpr std::size_t kMaxName = 256;
constexpr std::size_t kMinBytes = std::size_t{1} << 20;
constexpr std::size_t kValueCost = 16;  // of each value, even an empty one

// Returns the JSON of a script. Many pages wrap it like the scripts of XHTML, or have line ends
// within strings.
std::string json_of(std::string text) {
  constexpr std::size_t kAround = 8;
  constexpr std::string_view kBegin = "<![CDATA[";
  std::replace_if(
      text.begin(), text.end(), [](char c) { return is_control(c); }, ' ');
  const std::string_view plain = trim(text);
  // In a text that begins as JSON, such marks are in strings, unless they end it.
  const bool wrapped = !plain.starts_with('{') && !plain.starts_with('[');
  const std::size_t end = wrapped || plain.ends_with("]]>") ? text.rfind("]]>") : text.npos;
  if (end != std::string::npos && text.size() - end < 2 * kAround) text.resize(end);
  const std::size_t begin = wrapped ? text.find(kBegin) : text.npos;
  if (begin != std::string::npos && begin < 2 * kAround) text.erase(0, begin + kBegin.size());
  const std::size_t first = text.find_first_of("{[");
  const std::size_t last = text.find_last_of("}]");
  if (last != std::string::npos && text.size() - last <= kAround) text.resize(last + 1);
  if (first != std::string::npos && first <= kAround) text.erase(0, first);
  return std::string(trim(text));
}

bool only_wraps(std::string_view name) {
  return name == "@value" || name == "@list" || name == "@set" || name == "@nest";
}

std::string inner_name(const std::string& outer, std::string_view name) {
  if (only_wraps(name)) return outer;
  const std::string inner = name.starts_with('@') ? std::string(name.substr(1)) : short_name(name);
  return outer.empty() ? inner : outer + "." + inner;
}

}  // namespace

bool JsonLdReader::read(std::string script, std::string& why, const Take& take) {
  const std::string text = json_of(std::move(script));
  if (text.empty()) return true;
  if (!tree_.read(text, why)) {
    why.insert(0, "no JSON: ");
    return false;
  }
  left_ = std::max(kMinBytes, 4 * text.size());
  give(0, take);
  return true;
}

void JsonLdReader::give(std::size_t at, const Take& take) {
  const auto& nodes = tree_.nodes();
  std::size_t graph = 0;
  if (nodes[at].kind == Kind::kArray) {
    for (std::size_t i = at + 1; i < nodes[at].next; i = nodes[i].next) give(i, take);
  } else if (nodes[at].kind == Kind::kObject) {
    Item item;
    for (std::size_t i = at + 1; i < nodes[at].next; i = nodes[i].next) {
      if (nodes[i].name == "@graph")
        graph = i;
      else
        member("", i, item);
    }
    // The name of a graph alone says nothing about any object (JSON-LD 1.1, 4.9).
    const bool is_name = graph != 0 && item.values.size() == 1 && item.values[0].first == "id";
    if (!item.values.empty() && !is_name) take(item);
  }
  if (graph != 0) give(graph, take);
}

void JsonLdReader::member(const std::string& outer, std::size_t at, Item& item) {
  const std::string_view name = tree_.nodes()[at].name;
  if (name == "@context" || name.size() > kMaxName) return;
  flatten(inner_name(outer, name), at, name == "@type", item);
}

void JsonLdReader::flatten(const std::string& name, std::size_t at, bool is_type, Item& item) {
  if (name.size() > kMaxName) return;
  const auto& nodes = tree_.nodes();
  const JsonTree::Node& node = nodes[at];
  if (node.kind == Kind::kArray) {
    for (std::size_t i = at + 1; i < node.next; i = nodes[i].next) flatten(name, i, is_type, item);
  } else if (node.kind == Kind::kObject) {
    for (std::size_t i = at + 1; i < node.next; i = nodes[i].next) member(name, i, item);
  } else if (node.kind != Kind::kNull && !name.empty()) {
    const std::size_t bytes = name.size() + node.text.size() + kValueCost;
    if (bytes > left_) return;
    left_ -= bytes;
    item.values.emplace_back(key_of(name),
                             is_type ? short_name(node.text) : std::string(node.text));
  }
}

}  // namespace spinneret::select
