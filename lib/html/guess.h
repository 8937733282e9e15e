// SPDX-License-Identifier: Apache-2.0
// Finds URLs outside of markup: in JSON of known shapes, in strings of scripts, and in plain text.
#ifndef SPINNERET_HTML_GUESS_H_
#define SPINNERET_HTML_GUESS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::html {

// Gives the string literals of JSON or a script. `text` becomes the next string with its escapes
// undone; `key` becomes the last string before it that was followed by a colon (in JSON; otherwise
// empty). Returns false at the end. Comments of scripts are skipped. Takes linear time; broken JSON
// gives whatever can be read.
class QuotedStrings {
 public:
  enum class Language : std::uint8_t { kJson, kScript };
  QuotedStrings(std::string_view source, Language language)
      : source_(source), language_(language) {}
  bool next(std::string& text, std::string& key);
  // Does the same without looking at what follows a string, so that keys are given as strings, too.
  bool next_string(std::string& text);
  std::size_t offset() const { return offset_; }  // where the string begins, behind its quote
  std::size_t end() const { return at_; }         // where reading continues, behind the string

 private:
  bool read(char quote, std::string& out);
  void escape(std::string& out);
  void skip_comment();

  std::string_view source_;
  Language language_;
  std::size_t at_ = 0;
  std::size_t offset_ = 0;
};

// Whether a string under this key of JSON-LD is the URL of a page or resource.
bool is_json_ld_url(std::string_view key, std::string_view text);
// Whether a string of an import map is an address.
bool is_import_address(std::string_view text);
// Whether a string of a script looks like a URL: absolute, scheme-relative with a dotted host, a
// path ("/a", "./m.js"), or the name of a file ("page.html").
bool looks_like_url(std::string_view text);

// Finds the next http(s) URL, or name that begins with www., in plain text. Punctuation that ends a
// sentence, and a closing bracket that no bracket inside opens, are not part of it. `rest`
// continues behind it.
bool next_text_url(std::string_view& rest, std::string_view& url);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_GUESS_H_
