// SPDX-License-Identifier: Apache-2.0
// A page as its text: a flat log of the elements that lay out text, and of the runs of text between them.
//
//   PageReader reader;
//   const Page& page = reader.read(document, "utf-8");     // bytes, and the charset that HTTP said (and Syntax::kXml)
//   for (const Block& block : page.blocks) use(page.text_of(block), page.nodes[block.node].cues);
//
//   nodes:    0 body   1 nav    2 ul     3 main   4 p       a node's parent comes before it; the blocks within
//   parent:   0        0        1        0        3         it, at any depth, are [first_block, end_block)
//   blocks:   {2 "Home"} {4 "The text of the paragraph, folded"}
//
// White space is folded as it would be rendered without style sheets; <br> and what <pre> holds keep their newlines.
// Text that is fostered out of a table stands where the page has it. Linear in the page's bytes, whatever its depth;
// 40 bytes an element, 24 a block, and the text. The page lives until the next read(). Not thread-safe.
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
  std::uint32_t signature = 0;  // of its name and class: what stands in a list has one
  Cues own = 0;
  Cues cues = 0;  // its own and those of all around it
  html::Element element = html::Element::kUnknown;
  std::uint16_t depth = 0;
};

// A part of the text: a link, an emphasis, an image's alternative, or what says who wrote it and when.
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
  std::uint8_t weight = 0;  // of kAuthor and kDate: how sure, more is surer
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string value;  // href, src, datetime
};

struct MetaFact {
  std::string name;  // in lower case: "og:title", "article:published_time", "author"
  std::string value;
};

struct Page {
  std::string text;  // of all blocks, one behind the other
  std::vector<Node> nodes;
  std::vector<Block> blocks;
  std::vector<Span> spans;  // in the order of their ends
  std::vector<MetaFact> metas;
  std::vector<std::string> json;  // the JSON-LD scripts
  std::string title;
  std::string lang;
  html::Charset charset;

  std::string_view text_of(const Block& block) const {
    return std::string_view(text).substr(block.begin, block.end - block.begin);
  }
};

class PageReader : private html::TreeObserver {
 public:
  PageReader();
  const Page& read(std::string_view document, std::string_view http_charset,
                   html::Syntax syntax = html::Syntax::kHtml);

 private:
  // What is open, by its index in the stack of open elements.
  struct Frame {
    BlockWriter::Place place;
    std::uint32_t span = 0;  // 1 + index of an open span
    html::Element element = html::Element::kUnknown;
    bool block = false;
    bool silent = false;  // its text is none of the page's
  };
  struct Wanted;

  std::uint32_t made(const html::MadeElement& element) override;
  void closed(std::size_t index) override;
  std::string_view in_utf8(std::string_view document);
  void begin_page();
  void end_page();
  void scan(std::string_view document);
  void scan_xml(std::string_view document);
  void start_tag();
  void begin_raw_text();
  void on_text();
  void raw_text();
  void note_meta();
  void open_span(const html::MadeElement& element, const Wanted& found, Cues own, Frame& frame);
  std::string_view decoded(std::string_view raw);

  Page page_;
  html::Tokenizer tokenizer_;
  html::Tree tree_;
  html::Token token_;
  std::vector<Frame> frames_;
  BlockWriter blocks_{page_};
  CueCache cues_;
  bool restart_ = false;
  html::Element raw_ = html::Element::kUnknown;  // whose raw text is being read
  std::string scratch_;
  std::string bytes_;  // the document in UTF-8
};

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_PAGE_H_
