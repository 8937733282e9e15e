// SPDX-License-Identifier: Apache-2.0
#include "html/guess.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/json_text.h"
#include "base/utf8.h"

namespace spinneret::html {
namespace {

bool is_absolute(std::string_view text) {
  return (starts_with_ignore_case(text, "http://") && text.size() > 7) ||
         (starts_with_ignore_case(text, "https://") && text.size() > 8);
}

bool is_url_byte(char c) {
  return is_alnum(c) || (c & 0x80) != 0 ||
         std::string_view("-._~:/?#[]@!$&'()*+,;=%").find(c) != std::string_view::npos;
}

// A path such as "/a/b.html": not a regular expression, a date or a lone slash.
bool is_path(std::string_view text) {
  return text.size() > 1 && text[0] == '/' &&
         (is_alnum(text[1]) || text[1] == '_' || text[1] == '~') &&
         std::any_of(text.begin(), text.end(), is_alpha);
}

}  // namespace

// Reads what follows a backslash: the escapes of JSON, and those that only scripts have.
void QuotedStrings::escape(std::string& out) {
  const std::string_view rest = source_.substr(at_);
  if (rest.empty()) return;
  if (const std::size_t taken = append_json_escape(out, rest); taken != 0) {
    at_ += taken;
    return;
  }
  ++at_;
  if (rest.front() == '\n') return;  // the line continues
  if (rest.front() != 'x') {
    out += rest.front();
    return;
  }
  char32_t code = 0;
  for (int i = 0; i < 2 && at_ < source_.size() && is_hex(source_[at_]); ++i, ++at_)
    code = code * 16 + static_cast<char32_t>(hex_value(source_[at_]));
  append_utf8(out, code);
}

// Reads a string from behind its opening quote. Returns false if a script's string does not end on
// its line.
bool QuotedStrings::read(char quote, std::string& out) {
  out.clear();
  offset_ = at_;
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == '\n' && language_ == Language::kScript && quote != '`') return false;
    ++at_;
    if (c == quote) return true;
    if (c == '\\') {
      escape(out);
    } else {
      out += c;
    }
  }
  return true;
}

// Skips a comment, from behind its first slash. A regular expression that begins like a comment is
// taken for one, up to the line's end.
void QuotedStrings::skip_comment() {
  const std::string_view rest = source_.substr(at_);
  std::size_t end = 0;
  if (rest.starts_with('/')) {
    end = std::min(rest.find('\n'), rest.size());
  } else if (rest.starts_with('*')) {
    const std::size_t close = rest.find("*/", 1);
    end = close == std::string_view::npos ? rest.size() : close + 2;
  }
  at_ += end;
}

bool QuotedStrings::next(std::string& text, std::string& key) {
  while (next_string(text)) {
    if (language_ == Language::kScript) return true;
    while (at_ < source_.size() && is_space(source_[at_])) ++at_;
    if (at_ >= source_.size() || source_[at_] != ':') return true;
    key = text;
  }
  return false;
}

bool QuotedStrings::next_string(std::string& text) {
  while (at_ < source_.size()) {
    const char c = source_[at_++];
    const bool script = language_ == Language::kScript;
    if (script && c == '/') {
      skip_comment();
      continue;
    }
    if (c != '"' && !(script && (c == '\'' || c == '`'))) continue;
    if (read(c, text)) return true;
  }
  return false;
}

// Properties of schema.org, and of JSON-LD itself, whose values are URLs. A relative URL counts
// only as a value of these, and only if it looks like a path: not a word, a template, or the name
// of a node of the same document.
bool is_json_ld_url(std::string_view key, std::string_view text) {
  if (key == "@context" || key == "@type" || key == "@vocab" || key == "additionalType")
    return false;
  if (key == "description" || key == "text" || key == "articleBody" || key == "name") return false;
  // A template (RFC 6570), which schema.org has for the target of a SearchAction.
  if (key == "urlTemplate" || text.find('{') != std::string_view::npos) return false;
  if (std::any_of(text.begin(), text.end(), is_space)) return false;
  if (is_absolute(text)) return true;
  for (const std::string_view known :
       {"url",         "contentUrl", "thumbnailUrl",     "embedUrl",
        "image",       "logo",       "sameAs",           "@id",
        "item",        "target",     "mainEntityOfPage", "discussionUrl",
        "downloadUrl", "installUrl", "codeRepository",   "photo",
        "screenshot",  "hasMap",     "relatedLink",      "significantLink",
        "isBasedOn",   "menu",       "license"}) {
    if (key != known) continue;
    return text.find_first_of("./?") != std::string_view::npos &&
           text.find_first_of(":}") == std::string_view::npos && !text.starts_with('#');
  }
  return false;
}

bool is_import_address(std::string_view text) {
  return is_absolute(text) || text.starts_with('/') || text.starts_with("./") ||
         text.starts_with("../");
}

namespace {

// Whether the text is a name with an extension that is common on the Web, perhaps behind folders:
// "page.html", "img/a.png?x".
bool is_file_name(std::string_view text) {
  text = text.substr(0, text.find_first_of("?#"));
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || !is_alnum(text.front())) return false;
  if (text.find_first_of(":()*+,;=!'$&@[]%") != std::string_view::npos) return false;
  const std::string_view extension = text.substr(dot + 1);
  for (const std::string_view known :
       {"html", "htm",  "xhtml", "shtml", "php", "asp", "aspx", "jsp", "do",   "cgi",  "js",
        "mjs",  "css",  "json",  "xml",   "rss", "pdf", "txt",  "png", "jpg",  "jpeg", "gif",
        "webp", "avif", "svg",   "ico",   "mp4", "mp3", "webm", "zip", "woff", "woff2"}) {
    if (equals_ignore_case(extension, known)) return true;
  }
  return false;
}

bool is_relative_path(std::string_view text) {
  for (const std::string_view start : {"../", "./"}) {
    if (text.starts_with(start)) return text.size() > start.size() && is_alnum(text[start.size()]);
  }
  return false;
}

}  // namespace

bool looks_like_url(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_url_byte)) return false;
  if (is_absolute(text)) return true;
  if (text.starts_with("//")) {
    const std::string_view host = text.substr(2, text.find('/', 2) - 2);
    return host.find('.') != std::string_view::npos && host.size() > 3 && is_alnum(host.front());
  }
  return is_path(text) || is_relative_path(text) || is_file_name(text);
}

namespace {

// Returns where a URL's marker ("http://", "https://", "www.") begins at or behind `at`, and sets
// its length; npos if there is none.
std::size_t find_marker(std::string_view text, std::size_t at, std::size_t& size) {
  for (; at < text.size(); ++at) {
    if (text[at] == 'w' && text.substr(at, 4) == "www." && (at == 0 || !is_alnum(text[at - 1]))) {
      size = 4;
      return at;
    }
    if (text[at] != ':' || text.substr(at, 3) != "://") continue;
    const std::string_view before = text.substr(0, at);
    for (const std::size_t scheme : {5u, 4u}) {
      if (before.size() < scheme) continue;
      if (!equals_ignore_case(before.substr(at - scheme),
                              std::string_view("https").substr(0, scheme)))
        continue;
      size = scheme + 3;
      return at - scheme;
    }
  }
  return std::string_view::npos;
}

// Returns the URL without what belongs to the sentence around it.
std::string_view without_punctuation(std::string_view url) {
  auto round = std::count(url.begin(), url.end(), '(') - std::count(url.begin(), url.end(), ')');
  auto square = std::count(url.begin(), url.end(), '[') - std::count(url.begin(), url.end(), ']');
  while (!url.empty()) {
    const char last = url.back();
    if (last == ')' && round < 0) {
      ++round;
    } else if (last == ']' && square < 0) {
      ++square;
    } else if (std::string_view(".,;:!?'*_").find(last) == std::string_view::npos) {
      break;
    }
    url.remove_suffix(1);
  }
  return url;
}

}  // namespace

bool next_text_url(std::string_view& rest, std::string_view& url) {
  std::size_t at = 0;
  std::size_t marker = 0;
  while ((at = find_marker(rest, at, marker)) != std::string_view::npos) {
    const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(at);
    const auto stop = std::find_if_not(begin, rest.end(), is_url_byte);
    const auto whole = rest.substr(at, static_cast<std::size_t>(stop - begin));
    url = without_punctuation(whole);
    at += whole.size();
    if (url.size() <= marker) continue;
    rest.remove_prefix(at);
    return true;
  }
  rest = {};
  return false;
}

}  // namespace spinneret::html
