// SPDX-License-Identifier: Apache-2.0
// A place in a stream that an engine may forget and begin anew: "generation-offset".
#ifndef SPINNERET_BUS_GENERATION_H_
#define SPINNERET_BUS_GENERATION_H_

#include <cstdint>
#include <string_view>

#include "base/number.h"

namespace spinneret::bus {

struct Generation {
  std::uint64_t generation = 0;  // when the stream began, in microseconds since 1970
  std::uint64_t offset = 0;
};

// Parses a place. Returns false, and changes nothing, where the text is none.
inline bool parse_generation(std::string_view id, Generation& out) {
  const std::size_t dash = id.find('-');
  if (dash == std::string_view::npos) return false;
  const auto generation = parse_unsigned(id.substr(0, dash)),
             offset = parse_unsigned(id.substr(dash + 1));
  if (!generation || !offset) return false;
  out = {*generation, *offset};
  return true;
}

}  // namespace spinneret::bus

#endif  // SPINNERET_BUS_GENERATION_H_
