// SPDX-License-Identifier: Apache-2.0
// A host's /.well-known/tdmrep.json: where it reserves the rights to text and data mining (TDM Reservation Protocol,
// "TDM File on the Origin Server").
//
//   [ { "location": "/articles/", "tdm-reservation": 1, "tdm-policy": "https://example.org/policy.json" } ]
//
// Locations match as the paths of robots.txt do: the longest that matches holds. What a response's header or the page
// itself says supersedes the file.
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
  std::uint32_t line = 0;  // in which its object begins
  std::string location;    // as written
  std::string pattern;     // comparable
  bool reserved = false;
  std::string policy;  // a URL, as written; empty: none
};

struct TdmFile {
  std::vector<TdmRule> rules;     // in the file's order
  std::vector<Finding> findings;  // what is wrong with it
  // nullptr: none matches. `path`: comparable_path's. Linear in rules and path.
  const TdmRule* find(std::string_view path) const;
};

// Whether the bytes are JSON and no robots.txt: they begin with a bracket.
bool looks_like_json(std::string_view bytes);

// Rules of what can be read; the rest is told in `findings`. Linear, no recursion.
TdmFile read_tdm_file(std::string_view json);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_TDM_FILE_H_
