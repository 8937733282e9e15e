// SPDX-License-Identifier: Apache-2.0
// Copies a value and finds, in the same pass, whether it needs an escape: most do not.
#ifndef SPINNERET_TOOLS_COPIED_BYTES_H_
#define SPINNERET_TOOLS_COPIED_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/ascii.h"

namespace spinneret {

// Returns non-zero where a byte of `word` is a control character or a backslash.
inline std::uint64_t odd_bytes(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  const auto below = [word](std::uint64_t flip, std::uint64_t limit) {
    return ((word ^ kOnes * flip) - kOnes * limit) & ~(word ^ kOnes * flip);
  };
  return (below(0, 0x20) | below(0x7F, 1) | below('\\', 1)) & kOnes * 0x80;
}

// What was seen of a value while it was copied.
struct CopiedBytes {
  std::uint64_t odd = 0;    // not zero: it has a control or a backslash
  std::uint64_t bytes = 0;  // all its bytes, ORed together
};

template <typename Word>
inline void copy_word(char* out, const char* from, CopiedBytes& seen) {
  Word word = 0;
  std::memcpy(&word, from, sizeof word);
  std::memcpy(out, &word, sizeof word);
  const std::uint64_t filled = word | (sizeof word == 8 ? 0 : 0x2020202000000000u);
  seen.odd |= odd_bytes(filled);
  seen.bytes |= filled;
}

// Copies `value` to `out`, and examines each byte on the way.
inline CopiedBytes copy_watched(char* out, std::string_view value) {
  const char* const from = value.data();
  const std::size_t size = value.size();
  CopiedBytes seen;
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 < size; at += 8)
      copy_word<std::uint64_t>(out + at, from + at, seen);
    copy_word<std::uint64_t>(out + size - 8, from + size - 8, seen);
  } else if (size >= 4) {
    copy_word<std::uint32_t>(out, from, seen);
    copy_word<std::uint32_t>(out + size - 4, from + size - 4, seen);
  } else {
    for (std::size_t at = 0; at != size; ++at) {
      out[at] = from[at];
      seen.odd |= static_cast<std::uint64_t>(is_control(from[at]) || from[at] == '\\');
      seen.bytes |= static_cast<unsigned char>(from[at]);
    }
  }
  return seen;
}

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_COPIED_BYTES_H_
