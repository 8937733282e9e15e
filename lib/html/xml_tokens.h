// SPDX-License-Identifier: Apache-2.0
// Reads XML 1.0 as tokens in the form that HTML's tokenizer gives, and tells whether a document is
// well-formed. This is for XHTML and SVG, which browsers read by these rules: <title/> is an
// element, and <A> is not an <a>.
//
//   if (xml_root(document) == XmlSpace::kHtml) {
//     XmlTokens tokens(document);
//     while (tokens.next(token) != TokenType::kEnd) ...
//   }
//
// It is stricter than feed/xml.h, which reads broken feeds as well as it can. Nothing external is
// read, and entities that the document defines are not expanded, so that no input can grow. Takes
// linear time without recursion. Views are into the document.
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
  static constexpr std::size_t kMaxAttributes = std::size_t{1} << 16;  // of one tag

  // The document must be in an encoding that contains ASCII, and without a byte order mark.
  explicit XmlTokens(std::string_view document) : document_(document) {}

  // Gives kStartTag (with the prefixed name and all attributes), kEndTag, kText (in mode kCdata
  // without references), kComment (instructions as in HTML: "?xml-stylesheet ..."), kDoctype and
  // kEnd. If the document is not well-formed it gives kEnd.
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
  std::size_t begin_ = 0;  // where the token begins
  bool declares_ = false;  // a doctype has come, so there may be entities
  bool failed_ = false;
};

// The meaning of each prefix at the present element.
class XmlNames {
 public:
  // The element's own declarations are valid from its start tag on. Returns false if there are too
  // many.
  bool open(const Token& token);
  void close();
  std::size_t depth() const { return depth_; }
  // The namespace of an element's or attribute's name (an attribute without a prefix is in none);
  // kNone if the prefix is not declared.
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

// Returns the namespace of the root if the document is well-formed, including its namespaces;
// otherwise kNone.
XmlSpace xml_root(std::string_view document);

// How a document is to be read. kXml is for XHTML and SVG that are served as such: they are read by
// the rules of XML if reads_as_xml(), and otherwise by those of HTML.
enum class Syntax : std::uint8_t { kHtml, kXml };
// Whether `document` is read by the rules of XML. It must be in UTF-8, without a byte order mark.
bool reads_as_xml(std::string_view document);

// The elements of a document that reads_as_xml(), under the names that HTML's readers use, so that
// links, texts and items need only one kind of reading. Takes linear time.
//
//   XmlElements elements(document);
//   while (elements.next(token) != TokenType::kEnd) ...
class XmlElements {
 public:
  explicit XmlElements(std::string_view document) : tokens_(document) {}

  // Does the same as XmlTokens::next(), with these differences:
  // - Every start tag has its end tag (that of <br/> has no bytes).
  // - A start tag's name has no prefix, and `element` is what the name stands for.
  // - xlink:href has that name whatever its prefix is.
  // - An HTML element's attributes with capital letters are left out.
  TokenType next(Token& token);
  // The namespace of the start tag that came last.
  XmlSpace space() const { return space_; }
  // Its HTML counterpart, where anything that is neither HTML nor SVG counts as MathML.
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
