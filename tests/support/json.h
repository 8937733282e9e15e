// SPDX-License-Identifier: Apache-2.0
// A small JSON reader for tests: the whole text into a tree of values.
//
//   Json cases = Json::parse(text);                 // kInvalid where the text is no JSON
//   for (const Json& c : cases.items()) use(c["input"].text(), c["failure"].truth());
//
// Strings are UTF-8. A lone surrogate escape becomes U+FFFD, as where a URL is a scalar value
// string. A key that is missing gives a null value.
#ifndef SPINNERET_TESTS_SUPPORT_JSON_H_
#define SPINNERET_TESTS_SUPPORT_JSON_H_

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace spinneret {

class Json {
 public:
  enum class Type { kNull, kBool, kNumber, kString, kArray, kObject, kInvalid };

  static Json parse(std::string_view text);

  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::kNull; }
  bool is_string() const { return type_ == Type::kString; }
  bool is_object() const { return type_ == Type::kObject; }
  bool is_array() const { return type_ == Type::kArray; }
  bool valid() const { return type_ != Type::kInvalid; }

  bool truth() const { return truth_; }
  double number() const { return number_; }
  std::int64_t integer() const { return static_cast<std::int64_t>(number_); }
  const std::string& text() const { return text_; }
  // Elements of an array.
  const std::vector<Json>& items() const { return items_; }
  // Members of an object, in the text's order.
  const std::vector<std::pair<std::string, Json>>& members() const { return members_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Json& operator[](std::string_view key) const {
    static const Json null;
    const Json* const found = find(key);
    return found != nullptr ? *found : null;
  }

 private:
  class Reader;
  const Json* find(std::string_view key) const {
    for (const auto& [name, value] : members_) {
      if (name == key) return &value;
    }
    return nullptr;
  }

  Type type_ = Type::kNull;
  bool truth_ = false;
  double number_ = 0;
  std::string text_;
  std::vector<Json> items_;
  std::vector<std::pair<std::string, Json>> members_;
};

class Json::Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool document(Json& out) {
    if (!value(out, 0)) return false;
    skip_space();
    return rest_.empty();
  }

 private:
  static constexpr int kMaxDepth = 200;

  void skip_space() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_.front()) != rest_.npos) {
      rest_.remove_prefix(1);
    }
  }
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool take_mark(char mark) {
    skip_space();
    return take({&mark, 1});
  }

  bool value(Json& out, int depth) {
    skip_space();
    if (rest_.empty() || depth > kMaxDepth) return false;
    switch (rest_.front()) {
      case '{': return object(out, depth);
      case '[': return array(out, depth);
      case '"': out.type_ = Type::kString; return string(out.text_);
      default: return literal(out);
    }
  }

  bool literal(Json& out) {
    if (take("null")) return true;
    out.type_ = Type::kBool;
    if (take("false")) return true;
    if (take("true")) return out.truth_ = true;
    out.type_ = Type::kNumber;
    const std::size_t end = std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
    if (end == 0) return false;
    const std::string digits(rest_.substr(0, end));
    char* stop = nullptr;
    out.number_ = std::strtod(digits.c_str(), &stop);
    rest_.remove_prefix(end);
    return *stop == '\0';
  }

  bool array(Json& out, int depth) {
    out.type_ = Type::kArray;
    take("[");
    if (take_mark(']')) return true;
    do {
      if (!value(out.items_.emplace_back(), depth + 1)) return false;
    } while (take_mark(','));
    return take_mark(']');
  }

  bool object(Json& out, int depth) {
    out.type_ = Type::kObject;
    take("{");
    if (take_mark('}')) return true;
    do {
      skip_space();
      auto& [name, member] = out.members_.emplace_back();
      if (!string(name) || !take_mark(':') || !value(member, depth + 1)) return false;
    } while (take_mark(','));
    return take_mark('}');
  }

  bool string(std::string& out) {
    if (!take("\"")) return false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (c != '\\') {
        out += c;
      } else if (!escape(out)) {
        return false;
      }
    }
    return false;
  }

  bool escape(std::string& out) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kBytes = "\"\\/\b\f\n\r\t";
    if (const std::size_t at = kNames.find(c); at != std::string_view::npos) {
      out += kBytes[at];
      return true;
    }
    std::uint32_t unit = 0;
    if (c != 'u' || !hex4(unit)) return false;
    append_utf8(out, with_low_half(unit));
    return true;
  }

  bool hex4(std::uint32_t& unit) {
    if (rest_.size() < 4) return false;
    const std::string digits(rest_.substr(0, 4));
    rest_.remove_prefix(4);
    char* stop = nullptr;
    unit = static_cast<std::uint32_t>(std::strtoul(digits.c_str(), &stop, 16));
    return *stop == '\0';
  }

  // Returns the code point of a surrogate pair, or U+FFFD for half of one.
  std::uint32_t with_low_half(std::uint32_t unit) {
    if (unit < 0xD800 || unit > 0xDFFF) return unit;
    const std::string_view before = rest_;
    std::uint32_t low = 0;
    if (unit < 0xDC00 && take("\\u") && hex4(low) && low >= 0xDC00 && low <= 0xDFFF) {
      return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    rest_ = before;
    return 0xFFFD;
  }

  std::string_view rest_;
};

inline Json Json::parse(std::string_view text) {
  Json out;
  if (Reader(text).document(out)) return out;
  Json invalid;
  invalid.type_ = Type::kInvalid;
  return invalid;
}

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_JSON_H_
