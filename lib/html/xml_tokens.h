// SPDX-License-Identifier: Apache-2.0
// XML 1.0 as tokens of the form that HTML's tokenizer gives, and whether a document is well-formed: for XHTML and SVG,
// which browsers read by these rules, where <title/> is an element and <A> is no <a>.
//
//   if (xml_root(document) == XmlSpace::kHtml) {
//     XmlTokens tokens(document);
//     while (tokens.next(token) != TokenType::kEnd) ...
//   }
//
// Stricter than feed/xml.h, which reads feeds, broken as they are. Nothing external is looked at, and no entity of
// the document's own is expanded: no input is worth more than its bytes. Linear, no recursion. Views are into the document.
#ifndef SPINNERET_HTML_XML_TOKENS_H_
#define SPINNERET_HTML_XML_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "html/open_elements.h"
#include "html/tokenizer.h"

namespace spinneret::html {

// The namespaces that have links.
enum class XmlSpace : std::uint8_t { kNone, kHtml, kSvg, kMath, kXlink, kOther };

class XmlTokens {
 public:
  static constexpr std::size_t kMaxAttributes = std::size_t{1} << 16;  // of a tag

  // The document must be in an encoding that ASCII is a part of, without a byte order mark.
  explicit XmlTokens(std::string_view document) : document_(document) {}

  // kStartTag (name with its prefix, all attributes), kEndTag, kText (mode kCdata: without references), kComment (an
  // instruction as HTML has it: "?xml-stylesheet ..."), kDoctype, kEnd. Where the document is not well-formed, kEnd.
  TokenType next(Token& token);
  bool failed() const { return failed_; }

 private:
  TokenType markup(Token& token);
  TokenType declaration(Token& token);
  TokenType doctype(Token& token);
  TokenType tag(Token& token, bool closing);
  TokenType attributes(Token& token);
  bool attribute(Token& token);
  TokenType until(Token& token, TokenType type, std::size_t begin, std::string_view end);
  TokenType finish(Token& token, TokenType type);
  TokenType fail();
  bool read_name(std::string_view& name);
  bool skip_spaces();
  bool references_hold(std::string_view text) const;
  bool at(std::string_view what) const { return document_.substr(at_).starts_with(what); }

  std::string_view document_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // of the token
  bool declares_ = false;  // a doctype came, and with it perhaps entities
  bool failed_ = false;
};

// Which prefixes mean what at the present element.
class XmlNames {
 public:
  // The element's own declarations hold from its start tag on. False where they are too many.
  bool open(const Token& token);
  void close();
  std::size_t depth() const { return depth_; }
  // Of an element's name, or of an attribute's (which without a prefix is in none); kNone: the prefix is not declared.
  XmlSpace space_of_element(std::string_view name) const { return find(prefix_of(name)); }
  XmlSpace space_of_attribute(std::string_view name) const;
  static std::string_view prefix_of(std::string_view name);
  static std::string_view local_of(std::string_view name);

 private:
  static constexpr std::size_t kMaxBindings = 64;
  struct Binding {
    std::size_t depth;
    std::string_view prefix;
    XmlSpace space;
  };
  XmlSpace find(std::string_view prefix) const;

  std::size_t depth_ = 0;
  std::vector<Binding> bindings_;
};

// The namespace of the root where the document is well-formed, and its namespaces are; else kNone.
XmlSpace xml_root(std::string_view document);

// How a document is asked to be read: kXml by XML's rules where reads_as_xml(), which is so for XHTML and SVG that are
// served as such, and else by HTML's.
enum class Syntax : std::uint8_t { kHtml, kXml };
// `document` without a byte order mark, in UTF-8.
bool reads_as_xml(std::string_view document);

// The elements of a document that reads_as_xml(), in the names by which HTML's readers know them: one reading for
// links, texts and items. Linear.
//
//   XmlElements elements(document);
//   while (elements.next(token) != TokenType::kEnd) ...
class XmlElements {
 public:
  explicit XmlElements(std::string_view document) : tokens_(document) {}

  // As XmlTokens::next(), but that every start tag has its end tag (<br/> one of no bytes), a start tag's name is without
  // prefix and `element` what it stands for, and xlink:href is called so whatever its prefix. An HTML element's attributes
  // with capitals are none.
  TokenType next(Token& token);
  // The namespace of the start tag that came last.
  XmlSpace space() const { return space_; }
  // The same as HTML's reader has it, where all that is neither HTML nor SVG is as MathML is.
  Namespace name_space() const {
    return space_ == XmlSpace::kHtml  ? Namespace::kHtml
           : space_ == XmlSpace::kSvg ? Namespace::kSvg
                                      : Namespace::kMath;
  }

 private:
  void name_attributes(Token& token) const;

  XmlTokens tokens_;
  XmlNames names_;
  XmlSpace space_ = XmlSpace::kNone;
  bool end_is_due_ = false;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_XML_TOKENS_H_
