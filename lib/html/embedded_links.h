// SPDX-License-Identifier: Apache-2.0
// Links in content that is not markup of the page itself: values that hold several links, style
// sheets, strings of scripts and JSON, plain text, and nested documents. Links are added in order,
// and each full batch is handed over.
#ifndef SPINNERET_HTML_EMBEDDED_LINKS_H_
#define SPINNERET_HTML_EMBEDDED_LINKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "html/link_list.h"
#include "html/tree.h"

namespace spinneret::html {

class LinkExtractor;

class EmbeddedLinks {
 public:
  static constexpr int kMaxSrcdocDepth = 4;

  // How the strings of a script or JSON text are searched.
  enum class Strings : std::uint8_t { kScript, kJson, kJsonLd, kImportMap, kSpeculation };

  // All arguments are borrowed. `depth` is the number of documents around the present one.
  EmbeddedLinks(const ExtractOptions& options, Page& page, Values& values, PageFacts& facts,
                LinkList& list, int depth);
  ~EmbeddedLinks();

  // --- values of attributes; `link` describes the attribute ---
  void add_list(Link& link, std::string_view separators);
  void add_srcset(Link& link);
  void add_declarations(const Link& link, std::string_view declarations);
  void add_handler(const Link& link, std::string_view script);
  void add_srcdoc(const Link& link);
  // <meta http-equiv="Link">, which has the meaning of the header field.
  void add_link_header(Link link, std::string_view content);

  // --- texts that are read whole: title, style, script ---
  // Begins a text, if it is wanted.
  void begin_raw_text(const Token& token, const Placement& place, bool in_template);
  bool reads_raw_text() const { return raw_text_ != RawText::kNone; }
  bool reads_title() const { return raw_text_ == RawText::kTitle; }
  // Reads the decoded text; in a title, references are decoded here. `at` gives its place and
  // context.
  void read_raw_text(std::string_view text, const Link& at);
  void end_raw_text() { raw_text_ = RawText::kNone; }

  // --- others ---
  void add_sheet(const Link& link, std::string_view sheet);
  void add_strings(Link link, std::string_view source, Strings what);
  void add_text_urls(std::size_t offset, std::string_view text, LinkContext context);
  // Reads a comment that may hold links: <?xml-stylesheet href="..."?>, which is a comment in HTML
  // but not in XHTML, and <!--[if IE]> ... <![endif]-->.
  void on_comment(const Token& token);

 private:
  enum class RawText : std::uint8_t { kNone, kTitle, kStyle, kStrings };
  class NestedTaker;

  RawText raw_text_of(const Token& token, Element element);
  bool script_strings(std::string_view type);
  void add_css(Link link, std::string_view sheet, bool is_attribute);
  bool is_wanted(Link& link, std::string_view key, std::string_view text, Strings what) const;
  void add_nested(std::string_view document, std::string_view charset, std::size_t offset,
                  LinkContext context);
  void add_stylesheet_instruction(const Token& token);
  std::size_t offset_of(std::string_view inner, std::size_t around) const;

  const ExtractOptions& options_;
  Page& page_;
  Values& values_;
  PageFacts& facts_;
  LinkList& list_;
  int depth_;
  RawText raw_text_ = RawText::kNone;
  Strings strings_ = Strings::kScript;  // valid where raw_text_ is kStrings
  std::unique_ptr<LinkExtractor> nested_;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_EMBEDDED_LINKS_H_
