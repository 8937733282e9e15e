// SPDX-License-Identifier: Apache-2.0
// What stands behind a descriptor: a terminal, and one that heeds control sequences, or neither.
#ifndef SPINNERET_BASE_TERMINAL_H_
#define SPINNERET_BASE_TERMINAL_H_

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace spinneret {

inline bool is_terminal(int fd) { return isatty(fd) != 0; }

// Whether it is a terminal that heeds control sequences, by TERM: not without one, and not a `dumb` one.
inline bool takes_controls(int fd) {
  const char* const term = std::getenv("TERM");
  return is_terminal(fd) && term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

}  // namespace spinneret

#endif  // SPINNERET_BASE_TERMINAL_H_
