// SPDX-License-Identifier: Apache-2.0
#include "text/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "text/features.h"

namespace spinneret::text {

static_assert(kFeatureCount < kLeaf);

float likelihood(const float* features) {
  float sum = kModelBase;
  for (std::size_t tree = 0; tree < kModelTreeCount; ++tree) {
    const ModelNode* const first = kModelNodes + kModelTrees[tree];
    const ModelNode* node = first;
    while (node->feature != kLeaf) {
      node = first + (features[node->feature] <= node->value ? node->below : node->above);
    }
    sum += node->value;
  }
  return 1.f / (1.f + std::exp(-sum));
}

std::vector<float> likelihoods(const Page& page, std::string_view url) {
  const PageFeatures features(page, url);
  std::vector<float> out(page.blocks.size());
  float row[kFeatureCount];
  for (std::size_t i = 0; i < out.size(); ++i) {
    features.row(i, row);
    out[i] = likelihood(row);
  }
  return out;
}

// Sorted by likelihood, a prefix is best: expected F1 = 2 x expected hits / (taken + expected truth).
std::vector<bool> choose_main(const Page& page, const std::vector<float>& likely) {
  std::vector<bool> chosen(likely.size());
  std::vector<std::uint32_t> order(likely.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&likely](std::uint32_t a, std::uint32_t b) { return likely[a] > likely[b]; });
  double truth = 0;
  for (std::size_t i = 0; i < likely.size(); ++i)
    truth += static_cast<double>(likely[i]) * page.blocks[i].words;
  double hits = 0, taken = 0, best = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double words = page.blocks[order[i]].words;
    hits += static_cast<double>(likely[order[i]]) * words;
    taken += words;
    const double value = taken == 0 ? 0 : 2 * hits / (taken + truth);
    if (value > best) {
      best = value;
      count = i + 1;
    }
  }
  for (std::size_t i = 0; i < count; ++i) chosen[order[i]] = true;
  return chosen;
}

}  // namespace spinneret::text
