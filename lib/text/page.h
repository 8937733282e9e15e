// SPDX-License-Identifier: Apache-2.0
// A page as its text: a flat log of the elements that lay out text, and of the runs of text between them.
//
//   PageReader reader;
//   const Page& page = reader.read(document, "utf-8");     // bytes, and the charset that HTTP said
//   for (const Block& block : page.blocks) use(page.text_of(block), page.nodes[block.node].cues);
//
//   nodes:    0 body   1 nav    2 ul     3 main   4 p       a node's parent comes before it; the blocks within
//   parent:   0        0        1        0        3         it, at any depth, are [first_block, end_block)
//   blocks:   {2 "Home"} {4 "The text of the paragraph, folded"}
//
// White space is folded as it would be rendered without style sheets; <br> and what <pre> holds keep their newlines.
// Text that is fostered out of a table stands where the page has it. Linear in the page's bytes, whatever its depth;
// 32 bytes an element, 36 a block, and the text. The page lives until the next read(). Not thread-safe.
#ifndef SPINNERET_TEXT_PAGE_H_
#define SPINNERET_TEXT_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "html/charset.h"
#include "html/tree.h"
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

struct Block {
  std::uint32_t node = 0;
  std::uint32_t begin = 0;  // of Page::text
  std::uint32_t end = 0;
  std::uint32_t words = 0;
  std::uint32_t link_words = 0;
  std::uint32_t emphasis_words = 0;
  bool hidden = false;  // as the page says without style sheets
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
  const Page& read(std::string_view document, std::string_view http_charset);

 private:
  // What is open, by its index in the stack of open elements.
  struct Frame {
    std::uint32_t node = 0;
    std::uint32_t span = 0;  // 1 + index of an open span
    html::Element element = html::Element::kUnknown;
    bool block = false;
    bool link = false;
    bool emphasis = false;
    bool hidden = false;
    bool silent = false;  // its text is none of the page's
    bool preformatted = false;
  };

  std::uint32_t made(const html::MadeElement& element) override;
  void closed(std::size_t index) override;
  void scan(std::string_view document);
  void start_tag();
  void on_text();
  void raw_text();
  void note_meta();
  Cues read_attributes(const html::MadeElement& element, Frame& frame);
  void open_span(const html::MadeElement& element, Cues own, Frame& frame);
  void add_text(std::string_view text, const Frame& frame);
  void end_block(bool last = false);
  std::string_view decoded(std::string_view raw);

  Page page_;
  html::Tokenizer tokenizer_;
  html::Tree tree_;
  html::Token token_;
  std::vector<Frame> frames_;
  Block block_;  // the open one, or the last; its end is that of the text, but for white space
  bool block_open_ = false;
  bool space_ = false;  // white space is due before the next word
  bool in_word_ = false;
  bool restart_ = false;
  html::Element raw_ = html::Element::kUnknown;  // whose raw text is being read
  std::string scratch_;
  std::string bytes_;  // the document in UTF-8
};

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_PAGE_H_
