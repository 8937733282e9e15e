// SPDX-License-Identifier: Apache-2.0
// Finds what is wrong or doubtful in a robots.txt, and in which line. It is meant for the file's
// writer; crawlers accept any input.
#ifndef SPINNERET_ROBOTS_LINT_H_
#define SPINNERET_ROBOTS_LINT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "robots/text.h"

namespace spinneret::robots {

enum class Severity : std::uint8_t {
  kError,    // the line does not do what it seems to
  kWarning,  // crawlers differ on it, or part of it has no effect
  kNote,     // the line works, but could be simpler
};
std::string_view to_string(Severity severity);

struct Finding {
  std::uint32_t line = 0;  // 0: the file as a whole
  Severity severity = Severity::kNote;
  std::string_view code;  // a name to search for, such as "shadowed-rule"
  std::string message;
  std::string bytes;  // the bytes in question; not made safe for a terminal
};

// Returns the findings in order of lines. O(n log n) for real files.
std::vector<Finding> lint_robots(std::string_view bytes, std::size_t size_limit = kRobotsSizeLimit);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_LINT_H_
