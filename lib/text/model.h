// SPDX-License-Identifier: Apache-2.0
// Decides which blocks are the page's main content: a sum of small decision trees over a block's
// features gives likelihoods, and of these follows the set of blocks with the largest expected F1.
// The trees are data (model_table.cc, made by tests/bench/text_train.py). Titles have trees of
// their own.
//
// F1 of main content on held-out pages (`tests/bench/text.sh --held-out`: five folds of whole
// domains, 1,497 pages):
//
//   all      article   documentation   service   forum   listing   collection   product
//   0.871    0.951     0.938           0.837     0.802   0.738     0.699        0.678
//
// The best prefix of the blocks in the order of their likelihood, if it were known, would give
// about 0.91.
#ifndef SPINNERET_TEXT_MODEL_H_
#define SPINNERET_TEXT_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/page.h"

namespace spinneret::text {

struct ModelNode {
  float value;  // a split's threshold, or a leaf's value
  // Indexes of the next node, counted from the tree's first: for a feature up to the threshold, and
  // above it. A leaf leads to itself.
  std::uint8_t way[2];
  std::uint16_t feature;  // kLeaf: this is a leaf
};
constexpr std::uint16_t kLeaf = 319;
struct ModelTree {
  std::uint16_t first;
  std::uint16_t depth;
};

struct Model {
  float base;
  const ModelNode* nodes;
  const ModelTree* trees;
  std::size_t count;

  // Number of floats in a row. It covers any feature that a node may name; what lies beyond a
  // model's own features is never used.
  static constexpr std::size_t kRow = 320;
  static constexpr std::size_t kRows = 8;

  // The likelihood that the block or title with these features is right.
  float likelihood(const float* features) const;
  // The same for kRows rows at once, step by step and without jumps, in a third of the time.
  void likelihoods(const float* rows, float* out) const;
};
extern const Model kMainModel;   // whether a block is main content, by features.h
extern const Model kTitleModel;  // whether a candidate is the page's title, by title.h

// For each block. `url` may be empty.
std::vector<float> likelihoods(const Page& page, std::string_view url);

// Chooses the blocks to take; one entry for each block.
std::vector<bool> choose_main(const Page& page, std::vector<float> likely);

// Describes the first eight elements with ten words or more that were left out as a whole: "-nav
// 212 words 93% links, -footer ...".
std::string describe_cuts(const Page& page, const std::vector<bool>& chosen);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_MODEL_H_
