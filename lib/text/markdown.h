// SPDX-License-Identifier: Apache-2.0
// Writes blocks as Markdown (CommonMark with GitHub's tables), inside the lists and quotes around them.
//
//   MarkdownWriter writer(page, how);
//   for (std::size_t i = 0; i < page.blocks.size(); ++i) if (chosen[i]) writer.add(page.blocks[i], images);
//   std::string text = writer.take();
//
// A list within a list is indented, code has a fence longer than any inside it, an empty cell keeps its column, and
// characters that would end a cell, a link or its address are escaped. A table with one column, and one that contains
// headings, tables or code of several lines, is taken to be for layout: its cells are written like other blocks.
// Linear in the page, except for prefixes of up to 64 elements.
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

  // `images` are the spans in it, by their places.
  void add(const Block& block, const std::vector<const Span*>& images);
  // Adds an image by itself, where a block in this element would go.
  void add_image(const Span& image, std::uint32_t node);
  std::string take();

 private:
  // An item of a list, or a quote, from the outermost inwards.
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
  // The number of columns in its widest row; 0: the table is for layout.
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

// 1 to 6; 0: it is not a heading.
unsigned heading_level(const Page& page, std::uint32_t node);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_MARKDOWN_H_
