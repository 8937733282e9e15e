// SPDX-License-Identifier: Apache-2.0
// Collects a page's runs of text, and folds white space on the way.
//
//   BlockWriter blocks(page);
//   blocks.add("Some\n  text", {node});
//   blocks.add(" of it", {node});
//   blocks.end();                          // "Some text of it"
#ifndef SPINNERET_TEXT_BLOCKS_H_
#define SPINNERET_TEXT_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spinneret::text {

struct Page;

// A run of text between two breaks in the layout.
struct Block {
  std::uint32_t node = 0;
  std::uint32_t begin = 0;  // in Page::text, like `end`
  std::uint32_t end = 0;
  std::uint32_t words = 0;
  std::uint32_t link_words = 0;
  std::uint32_t emphasis_words : 31 = 0;
  std::uint32_t hidden : 1 = 0;  // by the page's markup, without style sheets
};

class BlockWriter {
 public:
  // The surroundings of a text.
  struct Place {
    std::uint32_t node = 0;
    bool link = false;
    bool emphasis = false;
    bool hidden = false;
    bool preformatted = false;
  };

  // The page is borrowed.
  explicit BlockWriter(Page& page) : page_(page) {}
  // Begins a new page, or drops the body of the present one.
  void clear();
  void add(std::string_view text, const Place& place);
  void break_line();
  // Ends the open block. `last` ends the page's last block, which is kept even if the page has too
  // many.
  void end(bool last = false);
  // The end of the text that was added so far, without trailing white space.
  std::uint32_t end_of_text() const { return block_.end; }

 private:
  Page& page_;
  Block block_;  // the open block, or the last one
  bool open_ = false;
  bool space_ = false;  // a space goes in front of the next word
  bool in_word_ = false;
};

// The plain bytes at the start of `text`, which must not be empty: words separated by single
// blanks. The run has at least one byte. `within` says whether a word continues; it becomes whether
// one is open at the end.
struct PlainRun {
  std::size_t size = 0;
  std::uint32_t words = 0;
};
PlainRun plain_run(std::string_view text, bool& within);
PlainRun plain_run_slow(std::string_view text, bool& within);  // the slow twin

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_BLOCKS_H_
