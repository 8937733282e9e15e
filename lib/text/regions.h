// SPDX-License-Identifier: Apache-2.0
// Finds the parts of a page in which a block stands, and describes them: the branch beside the
// page's prose; the card, a form that occurs many times (an item of a list, a post of a thread);
// and the section below a heading.
//
//   Regions regions(page, sums, alike, headings);
//   float* end = regions.add(block, row);               // 22 numbers
#ifndef SPINNERET_TEXT_REGIONS_H_
#define SPINNERET_TEXT_REGIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/page.h"

namespace spinneret::text {

// Sums over all blocks before a given one.
struct WordSums {
  std::uint32_t words = 0, links = 0, prose = 0;
};

// A block that is a heading.
struct HeadingAt {
  std::uint32_t block;
  std::uint8_t kind;
};

// log2 of 1 + a count.
float log1(double value);
float ratio(double part, double whole);  // 0 if the whole is 0

class Regions {
 public:
  // All arguments are borrowed but the headings, which must be in order. `alike` gives for each
  // node the number of nodes with its signature.
  Regions(const Page& page, const std::vector<WordSums>& sums,
          const std::vector<std::uint16_t>& alike, std::vector<HeadingAt> headings);

  // The lowest element that contains most of the page's prose.
  std::uint32_t container() const { return container_; }
  // The highest element around a block that does not contain the container; 0 if there is none.
  std::uint32_t branch_of(std::size_t block) const { return branches_[page_.blocks[block].node]; }
  // Of the elements around a block that hold several blocks, the one whose signature occurs most
  // often; 0 if there is none.
  std::uint32_t card_of(std::size_t block) const {
    return cards_.empty() ? 0 : cards_[page_.blocks[block].node];
  }
  // The sums over the blocks in an element.
  WordSums within(std::uint32_t node) const;

  // Writes the 22 numbers of a block's branch, card and section, and returns the end of them.
  float* add(std::size_t block, float* out) const;

 private:
  std::uint32_t find_container() const;
  float* add_branch(std::size_t block, float* out) const;
  float* add_card(std::size_t block, float* out) const;
  float* add_section(std::size_t block, float* out) const;

  const Page& page_;
  const std::vector<WordSums>& sums_;
  const std::vector<std::uint16_t>& alike_;
  std::vector<HeadingAt> headings_;
  std::uint32_t container_;
  std::vector<std::uint32_t> cards_, branches_;  // by node; cards_ is empty if the page has none
};

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_REGIONS_H_
