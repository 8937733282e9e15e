// SPDX-License-Identifier: Apache-2.0
#include "io/json_key.h"

#if defined(__SSE2__) && !defined(SPINNERET_PORTABLE)
#include <emmintrin.h>
#define SPINNERET_JSON_SSE2 1
#endif

#include <cstdint>
#include <cstring>

#include "base/ascii.h"
#include "base/utf8.h"

namespace spinneret {
namespace {

class KeyFinder {
 public:
  explicit KeyFinder(std::string_view line) : line_(line) {}

  JsonFind find(std::string_view key, JsonString& out) {
    if (!take('{')) return JsonFind::kMalformed;
    if (peek_past_space() == '}') return ends() ? JsonFind::kMissing : JsonFind::kMalformed;
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
      return skip_members() ? JsonFind::kFound : JsonFind::kMalformed;
    } while (take(','));
    return ends() ? JsonFind::kMissing : JsonFind::kMalformed;
  }

 private:
  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  void skip_space() {
    while (at_ < line_.size() &&
           (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r' || line_[at_] == '\n')) {
      ++at_;
    }
  }
  char peek_past_space() {
    skip_space();
    return peek();
  }
  // The closing brace of the object, and nothing behind it.
  bool ends() {
    if (!take('}')) return false;
    skip_space();
    return at_ == line_.size();
  }
  // The members behind the one that was sought.
  bool skip_members() {
    while (take(',')) {
      skip_space();
      if (!string(nullptr) || !take(':')) return false;
      skip_space();
      if (!skip_value()) return false;
    }
    return ends();
  }
  bool take(char mark) {
    skip_space();
    if (peek() != mark) return false;
    ++at_;
    return true;
  }

  // Where the next quote or backslash is, or the end: 16 bytes at a step, as most of a line is text.
  std::size_t string_stop(std::size_t at) const {
    const char* const text = line_.data();
#ifdef SPINNERET_JSON_SSE2
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i slash = _mm_set1_epi8('\\');
    for (; line_.size() - at >= 16; at += 16) {
      __m128i bytes;
      std::memcpy(&bytes, text + at, sizeof bytes);
      const __m128i either =
          _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash));
      const auto found = static_cast<unsigned>(_mm_movemask_epi8(either));
      if (found != 0) return at + static_cast<std::size_t>(__builtin_ctz(found));
    }
#endif
    while (at < line_.size() && text[at] != '"' && text[at] != '\\') ++at;
    return at;
  }

  // A string with its quotes; its text is appended where that is wanted.
  bool string(std::string* text) {
    if (peek() != '"') return false;
    ++at_;
    while (true) {
      const std::size_t stop = string_stop(at_);
      if (stop == line_.size()) return false;
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
