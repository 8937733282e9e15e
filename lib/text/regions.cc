// SPDX-License-Identifier: Apache-2.0
#include "text/regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace spinneret::text {

// Uses a table, since most counts are small.
float log1(double value) {
  constexpr std::size_t kSmall = 1024;
  static const auto kLogs = [] {
    std::array<float, kSmall> logs{};
    for (std::size_t i = 0; i < kSmall; ++i)
      logs[i] = static_cast<float>(std::log2(1.0 + static_cast<double>(i)));
    return logs;
  }();
  const auto whole = static_cast<std::size_t>(value);
  if (whole < kSmall && static_cast<double>(whole) == value) return kLogs[whole];
  return static_cast<float>(std::log2(1.0 + value));
}

float ratio(double part, double whole) {
  return whole <= 0 ? 0.f : static_cast<float>(part / whole);
}

Regions::Regions(const Page& page, const std::vector<WordSums>& sums,
                 const std::vector<std::uint16_t>& alike, std::vector<HeadingAt> headings)
    : page_(page),
      sums_(sums),
      alike_(alike),
      headings_(std::move(headings)),
      container_(find_container()) {
  constexpr std::uint32_t kFewAlike = 2;
  const Node& prose = page.nodes[container_];
  branches_.assign(page.nodes.size(), 0);
  // A node's parent comes before it.
  for (std::uint32_t i = 1; i < page.nodes.size(); ++i) {
    const Node& node = page.nodes[i];
    const std::uint32_t card = cards_.empty() ? 0 : cards_[node.parent];
    const std::uint32_t branch = branches_[node.parent];
    const bool again = node.end_block > node.first_block + 1 && alike[i] > kFewAlike;
    if (again && cards_.empty()) cards_.assign(page.nodes.size(), 0);
    if (!cards_.empty()) cards_[i] = again && (card == 0 || alike[i] >= alike[card]) ? i : card;
    const bool around = i <= container_ && node.first_block <= prose.first_block &&
                        node.end_block >= prose.end_block;
    branches_[i] = branch != 0 ? branch : around ? 0 : i;
  }
}

WordSums Regions::within(std::uint32_t node) const {
  const Node& found = page_.nodes[node];
  if (found.end_block <= found.first_block) return {};
  const WordSums& from = sums_[found.first_block];
  const WordSums& to = sums_[found.end_block];
  return {to.words - from.words, to.links - from.links, to.prose - from.prose};
}

std::uint32_t Regions::find_container() const {
  std::uint32_t found = 0;
  const double all = sums_.back().prose;
  if (all == 0) return found;
  double best = 0;
  for (std::uint32_t i = 1; i < page_.nodes.size(); ++i) {
    const WordSums sums = within(i);
    if (sums.prose * 2 < all) continue;
    const double score = sums.prose - 0.5 * (sums.words - sums.prose);
    if (score >= best) {
      best = score;
      found = i;
    }
  }
  return found;
}

float* Regions::add(std::size_t i, float* out) const {
  return add_section(i, add_card(i, add_branch(i, out)));
}

float* Regions::add_branch(std::size_t i, float* out) const {
  const std::uint32_t branch = branch_of(i);
  const Node& node = page_.nodes[branch];
  const WordSums sums = within(branch);
  const bool behind = node.first_block >= page_.nodes[container_].end_block;
  *out++ = branch == 0 ? 0.f : behind ? 2.f : 1.f;
  *out++ = log1(sums.words);
  *out++ = ratio(sums.links, sums.words);
  *out++ = ratio(sums.prose, sums.words);
  *out++ = log1(node.end_block - node.first_block);
  *out++ = log1(alike_[branch]);
  return out;
}

float* Regions::add_card(std::size_t i, float* out) const {
  const std::uint32_t card = card_of(i);
  if (card == 0) return std::fill_n(out, 8, -1.f);
  const Node& node = page_.nodes[card];
  const WordSums sums = within(card), list = within(node.parent);
  *out++ = log1(alike_[card]);
  *out++ = log1(sums.words);
  *out++ = log1(node.end_block - node.first_block);
  *out++ = ratio(sums.links, sums.words);
  *out++ = ratio(sums.prose, sums.words);
  *out++ = log1(static_cast<double>(i) - node.first_block);
  *out++ = ratio(list.words, sums_.back().words);
  *out++ = ratio(list.prose, sums_.back().prose);
  return out;
}

float* Regions::add_section(std::size_t i, float* out) const {
  const auto next =
      std::upper_bound(headings_.begin(), headings_.end(), i,
                       [](std::size_t at, const HeadingAt& other) { return at < other.block; });
  const std::size_t end = next == headings_.end() ? page_.blocks.size() : next->block;
  const bool none = next == headings_.begin();
  const std::size_t begin = none ? 0 : std::prev(next)->block;
  const Block* const heading = none ? nullptr : &page_.blocks[begin];
  const WordSums &from = sums_[begin], &to = sums_[end];
  *out++ = none ? -1.f : log1(static_cast<double>(i - begin));
  *out++ = none ? 0.f : std::prev(next)->kind;
  *out++ = none ? 0.f : log1(heading->words);
  *out++ = none ? 0.f : ratio(heading->link_words, heading->words);
  *out++ = log1(to.words - from.words);
  *out++ = ratio(to.links - from.links, to.words - from.words);
  *out++ = ratio(to.prose - from.prose, to.words - from.words);
  *out++ = log1(static_cast<double>(end - i));
  return out;
}

}  // namespace spinneret::text
