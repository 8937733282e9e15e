// SPDX-License-Identifier: Apache-2.0
#include "base/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/ascii.h"

namespace spinneret {

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit) return limit;
  const auto same = [&](std::size_t i, std::size_t j) { return to_lower(a[i]) == to_lower(b[j]); };
  // Row i of the table belongs to the first i letters of `a`. Three rows are kept: the current one
  // and the two before it.
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> rows(3 * width);
  std::size_t* row = rows.data();
  std::size_t* before = row + width;
  std::size_t* two_before = before + width;
  std::iota(row, row + width, 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_before, before);
    std::swap(before, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = same(i - 1, j - 1) ? 0 : 1;
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + change});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1))
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    // Later rows build on these two rows alone, and no value in them can be smaller.
    if (*std::min_element(row, row + width) >= limit &&
        *std::min_element(before, before + width) >= limit)
      return limit;
  }
  return std::min(row[b.size()], limit);
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words) {
  std::string_view found;
  std::size_t best = word.size() > 5 ? 3 : 2;
  for (const std::string_view candidate : words) {
    const std::size_t wrong = edit_distance(word, candidate, best);
    if (wrong >= best) continue;
    best = wrong;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> words) {
  const std::string_view meant = nearest_word(word, words);
  return meant.empty() ? "" : ": did you mean " + std::string(meant) + "?";
}

}  // namespace spinneret
