// SPDX-License-Identifier: Apache-2.0
#include "text/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "text/features.h"

namespace spinneret::text {

static_assert(kFeatureCount < kLeaf && kLeaf < Model::kRow);

float Model::likelihood(const float* features) const {
  float sum = base;
  for (std::size_t tree = 0; tree < count; ++tree) {
    const ModelNode* const first = nodes + trees[tree].first;
    const ModelNode* node = first;
    while (node->feature != kLeaf) {
      node = first + node->way[features[node->feature] > node->value];
    }
    sum += node->value;
  }
  return 1.f / (1.f + std::exp(-sum));
}

void Model::likelihoods(const float* rows, float* out) const {
  float sums[kRows];
  std::fill_n(sums, kRows, base);
  for (std::size_t tree = 0; tree < count; ++tree) {
    const ModelNode* const first = nodes + trees[tree].first;
    const ModelNode* at[kRows];
    std::fill_n(at, kRows, first);
    for (std::size_t step = trees[tree].depth; step != 0; --step) {
#pragma GCC unroll 8
      for (std::size_t row = 0; row < kRows; ++row) {
        const ModelNode& node = *at[row];
        at[row] = first + node.way[rows[row * kRow + node.feature] > node.value];
      }
    }
    for (std::size_t row = 0; row < kRows; ++row) sums[row] += at[row]->value;
  }
  for (std::size_t row = 0; row < kRows; ++row) out[row] = 1.f / (1.f + std::exp(-sums[row]));
}

namespace {

// Returns the blocks to evaluate. A page with very many blocks has only a few kinds of rows: of
// successive blocks that differ only in their letters, every 32nd is evaluated, and the others get
// its likelihood.
std::vector<std::uint32_t> blocks_to_ask(const Page& page) {
  constexpr std::size_t kMany = 20000, kStep = 32;
  std::vector<std::uint32_t> out;
  const auto alike = [&page](const Block& a, const Block& b) {
    const Node &one = page.nodes[a.node], &two = page.nodes[b.node];
    return one.signature == two.signature && one.parent == two.parent && a.words == b.words &&
           a.link_words == b.link_words && a.hidden == b.hidden;
  };
  const std::size_t count = page.blocks.size();
  std::size_t run = 0;
  for (std::size_t i = 0; i < count; ++i) {
    run = count > kMany && i != 0 && alike(page.blocks[i - 1], page.blocks[i]) ? run + 1 : 0;
    if (run % kStep == 0) out.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

}  // namespace

std::vector<float> likelihoods(const Page& page, std::string_view url) {
  const PageFeatures features(page, url);
  const std::vector<std::uint32_t> asked = blocks_to_ask(page);
  std::vector<float> out(page.blocks.size());
  std::vector<float> rows(Model::kRows * Model::kRow);
  float some[Model::kRows];
  for (std::size_t i = 0; i < asked.size(); i += Model::kRows) {
    const std::size_t end = std::min(asked.size(), i + Model::kRows);
    for (std::size_t k = i; k < end; ++k) features.row(asked[k], &rows[(k - i) * Model::kRow]);
    kMainModel.likelihoods(rows.data(), some);
    for (std::size_t k = i; k < end; ++k) {
      const std::size_t next = k + 1 < asked.size() ? asked[k + 1] : out.size();
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(asked[k]),
                out.begin() + static_cast<std::ptrdiff_t>(next), some[k - i]);
    }
  }
  return out;
}

// In the order of likelihood some prefix is the best choice: expected F1 = 2 x expected hits /
// (taken + expected truth). Two corrections were measured on held-out pages:
// - Neighbours tend to belong together, so a block gets a tenth of the likelihood of the block
//   before it, and a tenth of that of the block behind it.
// - Only kTruth of the expected truth counts, since small likelihoods of very many blocks add up to
//   more than is ever right.
std::vector<bool> choose_main(const Page& page, std::vector<float> likely) {
  constexpr double kNear = 0.1, kTruth = 0.8;
  const std::size_t count = likely.size();
  std::vector<bool> chosen(count);
  double before = count == 0 ? 0 : likely[0];
  for (std::size_t i = 0; i < count; ++i) {
    const double own = likely[i], behind = likely[i + 1 < count ? i + 1 : i];
    likely[i] = static_cast<float>((1 - 2 * kNear) * own + kNear * (before + behind));
    before = own;
  }
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&likely](std::uint32_t a, std::uint32_t b) { return likely[a] > likely[b]; });
  double truth = 0;
  for (std::size_t i = 0; i < count; ++i)
    truth += static_cast<double>(likely[i]) * page.blocks[i].words;
  double hits = 0, taken = 0, best = 0;
  std::size_t taken_blocks = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double words = page.blocks[order[i]].words;
    hits += static_cast<double>(likely[order[i]]) * words;
    taken += words;
    const double value = taken == 0 ? 0 : 2 * hits / (taken + kTruth * truth);
    if (value > best) {
      best = value;
      taken_blocks = i + 1;
    }
  }
  for (std::size_t i = 0; i < taken_blocks; ++i) chosen[order[i]] = true;
  return chosen;
}

std::string describe_cuts(const Page& page, const std::vector<bool>& chosen) {
  struct Sum {
    std::uint64_t words = 0, links = 0, taken = 0;
  };
  std::vector<Sum> sums(page.blocks.size() + 1);
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    const Block& block = page.blocks[i];
    sums[i + 1] = {sums[i].words + block.words, sums[i].links + block.link_words,
                   sums[i].taken + chosen[i]};
  }
  constexpr int kMost = 8;
  constexpr std::uint64_t kFewWords = 10;
  std::string rule;
  int count = 0;
  std::size_t covered = 0;
  for (std::size_t i = 1; i < page.nodes.size() && count < kMost; ++i) {
    const Node& node = page.nodes[i];
    if (node.end_block <= node.first_block || node.first_block < covered) continue;
    const Sum &from = sums[node.first_block], &to = sums[node.end_block];
    if (to.taken != from.taken) continue;
    covered = node.end_block;
    const std::uint64_t words = to.words - from.words;
    if (words < kFewWords) continue;
    ++count;
    const std::string_view name = html::element_name(node.element);
    rule += (rule.empty() ? "-" : ", -") + std::string(name.empty() ? "element" : name) + " " +
            std::to_string(words) + " words " +
            std::to_string((to.links - from.links) * 100 / words) + "% links";
  }
  return rule;
}

}  // namespace spinneret::text
