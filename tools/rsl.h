// SPDX-License-Identifier: Apache-2.0
// A licence file of Really Simple Licensing (RSL 1.0): which uses of which paths it grants.
//
//   <rsl xmlns="https://rslstandard.org/rsl">
//     <content url="/articles/"><license>
//       <permits type="usage">search</permits> <prohibits type="usage">ai-train</prohibits>
//     </license></content>
//   </rsl>
#ifndef SPINNERET_TOOLS_RSL_H_
#define SPINNERET_TOOLS_RSL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "robots/lint.h"
#include "robots/usage.h"

namespace spinneret {

struct RslLicense {
  std::vector<std::string> permits;  // usages: "ai-train", "search", "all"
  std::vector<std::string> prohibits;
  std::string payment;  // type of the payment: "subscription"; empty or "free": nothing
};

struct RslContent {
  std::uint32_t line = 0;
  std::string url;      // as written: a path pattern as in robots.txt, or a whole URL
  std::string pattern;  // of the URL's path, comparable
  std::vector<RslLicense> licenses;
};

struct RslFile {
  std::vector<RslContent> contents;
  std::vector<robots::Finding> findings;
  // Returns the content whose pattern matches the path, the longest pattern first; nullptr where
  // none does.
  const RslContent* find(std::string_view path) const;
};

// Whether the bytes are XML whose root is rsl.
bool looks_like_rsl(std::string_view bytes);
RslFile read_rsl(std::string_view xml);

// Tells `usage` what the licence says of search, train-ai and ai-input. What it prohibits, or
// grants only for payment, counts as a no.
void say_license(robots::Usage& usage, const RslContent& content);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_RSL_H_
