// SPDX-License-Identifier: Apache-2.0
// URLs in what is not markup: JSON of known shapes, script strings, plain text.
#ifndef SPINNERET_HTML_GUESS_H_
#define SPINNERET_HTML_GUESS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::html {

// The string literals of JSON, or of a script: `text` becomes the next one, escapes undone, `key` the last
// string before it that a colon followed (JSON; empty otherwise). False at the end. Comments of scripts are
// passed over. Linear in the input; broken JSON gives what can be read.
class QuotedStrings {
 public:
  enum class Language : std::uint8_t { kJson, kScript };
  QuotedStrings(std::string_view source, Language language)
      : source_(source), language_(language) {}
  bool next(std::string& text, std::string& key);
  // The same without a look at what follows: keys, too, come as strings.
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

// JSON-LD: whether a string under this key is a URL of the page's world.
bool is_json_ld_url(std::string_view key, std::string_view text);
// An address in an import map.
bool is_import_address(std::string_view text);
// A script string that looks like a URL: absolute, scheme-relative with a dotted host, a path ("/a", "./m.js"), or a
// file's name ("page.html").
bool looks_like_url(std::string_view text);

// The next http(s) URL, or www. name, in plain text: without the punctuation that ends a sentence, and
// without a closing bracket that none within opens. `rest` goes on behind it.
bool next_text_url(std::string_view& rest, std::string_view& url);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_GUESS_H_
