// SPDX-License-Identifier: Apache-2.0
// Colour for people, but not for pipes and files.
#ifndef SPINNERET_TOOLS_TERMINAL_H_
#define SPINNERET_TOOLS_TERMINAL_H_

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/terminal.h"

namespace spinneret {

enum class Colour : std::uint8_t { kNone = 0, kRed = 31, kGreen = 32, kYellow = 33 };

// Whether colours may be written to `fd`: it is a terminal that has them, and NO_COLOR is not set
// (no-color.org).
inline bool takes_colour(int fd) {
  const char* const none = std::getenv("NO_COLOR");
  return takes_controls(fd) && (none == nullptr || *none == '\0');
}

// Returns the text in that colour where standard output takes colours.
inline std::string coloured(std::string_view text, Colour colour) {
  static const bool takes = takes_colour(STDOUT_FILENO);
  if (!takes || colour == Colour::kNone) return std::string(text);
  return "\x1B[" + std::to_string(static_cast<int>(colour)) + "m" + std::string(text) + "\x1B[0m";
}

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_TERMINAL_H_
