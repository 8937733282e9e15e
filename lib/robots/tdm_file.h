// SPDX-License-Identifier: Apache-2.0
// A host's /.well-known/tdmrep.json, in which it reserves the rights to text and data mining (TDM
// Reservation Protocol, "TDM File on the Origin Server").
//
//   [ { "location": "/articles/", "tdm-reservation": 1,
//       "tdm-policy": "https://example.org/policy.json" } ]
//
// Locations match as the paths of robots.txt do, and the longest that matches counts. A response's
// header, or the page itself, supersedes the file.
#ifndef SPINNERET_ROBOTS_TDM_FILE_H_
#define SPINNERET_ROBOTS_TDM_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "robots/lint.h"

namespace spinneret::robots {

struct TdmRule {
  std::uint32_t line = 0;  // the line in which its object begins
  std::string location;    // as written
  std::string pattern;     // comparable
  bool reserved = false;
  std::string policy;  // a URL, as written; empty where there is none
};

struct TdmFile {
  std::vector<TdmRule> rules;     // in the file's order
  std::vector<Finding> findings;  // what is wrong with it
  // Returns the rule for a path from comparable_path; nullptr where none matches. Linear in rules
  // and path.
  const TdmRule* find(std::string_view path) const;
};

// Returns whether the bytes are JSON and not a robots.txt: they begin with '[' or '{'.
bool looks_like_json(std::string_view bytes);

// Reads as many rules as possible, and reports the rest in `findings`. Takes linear time without
// recursion.
TdmFile read_tdm_file(std::string_view json);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_TDM_FILE_H_
