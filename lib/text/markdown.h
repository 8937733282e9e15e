// SPDX-License-Identifier: Apache-2.0
// Writes blocks as Markdown (CommonMark with GitHub's tables), inside the lists and quotes around
// them.
//
//   MarkdownWriter writer(page, how);
//   for (std::size_t i = 0; i < page.blocks.size(); ++i)
//     if (chosen[i]) writer.add(page.blocks[i], images);
//   std::string text = writer.take();
//
// A list within a list is indented, code has a fence longer than any inside it, an empty cell keeps
// its column, and characters that would end a cell, a link or its address are escaped. A table with
// only one column is taken to be for layout, as is one that contains headings, tables or code of
// several lines: its cells are written like other blocks. Takes time linear in the page, except for
// prefixes of up to 64 elements.
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
  // Both arguments are borrowed.
  MarkdownWriter(const Page& page, const Rendering& how);

  // Adds a block. `images` are the image spans in it, in the order of their places.
  void add(const Block& block, const std::vector<const Span*>& images);
  // Adds an image by itself, where a block in this element would be written.
  void add_image(const Span& image, std::uint32_t node);
  std::string take();

 private:
  // An item of a list, or a quote. Places are listed from the outermost inwards.
  struct Place {
    std::uint32_t node = 0;
    std::uint32_t list = 0;    // the list's node; 0 for a quote
    std::uint32_t number = 0;  // of an item in a numbered list; otherwise 0
  };
  struct Inline;

  std::vector<Place> places_of(std::uint32_t node) const;
  void open(std::uint32_t node);
  bool open_cell(std::uint32_t node);
  void close_row();
  // Returns the number of columns in the table's widest row, or 0 if the table is for layout.
  unsigned columns_of(std::uint32_t table);
  void add_code(const Block& block);
  void add_inline(const Block& block, const std::vector<const Span*>& images);
  std::string address_of(std::string_view address) const;
  void append_image(const Span& image);

  const Page& page_;
  const Rendering& how_;
  std::vector<std::uint32_t> opens_, closes_;  // indexes of spans, by where they open and close
  std::size_t next_open_ = 0, next_close_ = 0;
  std::vector<Place> places_;                     // of the last block
  std::string prefix_;                            // begins each further line in these places
  std::uint32_t table_ = 0, row_ = 0, cell_ = 0;  // nodes that are open
  bool first_row_ = false;
  unsigned cells_ = 0;  // so far in the open row
  std::unordered_map<std::uint32_t, unsigned> columns_;
  std::string out_;
};

// Returns the level of the heading that `node` is or stands in, 1 to 6, or 0.
unsigned heading_level(const Page& page, std::uint32_t node);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_MARKDOWN_H_
