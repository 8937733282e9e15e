// SPDX-License-Identifier: Apache-2.0
// The basis for the choice of main content: a row of numbers for each block. They describe
// structure (sizes, links, places, repeated forms, names of classes), and only those few words that
// are typical of a page's furniture ("share", "privacy", "read more").
//
//   PageFeatures features(page, "https://example.org/blog/a");
//   float row[kFeatureCount];
//   features.row(block, row);
#ifndef SPINNERET_TEXT_FEATURES_H_
#define SPINNERET_TEXT_FEATURES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/page.h"
#include "text/regions.h"
#include "text/said_words.h"
#include "text/topics.h"

namespace spinneret::text {

constexpr std::size_t kCueCount = static_cast<std::size_t>(Cue::kCount);
constexpr std::size_t kPlainFeatures = 160;
// The features in their order: the plain ones, the cues around the block, and the cues of its node
// and of the two nodes around that.
constexpr std::size_t kFeatureCount = kPlainFeatures + 2 * kCueCount;

class PageFeatures {
 public:
  // Both arguments are borrowed.
  PageFeatures(const Page& page, std::string_view url);
  PageFeatures(const PageFeatures&) = delete;  // its parts borrow from each other
  PageFeatures& operator=(const PageFeatures&) = delete;
  // Writes the kFeatureCount numbers of a block.
  void row(std::size_t block, float* out) const;

 private:
  // What the block's text alone tells.
  struct Looks {
    std::uint16_t topics;
    std::uint8_t kind;
    bool ends : 1;
    bool same_as_title : 1;
  };

  void count_blocks();
  void count_nodes();
  void look_at(std::size_t block);
  void find_places();
  void look_at_page(std::string_view url);
  void add_page_counts(float* out) const;
  float* add_own(std::size_t block, float* out) const;
  float* add_places(std::size_t block, float* out) const;
  float* add_neighbours(std::size_t block, float* out) const;
  float* add_containers(std::size_t block, float* out) const;

  const Page& page_;
  std::vector<Looks> looks_;
  std::vector<WordSums> sums_;        // over all blocks before the index
  std::vector<std::uint16_t> alike_;  // by node: number of nodes with the same signature
  std::vector<std::uint16_t> same_text_, same_before_;
  SaidWords said_;
  // Number of blocks from a block to the nearest long one before and behind it.
  std::vector<std::uint8_t> long_before_, long_behind_;
  std::vector<std::uint16_t> heading_topics_;
  std::optional<Regions> regions_;
  std::uint32_t first_heading_ = 0;
  float page_row_[30] = {};
};

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_FEATURES_H_
