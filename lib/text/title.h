// SPDX-License-Identifier: Apache-2.0
// Decides which of a page's names for itself is its title: <title> with or without the site's name,
// og:title, the headlines, JSON-LD. Each candidate has a row of numbers: its place, and how far the
// page's other names agree with it. A sum of small decision trees then tells which one readers
// would choose (see model.h).
#ifndef SPINNERET_TEXT_TITLE_H_
#define SPINNERET_TEXT_TITLE_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/said.h"

namespace spinneret::text {

constexpr std::size_t kTitleFeatures = 64;

struct TitleCandidate {
  std::string text;
  std::string_view source;  // as in Fact
  std::array<float, kTitleFeatures> row = {};
};

// Returns at most 40 candidates, and none if the page has no name. `url` may be empty.
std::vector<TitleCandidate> title_candidates(const Page& page, std::string_view url);

Fact find_title(const Page& page, std::string_view url);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_TITLE_H_
