// SPDX-License-Identifier: Apache-2.0
// Finds URLs outside of markup: in JSON of known shapes, in strings of scripts, and in plain text.
#ifndef SPINNERET_HTML_GUESS_H_
#define SPINNERET_HTML_GUESS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::html {

// Gives the string literals of JSON or a script. `text` becomes the next string with its escapes undone, and `key`
// the last string before it that was followed by a colon (JSON; otherwise empty). Returns false at the end. Comments
// of scripts are skipped. Takes linear time; broken JSON gives whatever can be read.
class QuotedStrings {
 public:
  enum class Language : std::uint8_t { kJson, kScript };
  QuotedStrings(std::string_view source, Language language)
      : source_(source), language_(language) {}
  bool next(std::string& text, std::string& key);
  // The same without looking at what follows, so that keys come as strings, too.
  bool next_string(std::string& text);
  std::size_t offset() const { return offset_; }  // of the string, behind its quote
  std::size_t end() const { return at_; }         // behind it

 private:
  bool read(char quote, std::string& out);
  void escape(std::string& out);
  void skip_comment();

  std::string_view source_;
  Language language_;
  std::size_t at_ = 0;
  std::size_t offset_ = 0;
};

// Whether a string under this key of JSON-LD is a URL of a page or resource.
bool is_json_ld_url(std::string_view key, std::string_view text);
// Whether it is an address in an import map.
bool is_import_address(std::string_view text);
// Whether a string of a script looks like a URL: absolute, scheme-relative with a dotted host, a path ("/a",
// "./m.js"), or the name of a file ("page.html").
bool looks_like_url(std::string_view text);

// Finds the next http(s) URL, or name that begins with www., in plain text, without punctuation that ends a sentence,
// and without a closing bracket that no bracket inside opens. `rest` continues behind it.
bool next_text_url(std::string_view& rest, std::string_view& url);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_GUESS_H_
