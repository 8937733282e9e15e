// SPDX-License-Identifier: Apache-2.0
#include "io/json_key.h"

#include <cstdint>

#include "base/ascii.h"
#include "base/utf8.h"

namespace spinneret {
namespace {

class KeyFinder {
 public:
  explicit KeyFinder(std::string_view line) : line_(line) {}

  JsonFind find(std::string_view key, JsonString& out) {
    if (!take('{')) return JsonFind::kMalformed;
    if (take('}')) return JsonFind::kMissing;
    std::string name;
    do {
      skip_space();
      name.clear();
      if (!string(&name) || !take(':')) return JsonFind::kMalformed;
      skip_space();
      if (name != key) {
        if (!skip_value()) return JsonFind::kMalformed;
        continue;
      }
      if (peek() != '"') return JsonFind::kNotString;
      out.begin = at_;
      out.text.clear();
      if (!string(&out.text)) return JsonFind::kMalformed;
      out.end = at_;
      return JsonFind::kFound;
    } while (take(','));
    return take('}') ? JsonFind::kMissing : JsonFind::kMalformed;
  }

 private:
  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  void skip_space() {
    while (at_ < line_.size() &&
           (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r' || line_[at_] == '\n')) {
      ++at_;
    }
  }
  bool take(char mark) {
    skip_space();
    if (peek() != mark) return false;
    ++at_;
    return true;
  }

  // A string with its quotes; its text is appended where that is wanted.
  bool string(std::string* text) {
    if (peek() != '"') return false;
    ++at_;
    while (true) {
      const std::size_t stop = line_.find_first_of("\"\\", at_);
      if (stop == std::string_view::npos) return false;
      if (text != nullptr) text->append(line_, at_, stop - at_);
      at_ = stop + 1;
      if (line_[stop] == '"') return true;
      if (!escape(text)) return false;
    }
  }

  // What follows a backslash.
  bool escape(std::string* text) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kBytes = "\"\\/\b\f\n\r\t";
    if (at_ == line_.size()) return false;
    const char c = line_[at_++];
    if (const std::size_t known = kNames.find(c); known != std::string_view::npos) {
      if (text != nullptr) *text += kBytes[known];
      return true;
    }
    std::uint32_t unit = 0;
    if (c != 'u' || !hex4(unit)) return false;
    if (text != nullptr) append_utf8(*text, code_point(unit));
    return true;
  }

  bool hex4(std::uint32_t& unit) {
    unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ == line_.size() || !is_hex(line_[at_])) return false;
      unit = unit * 16 + static_cast<std::uint32_t>(hex_value(line_[at_]));
    }
    return true;
  }

  std::uint32_t code_point(std::uint32_t unit) {
    if (unit < 0xD800 || unit > 0xDFFF) return unit;
    const std::size_t before = at_;
    std::uint32_t low = 0;
    if (unit < 0xDC00 && line_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      if (hex4(low) && low >= 0xDC00 && low <= 0xDFFF) {
        return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
      }
    }
    at_ = before;
    return 0xFFFD;
  }

  // Any value; of what is nested only strings and the depth matter.
  bool skip_value() {
    std::size_t depth = 0;
    do {
      skip_space();
      const char c = peek();
      if (c == '"') {
        if (!string(nullptr)) return false;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return false;
        --depth;
        ++at_;
      } else if ((c == ',' || c == ':') && depth > 0) {
        ++at_;
      } else {
        const std::size_t begin = at_;
        while (is_alnum(peek()) || peek() == '+' || peek() == '-' || peek() == '.') ++at_;
        if (at_ == begin) return false;
      }
    } while (depth > 0);
    return true;
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace

JsonFind find_json_string(std::string_view line, std::string_view key, JsonString& out) {
  return KeyFinder(line).find(key, out);
}

}  // namespace spinneret
