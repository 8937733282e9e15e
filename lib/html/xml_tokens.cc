// SPDX-License-Identifier: Apache-2.0
#include "html/xml_tokens.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/entity.h"

namespace spinneret::html {
namespace {

bool is_xml_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The bytes that may begin a name, and those that may stand in it (2.3). All letters beyond ASCII
// are accepted.
enum NameClass : std::uint8_t { kBegins = 1, kContinues = 2 };
constexpr auto kNameClass = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if (letter || c == '_' || c == ':' || c >= 0x80) table[c] = kBegins | kContinues;
    if ((c >= '0' && c <= '9') || c == '-' || c == '.') table[c] = kContinues;
  }
  return table;
}();

bool in_name(char c, NameClass which) {
  return (kNameClass[static_cast<unsigned char>(c)] & which) != 0;
}

// 4.1: whether "&#38;" stands for a character that XML has.
bool is_character_reference(std::string_view digits) {
  const bool hexadecimal = digits.starts_with('x');
  if (hexadecimal) digits.remove_prefix(1);
  if (digits.empty()) return false;
  char32_t code = 0;
  for (const char c : digits) {
    const int digit = hex_value(c);
    if (digit < 0 || (!hexadecimal && digit > 9)) return false;
    code = code * (hexadecimal ? 16 : 10) + static_cast<char32_t>(digit);
    if (code > 0x10FFFF) return false;
  }
  return code == 9 || code == 10 || code == 13 || (code >= 0x20 && code < 0xD800) || code >= 0xE000;
}

// Whether this is an entity of XHTML, even if the document type was not named.
bool is_known_entity(std::string_view reference) {
  std::string out;
  return decode_entity(reference, EntityRules::kText, out) == reference.size();
}

XmlSpace space_named(std::string_view uri) {
  if (uri == "http://www.w3.org/1999/xhtml") return XmlSpace::kHtml;
  if (uri == "http://www.w3.org/2000/svg") return XmlSpace::kSvg;
  if (uri == "http://www.w3.org/1998/Math/MathML") return XmlSpace::kMath;
  if (uri == "http://www.w3.org/1999/xlink") return XmlSpace::kXlink;
  return XmlSpace::kOther;
}

}  // namespace

TokenType XmlTokens::finish(Token& token, TokenType type) {
  token.type = type;
  token.begin = begin_;
  token.end = at_;
  return type;
}

TokenType XmlTokens::fail() {
  failed_ = true;
  at_ = document_.size();
  return TokenType::kEnd;
}

bool XmlTokens::read_name(std::string_view& name) {
  const std::size_t begin = at_;
  if (at_ == document_.size() || !in_name(document_[at_], kBegins)) return false;
  while (at_ < document_.size() && in_name(document_[at_], kContinues)) ++at_;
  name = document_.substr(begin, at_ - begin);
  return true;
}

bool XmlTokens::skip_spaces() {
  const std::size_t begin = at_;
  while (at_ < document_.size() && is_xml_space(document_[at_])) ++at_;
  return at_ != begin;
}

// Whether each '&' begins a reference (4.1). After a doctype any name may be declared.
bool XmlTokens::references_hold(std::string_view text) const {
  for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at)) {
    constexpr std::size_t kLongest = 64;
    const std::string_view reference = text.substr(at, kLongest);
    const std::size_t end = reference.find(';');
    if (end == std::string_view::npos || end < 2) return false;
    const std::string_view name = reference.substr(1, end - 1);
    if (name.front() == '#') {
      if (!is_character_reference(name.substr(1))) return false;
    } else {
      const bool is_name =
          in_name(name.front(), kBegins) &&
          std::all_of(name.begin(), name.end(), [](char c) { return in_name(c, kContinues); });
      if (!is_name || (!declares_ && !is_known_entity(reference.substr(0, end + 1)))) return false;
    }
    at += end + 1;
  }
  return true;
}

TokenType XmlTokens::next(Token& token) {
  begin_ = at_;
  if (at_ >= document_.size()) return finish(token, TokenType::kEnd);
  if (document_[at_] == '<') return markup(token);
  const std::size_t end = std::min(document_.find('<', at_), document_.size());
  token.mode = TextMode::kData;
  token.text = document_.substr(at_, end - at_);
  // 2.4: "]]>" must not stand in text.
  if (token.text.find("]]>") != std::string_view::npos || !references_hold(token.text))
    return fail();
  at_ = end;
  return finish(token, TokenType::kText);
}

TokenType XmlTokens::until(Token& token, TokenType type, std::size_t begin, std::string_view end) {
  const std::size_t found = document_.find(end, begin);
  if (found == std::string_view::npos) return fail();
  token.text = document_.substr(begin, found - begin);
  at_ = found + end.size();
  return finish(token, type);
}

TokenType XmlTokens::markup(Token& token) {
  if (at("<!")) return declaration(token);
  if (at("<?")) {
    // The text includes the '?', as in HTML's tokenizer.
    const TokenType type = until(token, TokenType::kComment, at_ + 1, "?>");
    if (type == TokenType::kEnd) return type;
    if (token.text.size() < 2 || !in_name(token.text[1], kBegins)) return fail();
    const bool is_declaration = starts_with_ignore_case(token.text, "?xml") &&
                                (token.text.size() == 4 || is_xml_space(token.text[4]));
    return is_declaration && begin_ != 0 ? fail() : type;
  }
  const bool closing = at("</");
  at_ += closing ? 2 : 1;
  return tag(token, closing);
}

TokenType XmlTokens::declaration(Token& token) {
  if (at("<!--")) {
    const TokenType type = until(token, TokenType::kComment, at_ + 4, "--");
    if (type == TokenType::kEnd) return type;
    if (!at(">")) return fail();  // 2.5: "--" must not stand inside
    ++at_;
    return finish(token, type);
  }
  constexpr std::string_view kCdata = "<![CDATA[";
  if (at(kCdata)) {
    token.mode = TextMode::kCdata;
    return until(token, TokenType::kText, at_ + kCdata.size(), "]]>");
  }
  return at("<!DOCTYPE") && !declares_ ? doctype(token) : fail();
}

// Reads a doctype, perhaps with an internal subset in brackets, whose quoted values, comments and
// instructions may hold anything.
TokenType XmlTokens::doctype(Token& token) {
  declares_ = true;
  bool subset = false;
  const auto skip = [this](std::string_view end) {
    const std::size_t found = document_.find(end, at_ + 1);
    at_ = found == std::string_view::npos ? document_.size() : found + end.size();
  };
  for (at_ += 2; at_ < document_.size();) {
    const char c = document_[at_];
    if (c == '>' && !subset) {
      ++at_;
      return finish(token, TokenType::kDoctype);
    }
    if (c == '"' || c == '\'') {
      skip({&document_[at_], 1});
    } else if (subset && at("<!--")) {
      at_ += 3;
      skip("-->");
    } else if (subset && at("<?")) {
      skip("?>");
    } else {
      if (c == '[') subset = true;
      if (c == ']') subset = false;
      ++at_;
    }
  }
  return fail();
}

TokenType XmlTokens::tag(Token& token, bool closing) {
  token.self_closing = false;
  token.attributes.clear();
  if (!read_name(token.name)) return fail();
  if (!closing) return attributes(token);
  skip_spaces();
  if (!at(">")) return fail();
  ++at_;
  return finish(token, TokenType::kEndTag);
}

TokenType XmlTokens::attributes(Token& token) {
  while (true) {
    const bool spaced = skip_spaces();
    if (at(">") || at("/>")) break;
    if (!spaced || !attribute(token) || token.attributes.size() > kMaxAttributes) return fail();
  }
  token.self_closing = document_[at_] == '/';
  at_ += token.self_closing ? 2 : 1;
  return finish(token, TokenType::kStartTag);
}

bool XmlTokens::attribute(Token& token) {
  Attribute& attribute = token.attributes.emplace_back();
  if (!read_name(attribute.name)) return false;
  skip_spaces();
  if (!at("=")) return false;
  ++at_;
  skip_spaces();
  if (!at("\"") && !at("'")) return false;
  const std::size_t begin = at_ + 1;
  const std::size_t end = document_.find(document_[at_], begin);
  if (end == std::string_view::npos) return false;
  attribute.value = document_.substr(begin, end - begin);
  at_ = end + 1;
  return attribute.value.find('<') == std::string_view::npos && references_hold(attribute.value);
}

// --- namespaces ---

std::string_view XmlNames::prefix_of(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

std::string_view XmlNames::local_of(std::string_view name) {
  return name.substr(name.find(':') + 1);  // npos + 1 is 0
}

bool XmlNames::open(const Token& token) {
  ++depth_;
  for (const Attribute& attribute : token.attributes) {
    if (!attribute.name.starts_with("xmlns")) continue;
    const std::string_view rest = attribute.name.substr(5);
    if (!rest.empty() && rest.front() != ':') continue;
    if (bindings_.size() >= kMaxBindings) return false;
    bindings_.push_back({depth_, rest.substr(rest.empty() ? 0 : 1), space_named(attribute.value)});
  }
  return true;
}

void XmlNames::close() {
  while (!bindings_.empty() && bindings_.back().depth >= depth_) bindings_.pop_back();
  --depth_;
}

XmlSpace XmlNames::find(std::string_view prefix) const {
  for (std::size_t i = bindings_.size(); i-- > 0;) {
    if (bindings_[i].prefix == prefix) return bindings_[i].space;
  }
  return prefix.empty() || prefix == "xml" || prefix == "xmlns" ? XmlSpace::kOther
                                                                : XmlSpace::kNone;
}

XmlSpace XmlNames::space_of_attribute(std::string_view name) const {
  const std::string_view prefix = prefix_of(name);
  return prefix.empty() ? XmlSpace::kOther : find(prefix);
}

// --- a whole document ---

namespace {

bool has_twice(const std::vector<Attribute>& attributes) {
  constexpr std::size_t kFew = 12;
  if (attributes.size() <= kFew) {
    for (std::size_t i = 1; i < attributes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (attributes[i].name == attributes[j].name) return true;
      }
    }
    return false;
  }
  std::vector<std::string_view> names;
  names.reserve(attributes.size());
  for (const Attribute& attribute : attributes) names.push_back(attribute.name);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

// 2.2: whether a byte below U+0080 is no character of XML.
bool has_forbidden_byte(std::string_view document) {
  bool out = false;
  for (const char c : document) {
    const auto byte = static_cast<unsigned char>(c);
    out |= byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
  }
  return out;
}

// Checks in one pass that tags match, that there is one root, and that prefixes are declared.
class Checker {
 public:
  explicit Checker(std::string_view document) : tokens_(document) {}
  XmlSpace root() {
    while (tokens_.next(token_) != TokenType::kEnd) {
      if (!holds()) return XmlSpace::kNone;
    }
    return tokens_.failed() || !open_.empty() ? XmlSpace::kNone : root_;
  }

 private:
  bool holds() {
    switch (token_.type) {
      case TokenType::kStartTag: return start();
      case TokenType::kEndTag: return end();
      case TokenType::kText:
        return !open_.empty() ||
               (token_.mode == TextMode::kData &&
                std::all_of(token_.text.begin(), token_.text.end(), is_xml_space));
      case TokenType::kDoctype: return root_ == XmlSpace::kNone;
      default: return true;
    }
  }
  bool start() {
    if (open_.empty() && root_ != XmlSpace::kNone) return false;
    if (open_.size() + 1 >= OpenElements::kMaxDepth || has_twice(token_.attributes)) return false;
    if (!names_.open(token_)) return false;
    const XmlSpace space = names_.space_of_element(token_.name);
    if (space == XmlSpace::kNone) return false;
    for (const Attribute& attribute : token_.attributes) {
      if (names_.space_of_attribute(attribute.name) == XmlSpace::kNone) return false;
    }
    if (open_.empty()) root_ = space;
    open_.push_back(token_.name);
    return !token_.self_closing || end();
  }
  bool end() {
    if (open_.empty() || open_.back() != token_.name) return false;
    open_.pop_back();
    names_.close();
    return true;
  }

  XmlTokens tokens_;
  XmlNames names_;
  Token token_;
  std::vector<std::string_view> open_;
  XmlSpace root_ = XmlSpace::kNone;
};

}  // namespace

XmlSpace xml_root(std::string_view document) {
  return has_forbidden_byte(document) ? XmlSpace::kNone : Checker(document).root();
}

bool reads_as_xml(std::string_view document) {
  if (!is_valid_utf8(document)) return false;
  const XmlSpace root = xml_root(document);
  return root == XmlSpace::kHtml || root == XmlSpace::kSvg;
}

// --- elements ---

namespace {

bool has_upper(std::string_view name) { return std::any_of(name.begin(), name.end(), is_upper); }

// Case counts. <image> in HTML is a mistake that only HTML's parser mends.
Element element_of(std::string_view local, XmlSpace space) {
  if (space == XmlSpace::kOther) return Element::kUnknown;
  const Element element = find_element(local);
  if (space == XmlSpace::kSvg) return element;
  return has_upper(local) || element == Element::kImage ? Element::kUnknown : element;
}

}  // namespace

void XmlElements::name_attributes(Token& token) const {
  const auto is_other = [this](Attribute& attribute) {
    if (space_ == XmlSpace::kHtml && has_upper(attribute.name)) return true;
    if (XmlNames::prefix_of(attribute.name).empty()) return false;
    const bool xlink = names_.space_of_attribute(attribute.name) == XmlSpace::kXlink;
    const bool href = xlink && XmlNames::local_of(attribute.name) == "href";
    if (href) attribute.name = "xlink:href";
    return attribute.name.starts_with("xlink:") && !href;
  };
  token.attributes.erase(std::remove_if(token.attributes.begin(), token.attributes.end(), is_other),
                         token.attributes.end());
}

TokenType XmlElements::next(Token& token) {
  if (end_is_due_) {
    end_is_due_ = false;
    token.type = TokenType::kEndTag;
    token.begin = token.end;
  } else {
    tokens_.next(token);
  }
  if (token.type == TokenType::kEndTag) names_.close();
  if (token.type != TokenType::kStartTag) return token.type;
  names_.open(token);
  space_ = names_.space_of_element(token.name);
  end_is_due_ = token.self_closing;
  token.name = XmlNames::local_of(token.name);
  token.element = element_of(token.name, space_);
  name_attributes(token);
  return token.type;
}

}  // namespace spinneret::html
