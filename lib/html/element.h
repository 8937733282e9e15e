// SPDX-License-Identifier: Apache-2.0
// The elements that the standard's tree construction, or a source of links, knows by name, and what
// the standard says of each. Every other name is Element::kUnknown.
#ifndef SPINNERET_HTML_ELEMENT_H_
#define SPINNERET_HTML_ELEMENT_H_

#include <cstdint>
#include <string_view>

namespace spinneret::html {

// X(enumerator, "name", flags)
#define SPINNERET_HTML_ELEMENTS(X)                                        \
  X(kA, "a", kFormattingFlag)                                             \
  X(kAddress, "address", kSpecialFlag | kBlockFlag)                       \
  X(kAnnotationXml, "annotation-xml", 0)                                  \
  X(kApplet, "applet", kSpecialFlag | kScopeFlag)                         \
  X(kArea, "area", kSpecialFlag | kVoidFlag)                              \
  X(kArticle, "article", kSpecialFlag | kBlockFlag)                       \
  X(kAside, "aside", kSpecialFlag | kBlockFlag)                           \
  X(kAudio, "audio", 0)                                                   \
  X(kB, "b", kFormattingFlag | kBreakoutFlag)                             \
  X(kBase, "base", kSpecialFlag | kVoidFlag | kHeadFlag)                  \
  X(kBasefont, "basefont", kSpecialFlag | kVoidFlag | kHeadFlag)          \
  X(kBgsound, "bgsound", kSpecialFlag | kVoidFlag | kHeadFlag)            \
  X(kBig, "big", kFormattingFlag | kBreakoutFlag)                         \
  X(kBlockquote, "blockquote", kSpecialFlag | kBlockFlag | kBreakoutFlag) \
  X(kBody, "body", kSpecialFlag | kBreakoutFlag | kApartFlag)             \
  X(kBr, "br", kSpecialFlag | kVoidFlag | kBreakoutFlag)                  \
  X(kButton, "button", kSpecialFlag)                                      \
  X(kCaption, "caption", kSpecialFlag | kScopeFlag | kTablePartFlag)      \
  X(kCenter, "center", kSpecialFlag | kBlockFlag | kBreakoutFlag)         \
  X(kCode, "code", kFormattingFlag | kBreakoutFlag)                       \
  X(kCol, "col", kSpecialFlag | kVoidFlag | kTablePartFlag)               \
  X(kColgroup, "colgroup", kSpecialFlag | kTablePartFlag)                 \
  X(kDd, "dd", kSpecialFlag | kBreakoutFlag | kImpliedFlag)               \
  X(kDesc, "desc", 0)                                                     \
  X(kDetails, "details", kSpecialFlag | kBlockFlag)                       \
  X(kDialog, "dialog", kBlockFlag)                                        \
  X(kDir, "dir", kSpecialFlag | kBlockFlag)                               \
  X(kDiv, "div", kSpecialFlag | kBlockFlag | kBreakoutFlag)               \
  X(kDl, "dl", kSpecialFlag | kBlockFlag | kBreakoutFlag)                 \
  X(kDt, "dt", kSpecialFlag | kBreakoutFlag | kImpliedFlag)               \
  X(kEm, "em", kFormattingFlag | kBreakoutFlag)                           \
  X(kEmbed, "embed", kSpecialFlag | kVoidFlag | kBreakoutFlag)            \
  X(kFencedframe, "fencedframe", 0)                                       \
  X(kFieldset, "fieldset", kSpecialFlag | kBlockFlag)                     \
  X(kFigcaption, "figcaption", kSpecialFlag | kBlockFlag)                 \
  X(kFigure, "figure", kSpecialFlag | kBlockFlag)                         \
  X(kFont, "font", kFormattingFlag)                                       \
  X(kFooter, "footer", kSpecialFlag | kBlockFlag)                         \
  X(kForeignObject, "foreignobject", 0)                                   \
  X(kForm, "form", kSpecialFlag)                                          \
  X(kFrame, "frame", kSpecialFlag | kVoidFlag | kApartFlag)               \
  X(kFrameset, "frameset", kSpecialFlag | kApartFlag)                     \
  X(kH1, "h1", kSpecialFlag | kBreakoutFlag | kHeadingFlag)               \
  X(kH2, "h2", kSpecialFlag | kBreakoutFlag | kHeadingFlag)               \
  X(kH3, "h3", kSpecialFlag | kBreakoutFlag | kHeadingFlag)               \
  X(kH4, "h4", kSpecialFlag | kBreakoutFlag | kHeadingFlag)               \
  X(kH5, "h5", kSpecialFlag | kBreakoutFlag | kHeadingFlag)               \
  X(kH6, "h6", kSpecialFlag | kBreakoutFlag | kHeadingFlag)               \
  X(kHead, "head", kSpecialFlag | kBreakoutFlag | kApartFlag)             \
  X(kHeader, "header", kSpecialFlag | kBlockFlag)                         \
  X(kHgroup, "hgroup", kSpecialFlag | kBlockFlag)                         \
  X(kHr, "hr", kSpecialFlag | kVoidFlag | kBreakoutFlag)                  \
  X(kHtml, "html", kSpecialFlag | kScopeFlag | kApartFlag)                \
  X(kI, "i", kFormattingFlag | kBreakoutFlag)                             \
  X(kIframe, "iframe", kSpecialFlag | kApartFlag)                         \
  X(kImage, "image", kApartFlag)                                          \
  X(kImg, "img", kSpecialFlag | kVoidFlag | kBreakoutFlag)                \
  X(kInput, "input", kSpecialFlag | kVoidFlag)                            \
  X(kKeygen, "keygen", kSpecialFlag | kVoidFlag)                          \
  X(kLi, "li", kSpecialFlag | kBreakoutFlag | kImpliedFlag)               \
  X(kLink, "link", kSpecialFlag | kVoidFlag | kHeadFlag)                  \
  X(kListing, "listing", kSpecialFlag | kBlockFlag | kBreakoutFlag)       \
  X(kMain, "main", kSpecialFlag | kBlockFlag)                             \
  X(kMalignmark, "malignmark", 0)                                         \
  X(kMarquee, "marquee", kSpecialFlag | kScopeFlag)                       \
  X(kMath, "math", kApartFlag)                                            \
  X(kMenu, "menu", kSpecialFlag | kBlockFlag | kBreakoutFlag)             \
  X(kMeta, "meta", kSpecialFlag | kVoidFlag | kHeadFlag | kBreakoutFlag)  \
  X(kMglyph, "mglyph", 0)                                                 \
  X(kMi, "mi", 0)                                                         \
  X(kMn, "mn", 0)                                                         \
  X(kMo, "mo", 0)                                                         \
  X(kModel, "model", 0)                                                   \
  X(kMs, "ms", 0)                                                         \
  X(kMtext, "mtext", 0)                                                   \
  X(kNav, "nav", kSpecialFlag | kBlockFlag)                               \
  X(kNobr, "nobr", kFormattingFlag | kBreakoutFlag)                       \
  X(kNoembed, "noembed", kSpecialFlag | kApartFlag)                       \
  X(kNoframes, "noframes", kSpecialFlag | kHeadFlag)                      \
  X(kNoscript, "noscript", kSpecialFlag)                                  \
  X(kObject, "object", kSpecialFlag | kScopeFlag)                         \
  X(kOl, "ol", kSpecialFlag | kBlockFlag | kBreakoutFlag)                 \
  X(kOptgroup, "optgroup", kImpliedFlag)                                  \
  X(kOption, "option", kImpliedFlag)                                      \
  X(kP, "p", kSpecialFlag | kBlockFlag | kBreakoutFlag | kImpliedFlag)    \
  X(kParam, "param", kSpecialFlag | kVoidFlag)                            \
  X(kPicture, "picture", 0)                                               \
  X(kPlaintext, "plaintext", kSpecialFlag | kApartFlag)                   \
  X(kPortal, "portal", 0)                                                 \
  X(kPre, "pre", kSpecialFlag | kBlockFlag | kBreakoutFlag)               \
  X(kQ, "q", 0)                                                           \
  X(kRb, "rb", kImpliedFlag)                                              \
  X(kRp, "rp", kImpliedFlag)                                              \
  X(kRt, "rt", kImpliedFlag)                                              \
  X(kRtc, "rtc", kImpliedFlag)                                            \
  X(kRuby, "ruby", kBreakoutFlag)                                         \
  X(kS, "s", kFormattingFlag | kBreakoutFlag)                             \
  X(kScript, "script", kSpecialFlag | kHeadFlag)                          \
  X(kSearch, "search", kSpecialFlag | kBlockFlag)                         \
  X(kSection, "section", kSpecialFlag | kBlockFlag)                       \
  X(kSelect, "select", kSpecialFlag | kScopeFlag)                         \
  X(kSmall, "small", kFormattingFlag | kBreakoutFlag)                     \
  X(kSource, "source", kSpecialFlag | kVoidFlag)                          \
  X(kSpan, "span", kBreakoutFlag)                                         \
  X(kStrike, "strike", kFormattingFlag | kBreakoutFlag)                   \
  X(kStrong, "strong", kFormattingFlag | kBreakoutFlag)                   \
  X(kStyle, "style", kSpecialFlag | kHeadFlag)                            \
  X(kSub, "sub", kBreakoutFlag)                                           \
  X(kSummary, "summary", kSpecialFlag | kBlockFlag)                       \
  X(kSup, "sup", kBreakoutFlag)                                           \
  X(kSvg, "svg", kApartFlag)                                              \
  X(kTable, "table", kSpecialFlag | kScopeFlag | kBreakoutFlag)           \
  X(kTbody, "tbody", kSpecialFlag | kTablePartFlag)                       \
  X(kTd, "td", kSpecialFlag | kScopeFlag | kTablePartFlag)                \
  X(kTemplate, "template", kSpecialFlag | kScopeFlag | kHeadFlag)         \
  X(kTextarea, "textarea", kSpecialFlag | kApartFlag)                     \
  X(kTfoot, "tfoot", kSpecialFlag | kTablePartFlag)                       \
  X(kTh, "th", kSpecialFlag | kScopeFlag | kTablePartFlag)                \
  X(kThead, "thead", kSpecialFlag | kTablePartFlag)                       \
  X(kTitle, "title", kSpecialFlag | kHeadFlag)                            \
  X(kTr, "tr", kSpecialFlag | kTablePartFlag)                             \
  X(kTrack, "track", kSpecialFlag | kVoidFlag)                            \
  X(kTt, "tt", kFormattingFlag | kBreakoutFlag)                           \
  X(kU, "u", kFormattingFlag | kBreakoutFlag)                             \
  X(kUl, "ul", kSpecialFlag | kBlockFlag | kBreakoutFlag)                 \
  X(kUse, "use", 0)                                                       \
  X(kVar, "var", kBreakoutFlag)                                           \
  X(kVideo, "video", 0)                                                   \
  X(kWbr, "wbr", kSpecialFlag | kVoidFlag)                                \
  X(kXmp, "xmp", kSpecialFlag | kApartFlag)

enum ElementFlag : std::uint16_t {
  kSpecialFlag = 1,     // 13.2.4.2: the special category
  kFormattingFlag = 2,  // the formatting category
  kScopeFlag = 4,       // ends "has an element in scope"
  kVoidFlag = 8,        // never on the stack
  kBlockFlag = 16,  // start tag closes a p; end tag needs the element in scope (p has its own rule)
  kBreakoutFlag = 32,    // start tag ends foreign content (13.2.6.5)
  kImpliedFlag = 64,     // "generate implied end tags"
  kHeadFlag = 128,       // handled by the rules of "in head" from anywhere
  kTablePartFlag = 256,  // start tag ignored "in body"
  kHeadingFlag = 512,
  kApartFlag =
      1024,  // start tag is more than an element: raw text, foreign, or a part of the document
};

enum class Element : std::uint8_t {
  kUnknown,
#define SPINNERET_HTML_X(enumerator, name, flags) enumerator,
  SPINNERET_HTML_ELEMENTS(SPINNERET_HTML_X)
#undef SPINNERET_HTML_X
      kCount
};

constexpr std::size_t index_of(Element element) { return static_cast<std::size_t>(element); }
constexpr std::size_t kElementCount = index_of(Element::kCount);

inline constexpr std::uint16_t kElementFlags[] = {0,
#define SPINNERET_HTML_X(enumerator, name, flags) flags,
                                                  SPINNERET_HTML_ELEMENTS(SPINNERET_HTML_X)
#undef SPINNERET_HTML_X
};

constexpr bool has_flag(Element element, std::uint16_t flags) {
  return (kElementFlags[index_of(element)] & flags) != 0;
}

// Whether the element's start tag always makes an element by the rules of the body and has no other
// noteworthy effect. The fast paths treat only such elements.
constexpr bool is_plain_element(Element element) {
  return element != Element::kUnknown && !has_flag(element, kHeadFlag | kApartFlag);
}

// Finds an element by its tag name in any case; returns kUnknown for other names.
Element find_element(std::string_view name);
// Does the same where all bytes up to `end` may be read.
Element find_element(std::string_view name, const char* end);
// The name in lower case; empty for kUnknown.
std::string_view element_name(Element element);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_ELEMENT_H_
