// SPDX-License-Identifier: Apache-2.0
#include "html/tokenizer.h"

#include <algorithm>

#include "base/ascii.h"
#include "html/scan.h"
#include "html/source.h"
#include "html/tag_run.h"

namespace spinneret::html {
namespace {

// The bytes that end a tag name, an attribute name, or an unquoted value.
enum ByteClass : std::uint8_t { kSpace = 1, kSlash = 2, kGreater = 4, kEquals = 8 };
constexpr auto kClass = [] {
  std::array<std::uint8_t, 256> table{};
  for (const char c : {' ', '\t', '\n', '\r', '\f'}) table[static_cast<unsigned char>(c)] = kSpace;
  table['/'] = kSlash;
  table['>'] = kGreater;
  table['='] = kEquals;
  return table;
}();

bool in_class(char c, unsigned classes) {
  return (kClass[static_cast<unsigned char>(c)] & classes) != 0;
}

const char* skip_spaces(const char* at, const char* end) {
  while (at != end && in_class(*at, kSpace)) ++at;
  return at;
}

const char* find_class(const char* at, const char* end, unsigned classes) {
  while (at != end && !in_class(*at, classes)) ++at;
  return at;
}

// Reads one attribute from [at, end), which begins with neither space nor '/' nor '>' (13.2.5.33 to
// 13.2.5.39). Returns nullptr if the input ends within it.
const char* read_attribute(const char* at, const char* end, Attribute& out) {
  const char* const name = at;
  // A '=' at the start belongs to the name.
  at = find_name_end<true>(at + 1, end);
  out.name = {name, static_cast<std::size_t>(at - name)};
  out.value = {};
  at = skip_spaces(at, end);
  if (at == end) return nullptr;
  if (*at != '=') return at;
  at = skip_spaces(at + 1, end);
  if (at == end) return nullptr;
  if (*at == '>') return at;
  const char* value = at;
  if (*at == '"' || *at == '\'') {
    ++value;
    at = find_byte(value, end, *at);
    if (at == end) return nullptr;
    out.value = {value, static_cast<std::size_t>(at - value)};
    return at + 1;
  }
  at = find_class(at, end, kSpace | kGreater);
  if (at == end) return nullptr;
  out.value = {value, static_cast<std::size_t>(at - value)};
  return at;
}

// Reads an attribute of the form that nine in ten have: name="value", with a name of less than 16
// bytes. Returns the position behind the closing quote, or nullptr for any other form, which
// read_attribute() reads.
inline const char* read_plain_attribute(const char* at, const char* end, Attribute& out) {
  const char* const equals = find_short_name_end(at, end);
  if (equals == nullptr || equals[0] != '=' || equals[1] != '"') return nullptr;
  const char* const value = equals + 2;
  const char* const quote = find_byte(value, end, '"');
  if (quote == end) return nullptr;
  out.name = {at, static_cast<std::size_t>(equals - at)};
  out.value = {value, static_cast<std::size_t>(quote - value)};
  return quote + 1;
}

// Collects the attributes of a tag.
class AttributeKeeper {
 public:
  // `others`: see Tokenizer::keep_few_of_many(). With nullptr all attributes are kept.
  AttributeKeeper(std::vector<Attribute>& kept, const std::vector<std::string>* others)
      : kept_(kept), others_(others) {}

  void add(const Attribute& attribute) {
    if (kept_.size() < Tokenizer::kMany || others_ == nullptr || is_new(attribute.name))
      kept_.push_back(attribute);
  }

 private:
  // Whether the attribute is the first with a name that is kept.
  bool is_new(std::string_view name) {
    if (!looked_) {
      looked_ = true;
      for (const Attribute& attribute : kept_) is_new(attribute.name);
    }
    const auto first = [](std::uint64_t& seen, std::size_t index) {
      const std::uint64_t bit = std::uint64_t{1} << index;
      const bool is_first = (seen & bit) == 0;
      seen |= bit;
      return is_first;
    };
    const std::size_t index = find_source_attribute(name);
    bool out = index != 0 && first(seen_, index);
    for (std::size_t i = 0; i < others_->size(); ++i) {
      if (equals_ignore_case(name, (*others_)[i])) out = i >= 64 || first(others_seen_, i) || out;
    }
    return out;
  }

  std::vector<Attribute>& kept_;
  const std::vector<std::string>* others_;
  bool looked_ = false;  // whether the attributes kept unconditionally were noted
  // The names of sources' attributes that have come, by index.
  std::uint64_t seen_ = 0;
  std::uint64_t others_seen_ = 0;
};

// Reads the attributes of a tag, and gives each to `keep`. Returns the tag's '>', or nullptr if the
// input ends first.
template <typename Keep>
const char* read_attributes(const char* at, const char* end, bool& self_closing, Keep keep) {
  Attribute attribute;
  while (true) {
    at = skip_spaces(at, end);
    if (at == end) return nullptr;
    if (*at == '>') return at;
    if (*at == '/') {
      if (++at == end) return nullptr;
      if (*at != '>') continue;
      self_closing = true;
      return at;
    }
    const char* const plain = read_plain_attribute(at, end, attribute);
    at = plain != nullptr ? plain : read_attribute(at, end, attribute);
    if (at == nullptr) return nullptr;
    keep(attribute);
  }
}

}  // namespace

const Attribute* Token::find(std::string_view wanted) const {
  for (const Attribute& attribute : attributes) {
    if (equals_ignore_case(attribute.name, wanted)) return &attribute;
  }
  return nullptr;
}

void append_decoded_name(std::string& out, std::string_view raw) {
  for (const char c : raw) {
    if (c == '\0') {
      out += "\xEF\xBF\xBD";
    } else {
      out += to_lower(c);
    }
  }
}

Tokenizer::Tokenizer() { wanted_.fill(true); }

void Tokenizer::set_input(std::string_view input, bool last) {
  begin_ = at_ = input.data();
  end_ = begin_ + input.size();
  last_ = last;
}

void Tokenizer::reset() {
  mode_ = TextMode::kData;
  end_tag_.clear();
  foreign_ = false;
}

void Tokenizer::set_text_mode(TextMode mode, std::string_view end_tag) {
  mode_ = mode;
  end_tag_ = end_tag;
}

TokenType Tokenizer::text(Token& token, const char* end) {
  token.mode = mode_;
  token.text = view(at_, end);
  return finish(token, TokenType::kText, end);
}

// For markup that gives no token ("</>", the start of a CDATA section): gives an empty text
// instead, so that a long row of such markup causes no recursion.
TokenType Tokenizer::nothing(Token& token, const char* end) {
  token.mode = mode_;
  token.text = {};
  return finish(token, TokenType::kText, end);
}

// Handles a token that the end of the input cuts off: more input may come, or the token is dropped
// (eof-in-tag).
TokenType Tokenizer::incomplete() {
  if (!last_) return TokenType::kMore;
  at_ = end_;
  return TokenType::kEnd;
}

TokenType Tokenizer::next(Token& token) {
  TokenType type = TokenType::kEnd;
  if (at_ == end_) {
    type = last_ ? TokenType::kEnd : TokenType::kMore;
  } else {
    switch (mode_) {
      case TextMode::kData: type = data(token); break;
      case TextMode::kCdata: type = cdata(token); break;
      case TextMode::kPlaintext: type = last_ ? text(token, end_) : TokenType::kMore; break;
      default: type = text_until_end_tag(token); break;
    }
  }
  token.type = type;
  return type;
}

// 13.2.5.6: whether a '<' begins anything but text. At the end of a piece it may begin markup.
inline bool Tokenizer::starts_markup(const char* at) const {
  if (at + 1 == end_) return !last_;
  const char c = at[1];
  if (is_alpha(c) || c == '!' || c == '?') return true;
  if (c != '/') return false;
  return at + 2 != end_ || !last_;
}

TokenType Tokenizer::data(Token& token) {
  const char* at = find_byte(at_, end_, '<');
  while (at != end_ && !starts_markup(at)) at = find_markup(at + 1, end_);
  if (at == end_ && !last_) return TokenType::kMore;
  if (at != at_) {
    if (wants_text_ || at == end_) return text(token, at);
    at_ = at;
  }
  if (end_ - at < 2) return TokenType::kMore;
  if (is_alpha(at[1])) return tag(token, at + 1, TokenType::kStartTag);
  if (at[1] == '!') return markup_declaration(token);
  if (at[1] == '?') return bogus_comment(token, at + 1);
  if (end_ - at < 3) return TokenType::kMore;
  if (is_alpha(at[2])) return tag(token, at + 2, TokenType::kEndTag);
  if (at[2] != '>') return bogus_comment(token, at + 2);
  return nothing(token, at + 3);
}

// 13.2.5.8 to 13.2.5.40
TokenType Tokenizer::tag(Token& token, const char* name, TokenType type) {
  const char* at = find_name_end<false>(name, end_);
  token.name = view(name, at);
  token.element = find_element(token.name, end_);
  return rest_of_tag(token, at, type);
}

TokenType Tokenizer::rest_of_tag(Token& token, const char* at, TokenType type) {
  token.type = type;
  token.self_closing = false;
  token.attributes.clear();
  if (at == end_) return incomplete();
  if (*at != '>') {
    const bool keep = type == TokenType::kStartTag && wanted_[index_of(token.element)];
    AttributeKeeper keeper(token.attributes, few_of_many_ ? &other_names_ : nullptr);
    at = keep ? read_attributes(at, end_, token.self_closing,
                                [&keeper](const Attribute& found) { keeper.add(found); })
              : skip_attributes(at, end_, token.self_closing);
    if (at == nullptr) return incomplete();
  }
  return finish(token, type, at + 1);
}

const char* Tokenizer::skip_attributes(const char* at, const char* end, bool& self_closing) {
  const char* const close = tag_scan().skip(at, end);
  if (close == nullptr) return read_attributes(at, end, self_closing, [](const Attribute&) {});
  self_closing = close[-1] == '/';
  return close;
}

const char* Tokenizer::read_anchor(const char* at, const char* end, AnchorAttributes& out) {
  bool self_closing = false;
  return read_attributes(at, end, self_closing, [&out](const Attribute& found) { out.add(found); });
}

inline std::size_t AnchorAttributes::name_of(std::string_view name) {
  switch (name.size()) {
    case 3: return equals_ignore_case(name, "rel") ? kRel : kNames;
    case 4:
      return equals_ignore_case(name, "href")   ? kHref
             : equals_ignore_case(name, "type") ? kType
                                                : kNames;
    case 5: return equals_ignore_case(name, "title") ? kTitle : kNames;
    case 8: return equals_ignore_case(name, "hreflang") ? kHreflang : kNames;
    case 10: return equals_ignore_case(name, "aria-label") ? kLabel : kNames;
    default: return kNames;
  }
}

// Whether the input at `at` is `word` (in any case), or ends too early to tell.
bool Tokenizer::word_may_continue(const char* at, std::string_view word) const {
  const std::size_t size = std::min<std::size_t>(word.size(), static_cast<std::size_t>(end_ - at));
  return (size == word.size() || !last_) &&
         equals_ignore_case(view(at, at + size), word.substr(0, size));
}

// 13.2.5.42
TokenType Tokenizer::markup_declaration(Token& token) {
  const char* const at = at_ + 2;
  if (word_may_continue(at, "--")) return comment(token, at + 2);
  if (word_may_continue(at, "doctype")) return doctype(token, at + 7);
  constexpr std::string_view kCdataStart = "[CDATA[";
  if (foreign_ && word_may_continue(at, kCdataStart)) {
    if (static_cast<std::size_t>(end_ - at) < kCdataStart.size()) return TokenType::kMore;
    // This word is case-sensitive.
    if (view(at, at + kCdataStart.size()) == kCdataStart) {
      mode_ = TextMode::kCdata;
      return nothing(token, at + kCdataStart.size());
    }
  }
  return bogus_comment(token, at);
}

TokenType Tokenizer::bogus_comment(Token& token, const char* text) {
  const char* const close = find_byte(text, end_, '>');
  if (close == end_ && !last_) return TokenType::kMore;
  token.text = view(text, close);
  return finish(token, TokenType::kComment, close == end_ ? close : close + 1);
}

// 13.2.5.43 to 13.2.5.52; `text` is behind "<!--".
TokenType Tokenizer::comment(Token& token, const char* text) {
  if (text > end_) return TokenType::kMore;
  const auto rest = view(text, end_);
  for (const std::string_view abrupt : {">", "->"}) {
    if (!rest.starts_with(abrupt)) continue;
    token.text = {};
    return finish(token, TokenType::kComment, text + abrupt.size());
  }
  for (const char* at = text;; ++at) {
    at = find_byte(at, end_, '-');
    if (at == end_) break;
    const auto tail = view(at, end_);
    const std::size_t close = tail.starts_with("-->") ? 3 : tail.starts_with("--!>") ? 4 : 0;
    if (close == 0) continue;
    token.text = view(text, at);
    return finish(token, TokenType::kComment, at + close);
  }
  if (!last_) return TokenType::kMore;
  token.text = rest;
  for (const std::string_view dangling : {"--!", "--", "-"}) {
    if (!rest.ends_with(dangling)) continue;
    token.text.remove_suffix(dangling.size());
    break;
  }
  return finish(token, TokenType::kComment, end_);
}

namespace {

// Reads the quoted identifier at `at`. Returns false if '>' or the end comes before the closing
// quote.
bool read_identifier(const char*& at, const char* end, std::string_view& out, bool& present) {
  const char quote = *at++;
  const char* const begin = at;
  present = true;
  at = find_either(at, end, quote, '>');
  out = {begin, static_cast<std::size_t>(at - begin)};
  if (at == end || *at != quote) return false;
  ++at;
  return true;
}

// Reads what follows the doctype's name (13.2.5.56 to 13.2.5.67). Returns true if all of it is
// correct. Leaves `at` anywhere before the closing '>'.
bool read_doctype_rest(const char*& at, const char* end, Token& token) {
  const std::string_view rest{at, static_cast<std::size_t>(end - at)};
  const bool is_public = starts_with_ignore_case(rest, "public");
  if (!is_public && !starts_with_ignore_case(rest, "system")) return false;
  at = skip_spaces(at + 6, end);
  if (at == end || (*at != '"' && *at != '\'')) return false;
  if (is_public) {
    if (!read_identifier(at, end, token.public_id, token.has_public_id)) return false;
    at = skip_spaces(at, end);
    if (at == end) return false;
    if (*at == '>') return true;
    if (*at != '"' && *at != '\'') return false;
  }
  if (!read_identifier(at, end, token.system_id, token.has_system_id)) return false;
  at = skip_spaces(at, end);
  return at != end;  // anything but '>' here is an error that does not force quirks
}

}  // namespace

// 13.2.5.53 to 13.2.5.68; `at` is behind "<!DOCTYPE".
TokenType Tokenizer::doctype(Token& token, const char* at) {
  if (at > end_) return TokenType::kMore;
  token.public_id = token.system_id = token.name = {};
  token.has_public_id = token.has_system_id = false;
  token.force_quirks = true;
  at = skip_spaces(at, end_);
  if (at != end_ && *at != '>') {
    const char* const name = at;
    at = find_class(at, end_, kSpace | kGreater);
    token.name = view(name, at);
    at = skip_spaces(at, end_);
    if (at != end_) token.force_quirks = *at != '>' && !read_doctype_rest(at, end_, token);
  }
  const char* const close = find_byte(at, end_, '>');
  if (close == end_ && !last_) return TokenType::kMore;
  return finish(token, TokenType::kDoctype, close == end_ ? close : close + 1);
}

TokenType Tokenizer::cdata(Token& token) {
  const auto rest = view(at_, end_);
  const std::size_t close = rest.find("]]>");
  if (close == std::string_view::npos) {
    if (!last_) return TokenType::kMore;
    return text(token, end_);
  }
  const char* const end = at_ + close;
  text(token, end);
  at_ = end + 3;
  token.end += 3;
  mode_ = TextMode::kData;
  return TokenType::kText;
}

// Whether "</title" stands at `at`, followed by a space, '/' or '>'. A piece that ends too early
// counts as such a tag.
bool Tokenizer::is_end_tag_at(const char* at) const {
  if (at + 1 == end_) return !last_;
  if (at[1] != '/' || !word_may_continue(at + 2, end_tag_)) return false;
  const std::size_t size = 2 + end_tag_.size();
  if (static_cast<std::size_t>(end_ - at) <= size) return !last_;
  return in_class(at[size], kSpace | kSlash | kGreater);
}

const char* Tokenizer::find_end_tag(const char* from) const {
  if (end_tag_.empty()) return end_;  // no start tag came before, so no end tag is appropriate
  for (const char* at = from;; ++at) {
    at = find_byte(at, end_, '<');
    if (at == end_ || is_end_tag_at(at)) return at;
  }
}

// 13.2.5.15 to 13.2.5.31: within <!-- ... -->, a <script> hides the next </script>.
const char* Tokenizer::find_script_end(const char* from) const {
  enum { kPlain, kEscaped, kDoubleEscaped } state = kPlain;
  const auto ends_word = [this](const char* at, std::string_view word) {
    return static_cast<std::size_t>(end_ - at) > word.size() &&
           equals_ignore_case(view(at, at + word.size()), word) &&
           in_class(at[word.size()], kSpace | kSlash | kGreater);
  };
  for (const char* at = from;; ++at) {
    at = state == kPlain ? find_byte(at, end_, '<') : find_either(at, end_, '<', '-');
    if (at == end_) return at;
    const auto rest = view(at, end_);
    if (*at == '-') {
      if (!rest.starts_with("-->")) continue;
      state = kPlain;
      at += 2;
    } else if (state == kPlain && rest.starts_with("<!--")) {
      // "<!-->" and "<!--->" end at once: the same dashes serve both ends.
      state = kEscaped;
      at += 1;
    } else if (state == kDoubleEscaped) {
      if (ends_word(at, "</script")) state = kEscaped;
    } else if (!end_tag_.empty() && is_end_tag_at(at)) {
      return at;
    } else if (state == kEscaped && ends_word(at, "<script")) {
      state = kDoubleEscaped;
    }
  }
}

TokenType Tokenizer::text_until_end_tag(Token& token) {
  const char* const end = mode_ == TextMode::kScript ? find_script_end(at_) : find_end_tag(at_);
  if (end == end_ && !last_) return TokenType::kMore;
  if (end != at_) {
    const TextMode mode = mode_;
    if (end != end_) {
      // The end tag comes next, whatever it contains: back to data.
      if (static_cast<std::size_t>(end_ - end) <= 2 + end_tag_.size()) return TokenType::kMore;
      mode_ = TextMode::kData;
    }
    text(token, end);
    token.mode = mode;
    return TokenType::kText;
  }
  if (static_cast<std::size_t>(end_ - end) <= 2 + end_tag_.size()) return TokenType::kMore;
  mode_ = TextMode::kData;
  return data(token);
}

}  // namespace spinneret::html
