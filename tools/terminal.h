// SPDX-License-Identifier: Apache-2.0
// Colour for people, and for nobody else.
#ifndef SPINNERET_TOOLS_TERMINAL_H_
#define SPINNERET_TOOLS_TERMINAL_H_

#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "identity.h"

namespace spinneret {

enum class Colour : std::uint8_t { kNone = 0, kRed = 31, kGreen = 32, kYellow = 33 };

inline bool is_terminal(int fd) { return isatty(fd) != 0; }

// Whether colours may be used there: on a terminal that has them, unless NO_COLOR is set (no-color.org).
inline bool takes_colour(int fd) {
  const std::string term = environment_value("TERM");
  return is_terminal(fd) && environment_value("NO_COLOR").empty() && !term.empty() &&
         term != "dumb";
}

// The text in that colour where standard output takes it.
inline std::string coloured(std::string_view text, Colour colour) {
  static const bool takes = takes_colour(STDOUT_FILENO);
  if (!takes || colour == Colour::kNone) return std::string(text);
  return "\x1B[" + std::to_string(static_cast<int>(colour)) + "m" + std::string(text) + "\x1B[0m";
}

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_TERMINAL_H_
