// SPDX-License-Identifier: Apache-2.0
#include "html/css.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/scan.h"

namespace spinneret::html {
namespace {

bool is_name_byte(char c) { return is_alnum(c) || c == '-' || c == '_' || (c & 0x80) != 0; }

// Whether the scan stops at this byte; it passes over all others.
bool is_interesting(char c) {
  return c == '/' || c == '"' || c == '\'' || c == '@' || c == '(' || c == ')' || c == ';' ||
         c == '{' || c == '}' || c == '\\' || is_name_byte(c);
}

// The longest name of a function that gives URLs: -webkit-image-set.
constexpr std::size_t kLongestFunction = 17;

bool is_function(std::string_view name) {
  switch (name.size()) {
    case 3: return equals_ignore_case(name, "url") || equals_ignore_case(name, "src");
    case 9: return equals_ignore_case(name, "image-set");
    case kLongestFunction: return equals_ignore_case(name, "-webkit-image-set");
    default: return false;
  }
}

}  // namespace

bool CssUrls::next(std::string& url, Kind& kind) {
  while (!done()) {
    if (short_ways_ && rule_ == Rule::kOther && image_set_ == 0) skip_idle();
    if (!done() && take(url, kind)) return true;
  }
  return false;
}

// Passes over what changes nothing outside of image-set() and of the rules in which strings matter:
// names, numbers, blocks, and functions with other names. Stops where a comment, a string, an
// at-rule, an escaped name or a function with URLs begins.
void CssUrls::skip_idle() {
  const char* const begin = sheet_.data() + at_;
  const char* const end = sheet_.data() + sheet_.size();
  for (const char* at = begin;; ++at) {
    at = find_any(at, end, '/', '"', '\'', '@', '(', '\\');
    const char* name = at;
    if (at != end && *at == '/') {
      if (end - at < 2 || at[1] != '*') continue;
    } else if (at != end && (*at == '(' || *at == '\\')) {
      while (name != begin && is_name_byte(name[-1])) --name;
      if (*at == '(' && !is_function({name, static_cast<std::size_t>(at - name)})) continue;
    }
    at_ += static_cast<std::size_t>(name - begin);
    return;
  }
}

// Takes one step; returns true if it found a URL.
bool CssUrls::take(std::string& url, Kind& kind) {
  const char c = sheet_[at_];
  kind = rule_ == Rule::kImport ? Kind::kImport : Kind::kUrl;
  if (!is_interesting(c)) return ++at_, false;
  if (is_name_byte(c) || at_escape()) {
    if (!word(url)) return false;
    const bool muted = rule_ == Rule::kMute;
    if (rule_ == Rule::kImport) rule_ = Rule::kOther;
    return !muted;
  }
  switch (c) {
    case '/': skip_comment(); return false;
    case '@': at_keyword(); return false;
    case '\\': escape(nullptr); return false;
    case '(': ++depth_, ++at_; return false;
    case ')':
      if (depth_ == image_set_) image_set_ = 0;
      if (depth_ > 0) --depth_;
      ++at_;
      return false;
    case '"':
    case '\'': {
      offset_ = at_ + 1;
      const bool image = image_set_ != 0 && depth_ == image_set_ && rule_ == Rule::kOther;
      const bool wanted = rule_ == Rule::kImport || image;
      url.clear();
      if (!string(c, wanted ? &url : nullptr) || !wanted) return false;
      rule_ = Rule::kOther;
      return !url.empty();
    }
    default:  // ; { }
      rule_ = Rule::kOther;
      depth_ = image_set_ = 0;
      ++at_;
      return false;
  }
}

void CssUrls::skip_comment() {
  if (sheet_.substr(at_, 2) != "/*") {
    ++at_;
    return;
  }
  const std::size_t end = sheet_.find("*/", at_ + 2);
  at_ = end == std::string_view::npos ? sheet_.size() : end + 2;
}

void CssUrls::skip_space() {
  while (!done() && is_space(sheet_[at_])) ++at_;
}

// Whether a backslash stands here that no line's end follows (4.3.8).
bool CssUrls::at_escape() const {
  if (at_ + 1 >= sheet_.size() || sheet_[at_] != '\\') return false;
  const char c = sheet_[at_ + 1];
  return c != '\n' && c != '\r' && c != '\f';
}

// 4.3.11. Returns a view of the sheet if nothing is escaped.
std::string_view CssUrls::identifier() {
  const std::size_t begin = at_;
  const auto take_bytes = [this] {
    const std::size_t from = at_;
    while (!done() && is_name_byte(sheet_[at_])) ++at_;
    return sheet_.substr(from, at_ - from);
  };
  take_bytes();
  if (!at_escape()) return sheet_.substr(begin, at_ - begin);
  name_ = sheet_.substr(begin, at_ - begin);
  while (at_escape()) {
    escape(&name_);
    name_ += take_bytes();
  }
  return name_;
}

void CssUrls::at_keyword() {
  ++at_;
  const std::string_view name = identifier();
  if (equals_ignore_case(name, "import")) {
    rule_ = Rule::kImport;
  } else if (equals_ignore_case(name, "namespace") || equals_ignore_case(name, "charset")) {
    rule_ = Rule::kMute;
  }
}

// Reads a name; if it begins url(...) or image-set(...), reads the URL or notes the start of the
// set.
bool CssUrls::word(std::string& url) {
  const std::string_view name = identifier();
  if (done() || sheet_[at_] != '(') return false;
  if (!is_function(name)) return false;
  // An empty URL is no request (CSS Values 4, 4.5.1).
  if (name.size() == 3) return url_function(url) && !url.empty();
  image_set_ = depth_ + 1;
  return false;
}

// Reads what follows "url", from its parenthesis on (4.3.6).
bool CssUrls::url_function(std::string& url) {
  ++at_;
  skip_space();
  url.clear();
  offset_ = at_;
  if (done()) return false;
  const char quote = sheet_[at_];
  if (quote != '"' && quote != '\'') return bare_url(url);
  ++offset_;
  const bool whole = string(quote, &url);
  skip_space();
  if (!done() && sheet_[at_] == ')') ++at_;
  return whole;
}

bool CssUrls::bare_url(std::string& url) {
  while (!done()) {
    const char c = sheet_[at_];
    if (c == ')') return ++at_, true;
    if (c == '\\') {
      escape(&url);
      continue;
    }
    if (is_space(c)) {
      skip_space();
      if (done() || sheet_[at_] == ')') continue;
    }
    if (is_space(c) || c == '"' || c == '\'' || c == '(') return skip_bad_url(), false;
    take_run(&url, [](const char* at, const char* end) {
      return find_any(at, end, ')', '\\', '"', '\'', '(', ' ', '\n', '\t', '\r', '\f');
    });
  }
  return !url.empty();
}

// Takes the bytes from one that stands for itself to the next one that may not, which `find` finds.
template <typename Find>
void CssUrls::take_run(std::string* out, Find find) {
  const char* const begin = sheet_.data() + at_;
  const char* const end = sheet_.data() + sheet_.size();
  const char* const stop = short_ways_ ? find(begin + 1, end) : begin + 1;
  const auto size = static_cast<std::size_t>(stop - begin);
  if (out != nullptr) out->append(begin, size);
  at_ += size;
}

// 4.3.14.
void CssUrls::skip_bad_url() {
  while (!done() && sheet_[at_] != ')') {
    if (sheet_[at_] == '\\') {
      escape(nullptr);
    } else {
      ++at_;
    }
  }
  if (!done()) ++at_;
}

// 4.3.5. Returns false for a string that a line's end breaks off.
bool CssUrls::string(char quote, std::string* out) {
  ++at_;
  while (!done()) {
    const char c = sheet_[at_];
    if (c == quote) return ++at_, true;
    if (c == '\n' || c == '\r' || c == '\f') return false;
    if (c == '\\') {
      escape(out);
      continue;
    }
    take_run(out, [quote](const char* at, const char* end) {
      return find_any(at, end, quote, '\n', '\r', '\f', '\\');
    });
  }
  return true;
}

// Reads an escape, at its backslash (4.3.7).
void CssUrls::escape(std::string* out) {
  if (++at_ >= sheet_.size()) return;
  char32_t code = 0;
  std::size_t digits = 0;
  for (; digits < 6 && !done() && is_hex(sheet_[at_]); ++digits, ++at_) {
    code = code * 16 + static_cast<char32_t>(hex_value(sheet_[at_]));
  }
  if (digits == 0) {
    const char c = sheet_[at_++];
    if (c == '\r' && !done() && sheet_[at_] == '\n') ++at_;
    const bool line_end = c == '\n' || c == '\r' || c == '\f';
    if (!line_end && out != nullptr) *out += c;
    return;
  }
  if (!done() && is_space(sheet_[at_])) at_ += sheet_.substr(at_, 2) == "\r\n" ? 2 : 1;
  if (out != nullptr) append_utf8(*out, code == 0 ? 0xFFFD : code);
}

}  // namespace spinneret::html
