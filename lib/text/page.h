// SPDX-License-Identifier: Apache-2.0
// A page as its text: a flat log of the elements that lay out text, and of the runs of text between them.
//
//   PageReader reader;
//   const Page& page = reader.read(document, "utf-8");     // bytes, and the charset that HTTP said (and Syntax::kXml)
//   for (const Block& block : page.blocks) use(page.text_of(block), page.cues_of(block));
//
//   nodes:    0 body   1 nav    2 ul     3 main   4 p       a node's parent comes before it; the blocks within
//   parent:   0        0        1        0        3         it, at any depth, are [first_block, end_block)
//   blocks:   {2 "Home"} {4 "The text of the paragraph, folded"}
//
// White space is folded as it would be rendered without style sheets; newlines of <br> and inside <pre> are kept.
// Text that the standard moves out of a table stays where the page has it. Linear in the page's bytes, whatever its
// depth; takes 28 bytes an element, 24 a block, and the text. The page lives until the next read(). Not thread-safe.
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

struct Node {
  std::uint32_t parent = 0;
  std::uint32_t first_block = 0;
  std::uint32_t end_block = 0;
  std::uint32_t signature = 0;  // of its name and class: elements of a list share one
  std::uint32_t own = 0;        // cues, by number: Page::cue_sets
  std::uint32_t around = 0;     // its own cues and those of all elements around it
  html::Element element = html::Element::kUnknown;
  std::uint16_t depth = 0;
};

// A part of the text: a link, an emphasis, the alternative of an image, or what tells who wrote the page and when.
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
  std::uint8_t weight = 0;  // for kAuthor and kDate: how certain it is; higher is more certain
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t value =
      0;  // of Page::values: href, datetime, or of an image its alternative, a tab and src
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
  std::string base;  // <base href>, where there is one
  bool has_base = false;
  html::Charset charset;

  std::string_view text_of(const Block& block) const {
    return std::string_view(text).substr(block.begin, block.end - block.begin);
  }
  // The cues of the element around a block, and of all around that.
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
  // `piece` is how many bytes at a time the tokenizer gets, for tests; 0: all at once, as XML always is.
  const Page& read(std::string_view document, std::string_view http_charset,
                   html::Syntax syntax = html::Syntax::kHtml, std::size_t piece = 0);

 private:
  // An open element, by its index in the stack of open elements.
  struct Frame {
    BlockWriter::Place place;
    std::uint32_t span = 0;  // 1 + index of the first open span
    std::uint8_t spans = 0;  // how many there are
    html::Element element = html::Element::kUnknown;
    bool block = false;
    bool silent = false;   // its text is not part of the page's
    bool picture = false;  // since it is one of SVG's, whose HTML is
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
  html::Element raw_ = html::Element::kUnknown;  // whose raw text is being read
  std::string scratch_;
  std::string bytes_;  // the document in UTF-8
};

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_PAGE_H_
