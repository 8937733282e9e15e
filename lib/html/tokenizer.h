// SPDX-License-Identifier: Apache-2.0
// The tokenizer of the HTML standard (13.2.5) over bytes of any ASCII-compatible encoding: tokens
// as views into the input, nothing decoded, nothing copied.
//
//   Tokenizer tokenizer;
//   tokenizer.set_input(page, /*last=*/true);
//   Token token;
//   while (tokenizer.next(token) != TokenType::kEnd) {
//     if (token.type == TokenType::kStartTag && token.element == Element::kTitle) {
//       tokenizer.set_text_mode(TextMode::kRcdata, "title");      // the tree construction's part
//     }
//   }
//
// The tokens are exactly those of the standard, with three differences:
// - A run of characters comes in one piece or several, and an empty piece may come where the
//   standard has none.
// - Values are raw (append_decoded() undoes references, newlines and NUL).
// - All duplicates of an attribute are given (the first counts).
//
// Input may come in pieces. With last=false a token that touches the end of the input is not given:
// next() returns kMore and leaves position() at the token's start. Call set_input() again with the
// bytes from position() on and more bytes. To stay linear, wait until this rest has doubled before
// the next try.
//
// Cost: 0.3 to 1 ns a byte, linear on every input. Nothing is allocated once warm.
#ifndef SPINNERET_HTML_TOKENIZER_H_
#define SPINNERET_HTML_TOKENIZER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "html/element.h"
#include "html/scan.h"

namespace spinneret::html {

enum class TokenType : std::uint8_t {
  kText,
  kStartTag,
  kEndTag,
  kComment,
  kDoctype,
  kMore,  // the input ends within a token; give more of it
  kEnd,
};

// How characters are read: the state that replaces the standard's "data" state.
enum class TextMode : std::uint8_t {
  kData,
  kRcdata,     // title, textarea: references, no tags but the end tag
  kRawtext,    // style, xmp, iframe, noembed, noframes
  kScript,     // rawtext with the <!-- <script> escapes
  kPlaintext,  // to the end of the input
  kCdata,      // <![CDATA[ ... ]]> of foreign content
};

struct Attribute {
  std::string_view name;   // raw: any case, may contain NUL
  std::string_view value;  // raw, without quotes
};

struct Token {
  TokenType type = TokenType::kEnd;
  TextMode mode = TextMode::kData;  // for kText
  Element element = Element::kUnknown;
  bool self_closing = false;
  bool force_quirks = false;  // for kDoctype
  bool has_public_id = false;
  bool has_system_id = false;
  std::size_t begin = 0;  // offsets in the input; begin is at the '<'
  std::size_t end = 0;
  std::string_view name;  // raw, for tags and doctypes
  std::string_view text;  // raw, for kText and kComment
  std::string_view public_id;
  std::string_view system_id;
  std::vector<Attribute> attributes;

  // The first attribute with that name (given in lower case), or nullptr. Its value is raw.
  const Attribute* find(std::string_view wanted) const;
};

// The attributes of an <a> that a link uses, raw; the first of each name counts.
class AnchorAttributes {
 public:
  enum Name : std::size_t { kHref, kRel, kType, kHreflang, kLabel, kTitle, kNames };
  // `others` (borrowed, or nullptr) knows further names that somebody wants.
  explicit AnchorAttributes(const NameSieve* others) : others_(others) {}
  // Whether one of the further names may be present.
  bool has_others() const { return has_others_; }
  bool has(Name name) const { return values_[name].data() != nullptr; }
  std::string_view operator[](Name name) const { return values_[name]; }
  void add(const Attribute& attribute) {
    const std::size_t name = name_of(attribute.name);
    if (name == kNames) has_others_ = has_others_ || is_other(attribute.name);
    if (name == kNames || values_[name].data() != nullptr) return;
    // A bare name counts as present.
    values_[name] = attribute.value.data() == nullptr ? std::string_view("") : attribute.value;
  }

 private:
  static std::size_t name_of(std::string_view name);
  // A blank and the tag's name must stand in front of the name.
  bool is_other(std::string_view name) const {
    return others_ != nullptr && others_->passes(name.data() + name.size());
  }

  const NameSieve* others_;
  bool has_others_ = false;
  std::array<std::string_view, kNames> values_{};
};

class Tokenizer {
 public:
  // The elements whose attributes are wanted. The attributes of others are skipped, which is
  // faster.
  using Wanted = std::array<bool, kElementCount>;

  Tokenizer();

  // The input must live until the next set_input(). Text mode and last start tag are kept.
  void set_input(std::string_view input, bool last);
  // Begins a new document: data mode, no last start tag.
  void reset();

  TokenType next(Token& token);
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }

  // Takes effect with the next token. `end_tag` (in lower case) ends the text, except in kData and
  // kPlaintext.
  void set_text_mode(TextMode mode, std::string_view end_tag);
  // Says whether the adjusted current node is foreign; if so, <![CDATA[ begins a CDATA section.
  void set_foreign(bool foreign) { foreign_ = foreign; }
  void set_wanted(const Wanted& wanted) { wanted_ = wanted; }
  // Beyond the first kMany attributes of a tag, keeps only those that a source of links may have,
  // or whose names are in `others` (in lower case), and only the first of each name. A tag then
  // takes no more memory than its bytes.
  static constexpr std::size_t kMany = 256;
  void keep_few_of_many(std::vector<std::string> others) {
    few_of_many_ = true;
    other_names_ = std::move(others);
  }
  // Says whether texts are given. Without them the tags come faster.
  void set_wants_text(bool wants) { wants_text_ = wants; }
  const char* input_end() const { return end_; }
  // For a caller that itself scans tags which nobody wants: at() is where the next token begins,
  // and pass_to() continues at `at`, in data mode, where a token begins or text continues.
  const char* at() const { return at_; }
  void pass_to(const char* at) { at_ = at; }
  // Does the same from within the text of an element: continues behind its end tag.
  void leave_raw_text(const char* behind) {
    mode_ = TextMode::kData;
    at_ = behind;
  }
  // Reads the start tag that begins at at(), whose name is known and ends at `behind_name`.
  TokenType start_tag(Token& token, Element element, std::string_view name,
                      const char* behind_name) {
    token.name = name;
    token.element = element;
    return rest_of_tag(token, behind_name, TokenType::kStartTag);
  }
  // Returns the '>' of the tag whose attributes begin at `at`, behind its name; nullptr if the
  // input ends first.
  static const char* skip_attributes(const char* at, const char* end, bool& self_closing);
  // Does the same for an <a>, and also reads all attributes that a link uses.
  static const char* read_anchor(const char* at, const char* end, AnchorAttributes& out);
  bool in_data() const { return mode_ == TextMode::kData; }

 private:
  TokenType data(Token& token);
  TokenType text_until_end_tag(Token& token);
  TokenType cdata(Token& token);
  TokenType tag(Token& token, const char* name, TokenType type);
  TokenType rest_of_tag(Token& token, const char* at, TokenType type);
  TokenType markup_declaration(Token& token);
  TokenType comment(Token& token, const char* text);
  TokenType bogus_comment(Token& token, const char* text);
  TokenType doctype(Token& token, const char* at);
  TokenType text(Token& token, const char* end);
  TokenType finish(Token& token, TokenType type, const char* end) {
    token.type = type;
    token.begin = position();
    token.end = static_cast<std::size_t>(end - begin_);
    at_ = end;
    return type;
  }
  TokenType nothing(Token& token, const char* end);
  TokenType incomplete();
  bool starts_markup(const char* at) const;
  bool is_end_tag_at(const char* at) const;
  const char* find_end_tag(const char* from) const;
  const char* find_script_end(const char* from) const;
  bool word_may_continue(const char* at, std::string_view word) const;
  std::string_view view(const char* from, const char* to) const {
    return {from, static_cast<std::size_t>(to - from)};
  }

  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool last_ = true;
  bool foreign_ = false;
  bool wants_text_ = true;
  TextMode mode_ = TextMode::kData;
  std::string end_tag_;
  Wanted wanted_;
  bool few_of_many_ = false;
  std::vector<std::string> other_names_;
};

// Appends the attribute's name as the standard has it: in lower case, NUL as U+FFFD.
void append_decoded_name(std::string& out, std::string_view raw);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_TOKENIZER_H_
