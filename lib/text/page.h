// SPDX-License-Identifier: Apache-2.0
// A page as its text: a flat log of the elements that lay out text, and of the runs of text between
// them.
//
//   PageReader reader;
//   const Page& page = reader.read(document, "utf-8");   // HTTP's charset; XML: Syntax::kXml
//   for (const Block& block : page.blocks) use(page.text_of(block), page.cues_of(block));
//
//   nodes:   0 body  1 nav   2 ul    3 main  4 p     a node's parent comes before it; the
//   parent:  0       0       1       0       3       blocks within it, at any depth, are
//   blocks:  {2 "Home"} {4 "The text ..., folded"}   [first_block, end_block)
//
// White space is folded as it would be rendered without style sheets; newlines of <br> and inside
// <pre> are kept. Text that the standard moves out of a table stays where it is in the page. Takes
// time linear in the page's bytes, whatever its depth, and 28 bytes an element, 24 a block, and the
// text. The page lives until the next read(). Not thread-safe.
#ifndef SPINNERET_TEXT_PAGE_H_
#define SPINNERET_TEXT_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "html/charset.h"
#include "html/tree.h"
#include "html/xml_tokens.h"
#include "text/blocks.h"
#include "text/cues.h"

namespace spinneret::text {

// An element that lays out text.
struct Node {
  std::uint32_t parent = 0;
  std::uint32_t first_block = 0;
  std::uint32_t end_block = 0;
  std::uint32_t signature = 0;  // of its name and class: items of one list share it
  std::uint32_t own = 0;        // cues, by number: Page::cue_sets
  std::uint32_t around = 0;     // its own cues and those of all elements around it, by number
  html::Element element = html::Element::kUnknown;
  std::uint16_t depth = 0;
};

// A part of the text: a link, an emphasis, the alternative of an image, a headline, or what tells
// the author or the date.
enum class SpanKind : std::uint8_t {
  kLink,
  kStrong,
  kEmphasis,
  kCode,
  kImage,
  kAuthor,
  kDate,
  kHeadline
};
struct Span {
  SpanKind kind = SpanKind::kLink;
  std::uint8_t weight = 0;  // of kAuthor and kDate: how certain it is; higher is more certain
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  // in Page::values: href, datetime, or for an image its alternative, a tab and src
  std::uint32_t value = 0;
  std::uint32_t value_size = 0;
};

struct MetaFact {
  std::string name;  // in lower case: "og:title", "article:published_time", "author"
  std::string value;
};

struct Page {
  std::string text;  // of all blocks, one behind the other
  std::vector<Node> nodes;
  CueSets cue_sets;
  std::vector<Block> blocks;
  std::vector<Span> spans;  // in the order of their ends
  std::string values;       // of the spans
  std::vector<MetaFact> metas;
  std::vector<std::string> json;  // the JSON-LD scripts
  std::string title;
  std::string lang;
  std::string base;  // <base href>, if there is one
  bool has_base = false;
  html::Charset charset;

  std::string_view text_of(const Block& block) const {
    return std::string_view(text).substr(block.begin, block.end - block.begin);
  }
  // The cues of the elements around a block, from the nearest one outwards.
  Cues cues_of(const Block& block) const { return cue_sets[nodes[block.node].around]; }
  Cues own_cues(const Node& node) const { return cue_sets[node.own]; }
  std::string_view value_of(const Span& span) const {
    return std::string_view(values).substr(span.value, span.value_size);
  }
};

struct Attributes;

class PageReader : private html::TreeObserver {
 public:
  PageReader();
  // `piece` is the number of bytes that the tokenizer gets at a time, for tests; 0 means all at
  // once, as XML is always read.
  const Page& read(std::string_view document, std::string_view http_charset,
                   html::Syntax syntax = html::Syntax::kHtml, std::size_t piece = 0);

 private:
  // The state of an open element, at its index in the stack of open elements.
  struct Frame {
    BlockWriter::Place place;
    std::uint32_t span = 0;  // 1 + index of the element's first span
    std::uint8_t spans = 0;  // number of its spans, which are still open
    html::Element element = html::Element::kUnknown;
    bool block = false;
    bool silent = false;   // its text is not part of the page's
    bool picture = false;  // silent because it is SVG; HTML inside it is not
  };

  std::uint32_t made(const html::MadeElement& element) override;
  void closed(std::size_t index) override;
  void begin_page(std::size_t size);
  void end_page();
  void scan(std::string_view document, std::size_t piece);
  void scan_xml(std::string_view document);
  void start_tag();
  void begin_raw_text();
  void on_text();
  void raw_text();
  void note_meta();
  void note_base(const Attributes& found);
  void open_spans(const html::MadeElement& element, const Attributes& found, Cues own,
                  Frame& frame);
  bool says_who_or_when(const html::MadeElement& made, const Attributes& found, Cues own,
                        Span& span);
  void note_image(const Attributes& found);
  void make_room();

  Page page_;
  html::Tokenizer tokenizer_;
  html::Tree tree_;
  html::Token token_;
  std::vector<Frame> frames_;
  BlockWriter blocks_{page_};
  CueCache cues_;
  std::size_t size_ = 0;  // of the document
  bool restart_ = false;
  html::Element raw_ = html::Element::kUnknown;  // the element whose raw text is being read
  std::string scratch_;
  std::string bytes_;  // the document in UTF-8
};

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_PAGE_H_
