// SPDX-License-Identifier: Apache-2.0
// Blocks as Markdown (CommonMark, with GitHub's tables), each in the lists and quotes that it stands in.
//
//   MarkdownWriter writer(page, how);
//   for (std::size_t i = 0; i < page.blocks.size(); ++i) if (chosen[i]) writer.add(page.blocks[i], images);
//   std::string text = writer.take();
//
// A list in a list is indented, code has a fence longer than any within, a cell that is empty keeps its column, and what
// would end a cell, a link or its address is escaped there. A table of one column, or that holds headings, tables or code
// of several lines, is for layout: its cells are blocks like others. Linear in the page, but for prefixes of 64 elements.
#ifndef SPINNERET_TEXT_MARKDOWN_H_
#define SPINNERET_TEXT_MARKDOWN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/page.h"
#include "text/render.h"

namespace spinneret::text {

class MarkdownWriter {
 public:
  // Borrowed.
  MarkdownWriter(const Page& page, const Rendering& how);

  // `images`: spans in it, by their places.
  void add(const Block& block, const std::vector<const Span*>& images);
  // An image by itself, where a block in this element would stand.
  void add_image(const Span& image, std::uint32_t node);
  std::string take();

 private:
  // A list's item or a quote, from the outermost.
  struct Place {
    std::uint32_t node = 0;
    std::uint32_t list = 0;    // 0: a quote
    std::uint32_t number = 0;  // of an item in a list that counts
  };
  struct Inline;

  std::vector<Place> places_of(std::uint32_t node) const;
  void open(std::uint32_t node);
  bool open_cell(std::uint32_t node);
  void close_row();
  // How many columns its widest row has; 0: for layout.
  unsigned columns_of(std::uint32_t table);
  void add_code(const Block& block);
  void add_inline(const Block& block, const std::vector<const Span*>& images);
  std::string address_of(std::string_view address) const;
  void append_image(const Span& image);

  const Page& page_;
  const Rendering& how_;
  std::vector<std::uint32_t> opens_, closes_;  // spans, by where they do
  std::size_t next_open_ = 0, next_close_ = 0;
  std::vector<Place> places_;                     // of the last block
  std::string prefix_;                            // of a further line there
  std::uint32_t table_ = 0, row_ = 0, cell_ = 0;  // that are open
  bool first_row_ = false;
  unsigned cells_ = 0;  // of the row, so far
  std::unordered_map<std::uint32_t, unsigned> columns_;
  std::string out_;
};

// 1 to 6; 0: no heading.
unsigned heading_level(const Page& page, std::uint32_t node);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_MARKDOWN_H_
