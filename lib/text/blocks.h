// SPDX-License-Identifier: Apache-2.0
// Collects a page's runs of text, folding white space as they come.
//
//   BlockWriter blocks(page);
//   blocks.add("Some\n  text", {node});  blocks.add(" of it", {node});  blocks.end();   // "Some text of it"
#ifndef SPINNERET_TEXT_BLOCKS_H_
#define SPINNERET_TEXT_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spinneret::text {

struct Page;

struct Block {
  std::uint32_t node = 0;
  std::uint32_t begin = 0;  // of Page::text
  std::uint32_t end = 0;
  std::uint32_t words = 0;
  std::uint32_t link_words = 0;
  std::uint32_t emphasis_words : 31 = 0;
  std::uint32_t hidden : 1 = 0;  // as the page says, without style sheets
};

class BlockWriter {
 public:
  // What surrounds a text.
  struct Place {
    std::uint32_t node = 0;
    bool link = false;
    bool emphasis = false;
    bool hidden = false;
    bool preformatted = false;
  };

  // Borrowed.
  explicit BlockWriter(Page& page) : page_(page) {}
  // Begins a new page, or drops the body of the present one.
  void clear();
  void add(std::string_view text, const Place& place);
  void break_line();
  // `last` ends the last block, which is kept even where the page has too many.
  void end(bool last = false);
  // Where the text that was added so far ends, without trailing white space.
  std::uint32_t end_of_text() const { return block_.end; }

 private:
  Page& page_;
  Block block_;  // the open one, or the last
  bool open_ = false;
  bool space_ = false;  // a space goes in front of the next word
  bool in_word_ = false;
};

// The plain bytes at the start of `text`, at least one: words separated by single blanks. `within` says whether a
// word continues, and becomes whether one is open at the end.
struct PlainRun {
  std::size_t size = 0;
  std::uint32_t words = 0;
};
PlainRun plain_run(std::string_view text, bool& within);
PlainRun plain_run_slow(std::string_view text, bool& within);  // its twin

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_BLOCKS_H_
