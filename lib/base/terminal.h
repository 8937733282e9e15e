// SPDX-License-Identifier: Apache-2.0
// Whether a descriptor is a terminal, and whether that terminal understands control sequences.
#ifndef SPINNERET_BASE_TERMINAL_H_
#define SPINNERET_BASE_TERMINAL_H_

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace spinneret {

inline bool is_terminal(int fd) { return isatty(fd) != 0; }

// Whether `fd` is a terminal that understands control sequences: TERM must be set, and not to
// `dumb`.
inline bool takes_controls(int fd) {
  const char* const term = std::getenv("TERM");
  return is_terminal(fd) && term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

}  // namespace spinneret

#endif  // SPINNERET_BASE_TERMINAL_H_
