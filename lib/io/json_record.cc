// SPDX-License-Identifier: Apache-2.0
#include "io/json_record.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "io/json_key.h"
#include "io/json_tree.h"
#include "io/table.h"

namespace spinneret {
namespace {

using Kind = JsonTree::Kind;
using Nodes = std::vector<JsonTree::Node>;

// Visits the values inside an object or an array.
template <typename Take>
void for_each_within(const Nodes& nodes, std::size_t at, const Take& take) {
  for (std::size_t i = at + 1; i < nodes[at].next; i = nodes[i].next) take(i);
}

std::string inner_name(const std::string& outer, std::string_view name) {
  if (outer.empty()) return std::string(name);
  return std::string(outer).append(".").append(name);
}

bool read_tree(JsonTree& tree, std::string_view text, std::string& why) {
  if (tree.read(text, why)) return true;
  why.insert(0, "no JSON: ");
  return false;
}

}  // namespace

struct JsonRecordReader::Impl {
  // Names, as OUTER.INNER, and their values, in order.
  using Members = std::vector<std::pair<std::string, std::string>>;

  static constexpr std::size_t kNone = SIZE_MAX;

  // Adds every scalar of the value at `at`, in order; the tree bounds the depth. `met` is how many
  // steps of the URL's path have led here; kNone means that this value is off that path.
  void flatten(const std::string& name, std::size_t at, std::size_t met) {
    const Nodes& nodes = tree.nodes();
    const JsonTree::Node& node = nodes[at];
    const JsonStep* const step = met < url_path.size() ? &url_path[met] : nullptr;
    if (node.kind == Kind::kArray) {
      const bool counts = step != nullptr && step->is_index;
      std::size_t index = 0;
      for_each_within(nodes, at, [&](std::size_t i) {
        flatten(name, i, !counts ? met : index++ == step->index ? met + 1 : kNone);
      });
    } else if (node.kind == Kind::kObject) {
      std::size_t leads = kNone;  // the last member of that name
      for_each_within(nodes, at, [&](std::size_t i) {
        if (step != nullptr && !step->is_index && step->key == nodes[i].name) leads = i;
      });
      for_each_within(nodes, at, [&](std::size_t i) {
        flatten(inner_name(name, nodes[i].name), i, i == leads ? met + 1 : kNone);
      });
    } else if (node.kind != Kind::kNull) {
      if (url == kNone && met == url_path.size()) url = members.size();
      members.emplace_back(name, node.text);
    }
  }

  std::string url_key;
  JsonPath url_path;
  std::size_t url = kNone;  // index of the URL in members
  JsonTree tree;
  Members members;
};

JsonRecordReader::JsonRecordReader(std::string_view url_key) : impl_(std::make_unique<Impl>()) {
  impl_->url_key = url_key;
  Result<JsonPath> path = parse_json_path(url_key);
  impl_->url_path = path.ok() ? path.take() : JsonPath{{impl_->url_key, 0, false}};
}
JsonRecordReader::~JsonRecordReader() = default;

bool JsonRecordReader::read(std::string_view line, Record& record, std::string& why) {
  if (!read_tree(impl_->tree, line, why)) return false;
  if (impl_->tree.nodes()[0].kind != Kind::kObject) {
    why = "no JSON object";
    return false;
  }
  impl_->members.clear();
  impl_->url = Impl::kNone;
  impl_->flatten("", 0, 0);
  if (impl_->url == Impl::kNone) {
    why = "lacks the member \"" + impl_->url_key + "\"";
    return false;
  }
  const std::string& url = impl_->members[impl_->url].second;
  record.reset(url);
  const std::string* outcome = nullptr;
  for (const auto& [name, value] : impl_->members) {
    if (&value == &url) continue;
    if (name == "outcome") {
      outcome = &value;
      continue;
    }
    const std::string key = key_of_name(name);
    record.add(key == "url" ? "x-url" : key, value);
  }
  if (outcome != nullptr) record.set_outcome(*outcome);
  return true;
}

// --- leaves ---

namespace {

using TakeLeaf = std::function<void(std::span<const std::string_view>, std::string_view)>;

void give_leaves(const Nodes& nodes, std::size_t at, std::vector<std::string_view>& path,
                 const TakeLeaf& take) {
  const JsonTree::Node& node = nodes[at];
  if (node.kind == Kind::kArray) {
    for_each_within(nodes, at, [&](std::size_t i) { give_leaves(nodes, i, path, take); });
  } else if (node.kind == Kind::kObject) {
    for_each_within(nodes, at, [&](std::size_t i) {
      path.push_back(nodes[i].name);
      give_leaves(nodes, i, path, take);
      path.pop_back();
    });
  } else if (node.kind != Kind::kNull) {
    take(path, node.text);
  }
}

}  // namespace

bool read_json_leaves(std::string_view document, std::string& why, const TakeLeaf& take) {
  JsonTree tree;
  if (!read_tree(tree, document, why)) return false;
  std::vector<std::string_view> path;
  give_leaves(tree.nodes(), 0, path, take);
  return true;
}

}  // namespace spinneret
