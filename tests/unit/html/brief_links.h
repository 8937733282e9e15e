// SPDX-License-Identifier: Apache-2.0
// Writes each link of a page as a line: "a@href=/x", followed by " in svg" and the like.
#ifndef SPINNERET_TESTS_UNIT_HTML_BRIEF_LINKS_H_
#define SPINNERET_TESTS_UNIT_HTML_BRIEF_LINKS_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "html/extractor.h"

namespace spinneret::html {

using List = std::vector<std::string>;

inline std::string line_of(const Link& link) {
  std::string out(link.element);
  if (!link.attribute.empty()) out += "@" + std::string(link.attribute);
  out += "=" + std::string(link.value);
  if (link.context != LinkContext::kNone) out += " in " + std::string(to_string(link.context));
  return out;
}

inline List links_of(std::string_view page, const ExtractOptions& options) {
  LinkExtractor extractor(options);
  const std::vector<char> bytes(page.begin(), page.end());
  List out;
  for (const Link& link : extractor.extract({bytes.data(), bytes.size()}, "utf-8").links) {
    out.push_back(line_of(link));
  }
  return out;
}

inline ExtractOptions only(std::string_view what) {
  ExtractOptions options;
  EXPECT_TRUE(options.selection.add_only(what));
  return options;
}

}  // namespace spinneret::html

#endif  // SPINNERET_TESTS_UNIT_HTML_BRIEF_LINKS_H_
