// SPDX-License-Identifier: Apache-2.0
#include "policy/literal_scan.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

namespace spinneret::policy {
namespace {

// Texts so frequent in URLs that they tell nothing.
constexpr std::string_view kCommon[] = {
    "https://www.", "http://www.",  ".com/",    ".org/",    ".net/",   ".html",  ".php?", "index.",
    ".co.uk/",      "/wp-content/", "/images/", "category", "article", ".aspx",  "/tag/", "/page/",
    "/news/",       "http://",      "https://", "blog",     "search",  "?page=", ".htm",  "home"};
constexpr std::uint32_t kCommonWeight = 1000;

}  // namespace

void LiteralScan::add(std::string_view literal, std::uint32_t value) {
  assert(literal.size() >= kMinLength);
  entries_.push_back({static_cast<std::uint32_t>(texts_.size()),
                      static_cast<std::uint32_t>(literal.size()), 0, value});
  for (const char c : literal) texts_ += static_cast<char>(c | 0x20);
}

void LiteralScan::compile() {
  if (entries_.empty()) return;
  // Counts how often each gram occurs, to choose the rarest one of a literal.
  std::unordered_map<std::uint32_t, std::uint32_t> counts;
  const auto count = [&](std::string_view text, std::uint32_t weight) {
    for (std::size_t i = 0; i + 4 <= text.size(); ++i)
      counts[fold(load4(text.data() + i))] += weight;
  };
  for (const std::string_view text : kCommon) count(text, kCommonWeight);
  const auto text_of = [&](const Entry& entry) {
    return std::string_view(texts_).substr(entry.begin, entry.length);
  };
  for (const Entry& entry : entries_) count(text_of(entry), 1);
  for (Entry& entry : entries_) {
    const std::string_view text = text_of(entry);
    std::uint32_t best = UINT32_MAX;
    for (std::uint32_t i = 0; i + 4 <= entry.length; ++i) {
      const std::uint32_t here = counts.at(fold(load4(text.data() + i)));
      if (here >= best) continue;
      best = here;
      entry.offset = i;
    }
  }
  const auto threes = std::stable_partition(entries_.begin(), entries_.end(),
                                            [](const Entry& entry) { return entry.length >= 4; });
  fours_.end = threes_.begin = static_cast<std::size_t>(threes - entries_.begin());
  threes_.end = entries_.size();
  grams_.resize(entries_.size());
  build(fours_, 4);
  build(threes_, 3);
}

void LiteralScan::build(Grams& grams, std::size_t length) {
  const std::size_t count = grams.end - grams.begin;
  if (count == 0) return;
  grams.used = true;
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(grams.begin);
  const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(grams.end);
  std::stable_sort(first, last, [&](const Entry& a, const Entry& b) {
    return gram_of(a, length) < gram_of(b, length);
  });
  // 32 to 64 bits a gram keep false alarms under 3 in 100 bytes; 32 Kbit fit the L1 cache. For few
  // grams, as in a section of a policy, 1 Kbit is enough: there may be a hundred thousand sections.
  unsigned log_bits = count <= 8 ? 10 : 15;
  while ((std::size_t{1} << log_bits) < count * 32 && log_bits < 28) ++log_bits;
  grams.shift = 32 - log_bits;
  grams.bits.assign((std::size_t{1} << log_bits) / 64, 0);
  std::size_t slots = 16;
  while (slots < count * 2) slots *= 2;
  grams.table.assign(slots, 0);
  for (std::size_t i = grams.begin; i < grams.end; ++i) {
    const std::uint32_t gram = gram_of(entries_[i], length);
    grams_[i] = gram;
    if (i > grams.begin && grams_[i - 1] == gram) continue;
    const std::uint32_t mixed = Grams::mix(gram);
    const std::uint32_t bit = mixed >> grams.shift;
    grams.bits[bit >> 6] |= std::uint64_t{1} << (bit & 63);
    std::size_t at = mixed & (slots - 1);
    while (grams.table[at] != 0) at = (at + 1) & (slots - 1);
    grams.table[at] = static_cast<std::uint32_t>(i + 1);
  }
}

std::size_t LiteralScan::first_entry(const Grams& grams, std::uint32_t gram) const {
  const std::size_t mask = grams.table.size() - 1;
  for (std::size_t at = Grams::mix(gram) & mask; grams.table[at] != 0; at = (at + 1) & mask) {
    const std::size_t entry = grams.table[at] - 1;
    if (grams_[entry] == gram) return entry;
  }
  return SIZE_MAX;
}

}  // namespace spinneret::policy
