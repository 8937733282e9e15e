// SPDX-License-Identifier: Apache-2.0
// The elements that the HTML standard's tree construction, or a link, knows by name, and what the standard
// says of each. All other names are Element::kUnknown.
#ifndef SPINNERET_HTML_ELEMENT_H_
#define SPINNERET_HTML_ELEMENT_H_

#include <cstdint>
#include <string_view>

namespace spinneret::html {

// X(enumerator, "name", flags)
#define SPINNERET_HTML_ELEMENTS(X)                              \
  X(kA, "a", kFormatting)                                       \
  X(kAddress, "address", kSpecial | kBlock)                     \
  X(kAnnotationXml, "annotation-xml", 0)                        \
  X(kApplet, "applet", kSpecial | kScope)                       \
  X(kArea, "area", kSpecial | kVoid)                            \
  X(kArticle, "article", kSpecial | kBlock)                     \
  X(kAside, "aside", kSpecial | kBlock)                         \
  X(kAudio, "audio", 0)                                         \
  X(kB, "b", kFormatting | kBreakout)                           \
  X(kBase, "base", kSpecial | kVoid | kHead)                    \
  X(kBasefont, "basefont", kSpecial | kVoid | kHead)            \
  X(kBgsound, "bgsound", kSpecial | kVoid | kHead)              \
  X(kBig, "big", kFormatting | kBreakout)                       \
  X(kBlockquote, "blockquote", kSpecial | kBlock | kBreakout)   \
  X(kBody, "body", kSpecial | kBreakout)                        \
  X(kBr, "br", kSpecial | kVoid | kBreakout)                    \
  X(kButton, "button", kSpecial)                                \
  X(kCaption, "caption", kSpecial | kScope | kTablePart)        \
  X(kCenter, "center", kSpecial | kBlock | kBreakout)           \
  X(kCode, "code", kFormatting | kBreakout)                     \
  X(kCol, "col", kSpecial | kVoid | kTablePart)                 \
  X(kColgroup, "colgroup", kSpecial | kTablePart)               \
  X(kDd, "dd", kSpecial | kBreakout | kImplied)                 \
  X(kDesc, "desc", 0)                                           \
  X(kDetails, "details", kSpecial | kBlock)                     \
  X(kDialog, "dialog", kBlock)                                  \
  X(kDir, "dir", kSpecial | kBlock)                             \
  X(kDiv, "div", kSpecial | kBlock | kBreakout)                 \
  X(kDl, "dl", kSpecial | kBlock | kBreakout)                   \
  X(kDt, "dt", kSpecial | kBreakout | kImplied)                 \
  X(kEm, "em", kFormatting | kBreakout)                         \
  X(kEmbed, "embed", kSpecial | kVoid | kBreakout)              \
  X(kFieldset, "fieldset", kSpecial | kBlock)                   \
  X(kFigcaption, "figcaption", kSpecial | kBlock)               \
  X(kFigure, "figure", kSpecial | kBlock)                       \
  X(kFont, "font", kFormatting)                                 \
  X(kFooter, "footer", kSpecial | kBlock)                       \
  X(kForeignObject, "foreignobject", 0)                         \
  X(kForm, "form", kSpecial)                                    \
  X(kFrame, "frame", kSpecial | kVoid)                          \
  X(kFrameset, "frameset", kSpecial)                            \
  X(kH1, "h1", kSpecial | kBreakout | kHeading)                 \
  X(kH2, "h2", kSpecial | kBreakout | kHeading)                 \
  X(kH3, "h3", kSpecial | kBreakout | kHeading)                 \
  X(kH4, "h4", kSpecial | kBreakout | kHeading)                 \
  X(kH5, "h5", kSpecial | kBreakout | kHeading)                 \
  X(kH6, "h6", kSpecial | kBreakout | kHeading)                 \
  X(kHead, "head", kSpecial | kBreakout)                        \
  X(kHeader, "header", kSpecial | kBlock)                       \
  X(kHgroup, "hgroup", kSpecial | kBlock)                       \
  X(kHr, "hr", kSpecial | kVoid | kBreakout)                    \
  X(kHtml, "html", kSpecial | kScope)                           \
  X(kI, "i", kFormatting | kBreakout)                           \
  X(kIframe, "iframe", kSpecial)                                \
  X(kImage, "image", 0)                                         \
  X(kImg, "img", kSpecial | kVoid | kBreakout)                  \
  X(kInput, "input", kSpecial | kVoid)                          \
  X(kKeygen, "keygen", kSpecial | kVoid)                        \
  X(kLi, "li", kSpecial | kBreakout | kImplied)                 \
  X(kLink, "link", kSpecial | kVoid | kHead)                    \
  X(kListing, "listing", kSpecial | kBlock | kBreakout)         \
  X(kMain, "main", kSpecial | kBlock)                           \
  X(kMalignmark, "malignmark", 0)                               \
  X(kMarquee, "marquee", kSpecial | kScope)                     \
  X(kMath, "math", 0)                                           \
  X(kMenu, "menu", kSpecial | kBlock | kBreakout)               \
  X(kMeta, "meta", kSpecial | kVoid | kHead | kBreakout)        \
  X(kMglyph, "mglyph", 0)                                       \
  X(kMi, "mi", 0)                                               \
  X(kMn, "mn", 0)                                               \
  X(kMo, "mo", 0)                                               \
  X(kMs, "ms", 0)                                               \
  X(kMtext, "mtext", 0)                                         \
  X(kNav, "nav", kSpecial | kBlock)                             \
  X(kNobr, "nobr", kFormatting | kBreakout)                     \
  X(kNoembed, "noembed", kSpecial)                              \
  X(kNoframes, "noframes", kSpecial | kHead)                    \
  X(kNoscript, "noscript", kSpecial)                            \
  X(kObject, "object", kSpecial | kScope)                       \
  X(kOl, "ol", kSpecial | kBlock | kBreakout)                   \
  X(kOptgroup, "optgroup", kImplied)                            \
  X(kOption, "option", kImplied)                                \
  X(kP, "p", kSpecial | kBlock | kBreakout | kImplied)          \
  X(kParam, "param", kSpecial | kVoid)                          \
  X(kPicture, "picture", 0)                                     \
  X(kPlaintext, "plaintext", kSpecial)                          \
  X(kPre, "pre", kSpecial | kBlock | kBreakout)                 \
  X(kQ, "q", 0)                                                 \
  X(kRb, "rb", kImplied)                                        \
  X(kRp, "rp", kImplied)                                        \
  X(kRt, "rt", kImplied)                                        \
  X(kRtc, "rtc", kImplied)                                      \
  X(kRuby, "ruby", kBreakout)                                   \
  X(kS, "s", kFormatting | kBreakout)                           \
  X(kScript, "script", kSpecial | kHead)                        \
  X(kSearch, "search", kSpecial | kBlock)                       \
  X(kSection, "section", kSpecial | kBlock)                     \
  X(kSelect, "select", kSpecial)                                \
  X(kSmall, "small", kFormatting | kBreakout)                   \
  X(kSource, "source", kSpecial | kVoid)                        \
  X(kSpan, "span", kBreakout)                                   \
  X(kStrike, "strike", kFormatting | kBreakout)                 \
  X(kStrong, "strong", kFormatting | kBreakout)                 \
  X(kStyle, "style", kSpecial | kHead)                          \
  X(kSub, "sub", kBreakout)                                     \
  X(kSummary, "summary", kSpecial | kBlock)                     \
  X(kSup, "sup", kBreakout)                                     \
  X(kSvg, "svg", 0)                                             \
  X(kTable, "table", kSpecial | kScope | kBreakout)             \
  X(kTbody, "tbody", kSpecial | kTablePart)                     \
  X(kTd, "td", kSpecial | kScope | kTablePart)                  \
  X(kTemplate, "template", kSpecial | kScope | kHead)           \
  X(kTextarea, "textarea", kSpecial)                            \
  X(kTfoot, "tfoot", kSpecial | kTablePart)                     \
  X(kTh, "th", kSpecial | kScope | kTablePart)                  \
  X(kThead, "thead", kSpecial | kTablePart)                     \
  X(kTitle, "title", kSpecial | kHead)                          \
  X(kTr, "tr", kSpecial | kTablePart)                           \
  X(kTrack, "track", kSpecial | kVoid)                          \
  X(kTt, "tt", kFormatting | kBreakout)                         \
  X(kU, "u", kFormatting | kBreakout)                           \
  X(kUl, "ul", kSpecial | kBlock | kBreakout)                   \
  X(kUse, "use", 0)                                             \
  X(kVar, "var", kBreakout)                                     \
  X(kVideo, "video", 0)                                         \
  X(kWbr, "wbr", kSpecial | kVoid)                              \
  X(kXmp, "xmp", kSpecial)

enum ElementFlag : std::uint16_t {
  kSpecial = 1,      // 13.2.4.2: the special category
  kFormatting = 2,   // the formatting category
  kScope = 4,        // ends "has an element in scope"
  kVoid = 8,         // never on the stack
  kBlock = 16,       // start tag closes a p; end tag is the plain "in scope" kind (p has its own)
  kBreakout = 32,    // start tag ends foreign content (13.2.6.5)
  kImplied = 64,     // "generate implied end tags"
  kHead = 128,       // handled by the rules of "in head" from anywhere
  kTablePart = 256,  // start tag ignored "in body"
  kHeading = 512,
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

inline constexpr std::uint16_t kElementFlags[] = {
    0,
#define SPINNERET_HTML_X(enumerator, name, flags) flags,
    SPINNERET_HTML_ELEMENTS(SPINNERET_HTML_X)
#undef SPINNERET_HTML_X
};

constexpr bool has_flag(Element element, std::uint16_t flags) {
  return (kElementFlags[index_of(element)] & flags) != 0;
}

// By tag name in any case; kUnknown for the others.
Element find_element(std::string_view name);
// In lower case; empty for kUnknown.
std::string_view element_name(Element element);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_ELEMENT_H_
