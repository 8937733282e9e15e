// SPDX-License-Identifier: Apache-2.0
#include "io/json_key.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/json_text.h"
#include "base/number.h"

namespace spinneret {
namespace {

class KeyFinder {
 public:
  explicit KeyFinder(std::string_view line) : line_(line) {}

  JsonFind find(const JsonPath& path, JsonString& out) {
    skip_space();
    if (peek() != '{') return JsonFind::kMalformed;
    const JsonFind found = find_in_value(path, out);
    skip_space();
    return at_ == line_.size() ? found : JsonFind::kMalformed;
  }

 private:
  using Steps = std::span<const JsonStep>;

  // Reads a value to its end, and finds in it the value that `steps` lead to.
  JsonFind find_in_value(Steps steps, JsonString& out) {
    if (steps.empty()) return take_value(out);
    const bool enters = peek() == (steps.front().is_index ? '[' : '{');
    if (!enters) return skip_value() ? JsonFind::kMissing : JsonFind::kMalformed;
    return steps.front().is_index ? find_in_array(steps, out) : find_in_object(steps, out);
  }

  JsonFind find_in_object(Steps steps, JsonString& out) {
    ++at_;
    if (peek_past_space() == '}') return ++at_, JsonFind::kMissing;
    JsonFind found = JsonFind::kMissing;
    do {
      skip_space();
      const std::size_t begin = at_;
      if (!string(nullptr)) return JsonFind::kMalformed;
      const std::string_view name = line_.substr(begin, at_ - begin);
      if (!take(':')) return JsonFind::kMalformed;
      skip_space();
      if (!is_name(name, steps.front().key)) {
        if (!skip_value()) return JsonFind::kMalformed;
        continue;
      }
      found = find_in_value(steps.subspan(1), out);
      if (found == JsonFind::kMalformed) return found;
    } while (take(','));
    return take('}') ? found : JsonFind::kMalformed;
  }

  // Whether `quoted`, a string with its quotes, has the text `name`.
  static bool is_name(std::string_view quoted, std::string_view name) {
    const std::string_view inner = quoted.substr(1, quoted.size() - 2);
    if (inner.find('\\') == std::string_view::npos) return inner == name;
    std::string text;
    return KeyFinder(quoted).string(&text) && text == name;
  }

  JsonFind find_in_array(Steps steps, JsonString& out) {
    ++at_;
    if (peek_past_space() == ']') return ++at_, JsonFind::kMissing;
    JsonFind found = JsonFind::kMissing;
    std::size_t index = 0;
    do {
      skip_space();
      if (index++ != steps.front().index) {
        if (!skip_value()) return JsonFind::kMalformed;
        continue;
      }
      found = find_in_value(steps.subspan(1), out);
      if (found == JsonFind::kMalformed) return found;
    } while (take(','));
    return take(']') ? found : JsonFind::kMalformed;
  }

  JsonFind take_value(JsonString& out) {
    out.begin = at_;
    out.text.clear();
    const char first = peek();
    if (!(first == '"' ? string(&out.text) : skip_value())) return JsonFind::kMalformed;
    out.end = at_;
    if (first == '"') return JsonFind::kFound;
    return line_.substr(out.begin, out.end - out.begin) == "null" ? JsonFind::kNull
                                                                  : JsonFind::kNotString;
  }

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
  bool take(char mark) {
    skip_space();
    if (peek() != mark) return false;
    ++at_;
    return true;
  }

  // Reads a string with its quotes, and appends its text to `text` unless that is null.
  bool string(std::string* text) {
    if (peek() != '"') return false;
    ++at_;
    while (true) {
      const std::size_t stop = json_string_stop(line_, at_);
      if (stop == line_.size()) return false;
      if (text != nullptr) text->append(line_, at_, stop - at_);
      at_ = stop + 1;
      if (line_[stop] == '"') return true;
      if (!escape(text)) return false;
    }
  }

  // Reads the part of an escape that follows its backslash.
  bool escape(std::string* text) {
    std::string unread;
    const std::size_t taken =
        append_json_escape(text == nullptr ? unread : *text, line_.substr(at_));
    at_ += taken;
    return taken != 0;
  }

  // Skips any value. Inside nested values only strings and the depth matter.
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

Result<JsonPath> parse_json_path(std::string_view text) {
  constexpr std::size_t kMostSteps = 64;
  const Error bad{"a key is a name, or a path such as a.b[0].c or [\"a.b\"].c, not " +
                  excerpt(text)};
  JsonPath path;
  std::string_view rest = text;
  while (path.empty() || !rest.empty()) {
    if (path.size() == kMostSteps) return bad;
    JsonStep step;
    if (rest.starts_with("[\"")) {
      const std::size_t end = rest.find("\"]", 2);
      if (end == std::string_view::npos) return bad;
      step.key = rest.substr(2, end - 2);
      rest.remove_prefix(end + 2);
    } else if (rest.starts_with('[')) {
      const std::size_t end = rest.find(']');
      if (end == std::string_view::npos) return bad;
      const auto index = parse_unsigned(rest.substr(1, end - 1));
      if (!index || path.empty()) return bad;
      step.index = *index;
      step.is_index = true;
      rest.remove_prefix(end + 1);
    } else {
      if (!path.empty()) {
        if (!rest.starts_with('.')) return bad;
        rest.remove_prefix(1);
      }
      const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
      if (end == 0) return bad;
      step.key = rest.substr(0, end);
      rest.remove_prefix(end);
    }
    path.push_back(std::move(step));
  }
  return path;
}

JsonFind find_json_string(std::string_view line, const JsonPath& path, JsonString& out) {
  return KeyFinder(line).find(path, out);
}

}  // namespace spinneret
