// SPDX-License-Identifier: Apache-2.0
// Which blocks are the page's main content: a sum of small decision trees over a block's features, and the set of blocks
// that makes the expected F1 of the choice largest. The trees are data (model_table.cc, made by tests/bench/text_train.py); titles have their own.
//
// F1 of main content of pages held out (`tests/bench/text.sh --held-out`: five folds of whole domains, 1,497 pages): all 0.871,
// article 0.951, documentation 0.938, service 0.837, forum 0.802, listing 0.738, collection 0.699, product 0.678. The best prefix of
// the blocks by likelihood, were it known, would have about 0.91.
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
  float value;  // a split's threshold, a leaf's value
  // Where a feature of at most that goes, from the tree's first node, and where one above; a leaf's is itself.
  std::uint8_t way[2];
  std::uint16_t feature;  // kLeaf: none
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

  // Rows are as wide as a node's feature may say; what stands beyond a model's features is not asked for.
  static constexpr std::size_t kRow = 320;
  static constexpr std::size_t kRows = 8;

  // How likely what has these features is the right one.
  float likelihood(const float* features) const;
  // The same of kRows rows at once, step by step without a jump: a third of the time.
  void likelihoods(const float* rows, float* out) const;
};
extern const Model kMainModel;   // a block of main content, by features.h
extern const Model kTitleModel;  // a page's title, by title.h

// Of each block; `url` may be empty.
std::vector<float> likelihoods(const Page& page, std::string_view url);

// Which blocks to take.
std::vector<bool> choose_main(const Page& page, std::vector<float> likely);

// The first eight elements of ten words or more that were left out whole: "-nav 212 words 93% links, -footer ...".
std::string describe_cuts(const Page& page, const std::vector<bool>& chosen);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_MODEL_H_
