// SPDX-License-Identifier: Apache-2.0
// The runs of text of a page, folded as they come.
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
  std::uint32_t hidden : 1 = 0;  // as the page says without style sheets
};

class BlockWriter {
 public:
  // What stands around a text.
  struct Place {
    std::uint32_t node = 0;
    bool link = false;
    bool emphasis = false;
    bool hidden = false;
    bool preformatted = false;
  };

  // Borrowed.
  explicit BlockWriter(Page& page) : page_(page) {}
  // A new page, or one whose body is dropped.
  void clear();
  void add(std::string_view text, const Place& place);
  void break_line();
  // `last`: that of a page of too many, too.
  void end(bool last = false);
  // Where the text ends that has been added, but for white space.
  std::uint32_t end_of_text() const { return block_.end; }

 private:
  Page& page_;
  Block block_;  // the open one, or the last
  bool open_ = false;
  bool space_ = false;  // white space is due before the next word
  bool in_word_ = false;
};

// The plain bytes that `text` begins with, at least one: words with one blank between each two. `within`: a word goes on,
// then whether one is open at the end.
struct PlainRun {
  std::size_t size = 0;
  std::uint32_t words = 0;
};
PlainRun plain_run(std::string_view text, bool& within);
PlainRun plain_run_slow(std::string_view text, bool& within);  // its twin

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_BLOCKS_H_
