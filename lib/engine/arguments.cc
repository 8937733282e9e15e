// SPDX-License-Identifier: Apache-2.0
#include "engine/arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace spinneret::engine {

Arguments::Arguments(int argc, char** argv) : words_(argv, argv + argc) {
  for (std::string& word : words_) argv_.push_back(word.data());
  argv_.push_back(nullptr);
  for (int i = 0; i < argc; ++i) {
    const std::string_view text(argv[i]);
    const std::size_t begin = text.find("://"), at = text.rfind('@');
    const std::size_t colon = begin == std::string_view::npos ? begin : text.find(':', begin + 3);
    if (at == std::string_view::npos || colon >= at) continue;
    const std::string_view scheme = text.substr(0, begin);
    constexpr std::array<std::string_view, 6> kSchemes = {"redis",   "rediss",     "valkey",
                                                          "valkeys", "postgresql", "postgres"};
    if (std::any_of(kSchemes.begin(), kSchemes.end(),
                    [&](std::string_view one) { return scheme.ends_with(one); }))
      std::fill(argv[i] + colon + 1, argv[i] + at, '*');
  }
}

}  // namespace spinneret::engine
