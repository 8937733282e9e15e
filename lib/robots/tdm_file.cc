// SPDX-License-Identifier: Apache-2.0
#include "robots/tdm_file.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/json_text.h"
#include "robots/pattern.h"
#include "robots/wildcard.h"

namespace spinneret::robots {
namespace {

// Reads as much JSON as the file needs: values are strings, or kept as they are written.
class JsonText {
 public:
  explicit JsonText(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }
  std::uint32_t line() const { return line_; }

  // Returns the next byte that is not white space; 0 at the end.
  char peek() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || c == '\0') return false;
    ++at_;
    return true;
  }
  // Takes a string's bytes; returns false where there is no string, or it does not end.
  bool take_string(std::string& out) {
    out.clear();
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c == '\n') ++line_;
      if (c != '\\') {
        out += c;
      } else if (!take_escape(out)) {
        return false;
      }
    }
    return false;
  }
  // Skips a value of any kind. `word` is set to a number or name as it is written, and to "" for
  // all else.
  bool take_value(std::string_view& word) {
    word = {};
    std::string scratch;
    std::size_t depth = 0;
    do {
      const char c = peek();
      if (c == '\0') return false;
      if (c == '"') {
        if (!take_string(scratch)) return false;
      } else if (c == '[' || c == '{') {
        ++depth;
        ++at_;
      } else if (depth > 0 && (c == ']' || c == '}' || c == ',' || c == ':')) {
        if (c == ']' || c == '}') --depth;
        ++at_;
      } else {
        const std::size_t end = std::min(text_.find_first_of(",]}:\" \t\r\n", at_), text_.size());
        if (end == at_) return false;
        word = text_.substr(at_, end - at_);
        at_ = end;
      }
    } while (depth > 0);
    return true;
  }

 private:
  bool take_escape(std::string& out) {
    const std::size_t taken = append_json_escape(out, text_.substr(at_));
    at_ += taken;
    return taken != 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

class TdmReader {
 public:
  explicit TdmReader(std::string_view json) : json_(json) {}

  TdmFile read() {
    if (!json_.take('[')) {
      error("tdm-array", "is not an array of rules: the brackets are mandatory");
      if (json_.peek() == '{') take_rule();
      return std::move(out_);
    }
    while (json_.peek() == '{' && take_rule() && json_.take(',')) {
    }
    if (!json_.take(']')) {
      error("tdm-json", "is not JSON from here on: what follows was not read");
    } else if (json_.peek() != '\0') {
      error("tdm-json", "goes on after its array");
    }
    return std::move(out_);
  }

 private:
  void error(std::string_view code, std::string message, std::string_view bytes = {}) {
    out_.findings.push_back(
        {json_.line(), Severity::kError, code, std::move(message), std::string(bytes)});
  }

  // Returns false where the object is malformed.
  bool take_rule() {
    json_.take('{');
    TdmRule rule;
    rule.line = json_.line();
    reservation_.reset();
    if (!json_.take('}')) {
      do {
        if (!take_member(rule)) return false;
      } while (json_.take(','));
      if (!json_.take('}')) return false;
    }
    keep(std::move(rule));
    return true;
  }

  bool take_member(TdmRule& rule) {
    std::string name;
    if (!json_.take_string(name) || !json_.take(':')) return false;
    if ((name == "location" || name == "tdm-policy") && json_.peek() == '"') {
      return json_.take_string(name == "location" ? rule.location : rule.policy);
    }
    if (name == "tdm-reservation" && json_.peek() == '"') {
      std::string text;
      if (!json_.take_string(text)) return false;
      return take_reservation(text, true), true;
    }
    std::string_view word;
    if (!json_.take_value(word)) return false;
    if (name == "tdm-reservation") {
      take_reservation(word, false);
    } else if (name == "location" || name == "tdm-policy") {
      error("tdm-type", "is not a string", name);
    }
    return true;
  }

  void take_reservation(std::string_view word, bool quoted) {
    if (word != "0" && word != "1") {
      return error("tdm-reservation", "tdm-reservation is 0 or 1", word);
    }
    reservation_ = word == "1";
    if (quoted) error("tdm-reservation", "tdm-reservation is a number, without quotes", word);
  }

  void keep(TdmRule rule) {
    const auto tell = [&](std::string_view code, std::string message) {
      out_.findings.push_back({rule.line, Severity::kError, code, std::move(message), {}});
    };
    if (rule.location.empty()) return tell("tdm-location", "has no location: the rule is void");
    if (!reservation_) return tell("tdm-reservation", "has no tdm-reservation: the rule is void");
    rule.reserved = *reservation_;
    append_comparable_pattern(rule.pattern, rule.location, RobotsMode::kRfc);
    if (rule.location.front() != '/' && rule.location.front() != '*') {
      tell("tdm-location", "the location begins with no slash: it never matches");
    }
    out_.rules.push_back(std::move(rule));
  }

  JsonText json_;
  TdmFile out_;
  std::optional<bool> reservation_;
};

}  // namespace

const TdmRule* TdmFile::find(std::string_view path) const { return longest_match(rules, path); }

bool looks_like_json(std::string_view bytes) {
  const char first = JsonText(bytes).peek();
  return first == '[' || first == '{';
}

TdmFile read_tdm_file(std::string_view json) { return TdmReader(json).read(); }

}  // namespace spinneret::robots
