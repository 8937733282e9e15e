// SPDX-License-Identifier: Apache-2.0
#include "io/json_record.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "io/json_key.h"
#include "io/table.h"

namespace spinneret {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::size_t kMaxDepth = 64;  // of objects and arrays within each other

template <typename Number>
std::string decimal(Number number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return std::string(digits, end);
}

template <typename Value>
Value value_of(const element& from) {
  Value value{};
  // The type has been asked for: it is that.
  if (from.get(value) != simdjson::SUCCESS) return Value{};
  return value;
}

std::string scalar_text(const element& value) {
  switch (value.type()) {
    case element_type::STRING: return std::string(value_of<std::string_view>(value));
    case element_type::INT64: return decimal(value_of<std::int64_t>(value));
    case element_type::UINT64: return decimal(value_of<std::uint64_t>(value));
    case element_type::DOUBLE: return decimal(value_of<double>(value));
    default: return value_of<bool>(value) ? "true" : "false";
  }
}

// Sets the depth, and the bytes that may come.
bool prepare(simdjson::dom::parser& parser) {
  return parser.max_depth() == kMaxDepth || parser.allocate(0, kMaxDepth) == simdjson::SUCCESS;
}

}  // namespace

struct JsonRecordReader::Impl {
  using Members = JsonMembers;

  static constexpr std::size_t kNone = SIZE_MAX;

  // Every scalar below `value`, in order. The parser has bounded the depth. `met`: how many steps of the URL's path have
  // led here; kNone: another way has.
  void flatten(const std::string& name, const element& value, std::size_t met) {
    const JsonStep* const step = met < url_path.size() ? &url_path[met] : nullptr;
    if (value.type() == element_type::ARRAY) {
      const auto items = value_of<simdjson::dom::array>(value);
      const bool counts = step != nullptr && step->is_index;
      std::size_t index = 0;
      for (const element item : items)
        flatten(name, item, !counts ? met : index++ == step->index ? met + 1 : kNone);
    } else if (value.type() == element_type::OBJECT) {
      const auto fields = value_of<simdjson::dom::object>(value);
      for (const auto [key, item] : fields) {
        const bool leads = step != nullptr && !step->is_index && step->key == key;
        flatten(name.empty() ? std::string(key) : name + "." + std::string(key), item,
                leads ? met + 1 : kNone);
      }
    } else if (value.type() != element_type::NULL_VALUE) {
      if (url == kNone && met == url_path.size()) url = members.size();
      members.emplace_back(name, scalar_text(value));
    }
  }

  std::string url_key;
  JsonPath url_path;
  std::size_t url = kNone;  // which of the members it is
  simdjson::dom::parser parser;
  Members members;
};

JsonRecordReader::JsonRecordReader(std::string_view url_key) : impl_(std::make_unique<Impl>()) {
  impl_->url_key = url_key;
  Result<JsonPath> path = parse_json_path(url_key);
  impl_->url_path = path.ok() ? path.take() : JsonPath{{impl_->url_key, 0, false}};
}
JsonRecordReader::~JsonRecordReader() = default;

bool JsonRecordReader::read(std::string_view line, Record& record, std::string& why) {
  if (!prepare(impl_->parser)) {
    why = "no memory";
    return false;
  }
  element root;
  if (const auto error = impl_->parser.parse(line.data(), line.size()).get(root)) {
    why = std::string("no JSON: ") + simdjson::error_message(error);
    return false;
  }
  if (root.type() != element_type::OBJECT) {
    why = "no JSON object";
    return false;
  }
  impl_->members.clear();
  impl_->url = Impl::kNone;
  impl_->flatten("", root, 0);
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

// --- items ---

struct JsonItemReader::Impl {
  static constexpr std::size_t kMaxName = 256;
  static constexpr std::size_t kMinBytes = std::size_t{1} << 20;

  void flatten(const std::string& name, const element& value) {
    if (name.size() > kMaxName) return;
    if (value.type() == element_type::ARRAY) {
      for (const element item : value_of<simdjson::dom::array>(value)) flatten(name, item);
    } else if (value.type() == element_type::OBJECT) {
      for (const auto [key, item] : value_of<simdjson::dom::object>(value)) {
        if (key.size() > kMaxName) continue;
        flatten(name.empty() ? std::string(key) : name + "." + std::string(key), item);
      }
    } else if (value.type() != element_type::NULL_VALUE) {
      std::string text = scalar_text(value);
      const std::size_t bytes = name.size() + text.size() + 16;
      if (bytes > left) return;
      left -= bytes;
      members.emplace_back(name, std::move(text));
    }
  }

  void give(const element& value, bool graph, const std::function<void(const JsonMembers&)>& take) {
    if (value.type() == element_type::ARRAY) {
      for (const element item : value_of<simdjson::dom::array>(value)) give(item, graph, take);
    } else if (value.type() == element_type::OBJECT) {
      element inner;
      if (graph && value["@graph"].get(inner) == simdjson::SUCCESS) return give(inner, false, take);
      members.clear();
      flatten("", value);
      if (!members.empty()) take(members);
    }
  }

  simdjson::dom::parser parser;
  JsonMembers members;
  std::size_t left = 0;
};

JsonItemReader::JsonItemReader() : impl_(std::make_unique<Impl>()) {}
JsonItemReader::~JsonItemReader() = default;

bool JsonItemReader::read(std::string_view document, std::string& why,
                          const std::function<void(const JsonMembers&)>& take) {
  if (!prepare(impl_->parser)) {
    why = "no memory";
    return false;
  }
  element root;
  if (const auto error = impl_->parser.parse(document.data(), document.size()).get(root)) {
    why = std::string("no JSON: ") + simdjson::error_message(error);
    return false;
  }
  impl_->left = std::max(Impl::kMinBytes, 4 * document.size());
  impl_->give(root, true, take);
  return true;
}

// --- leaves ---

namespace {

using TakeLeaf = std::function<void(std::span<const std::string_view>, std::string_view)>;

// The parser has bounded the depth.
void give_leaves(const element& value, std::vector<std::string_view>& path, const TakeLeaf& take) {
  if (value.type() == element_type::ARRAY) {
    for (const element item : value_of<simdjson::dom::array>(value)) give_leaves(item, path, take);
  } else if (value.type() == element_type::OBJECT) {
    for (const auto [key, item] : value_of<simdjson::dom::object>(value)) {
      path.push_back(key);
      give_leaves(item, path, take);
      path.pop_back();
    }
  } else if (value.type() != element_type::NULL_VALUE) {
    take(path, scalar_text(value));
  }
}

}  // namespace

bool read_json_leaves(std::string_view document, std::string& why, const TakeLeaf& take) {
  simdjson::dom::parser parser;
  if (!prepare(parser)) {
    why = "no memory";
    return false;
  }
  element root;
  if (const auto error = parser.parse(document.data(), document.size()).get(root)) {
    why = std::string("no JSON: ") + simdjson::error_message(error);
    return false;
  }
  std::vector<std::string_view> path;
  give_leaves(root, path, take);
  return true;
}

}  // namespace spinneret
