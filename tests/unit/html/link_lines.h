// SPDX-License-Identifier: Apache-2.0
// Writes all facts and links of a page as lines of text, the form in which extractors are compared.
#ifndef SPINNERET_TESTS_HTML_LINK_LINES_H_
#define SPINNERET_TESTS_HTML_LINK_LINES_H_

#include <string>
#include <string_view>
#include <vector>

#include "html/extractor.h"

namespace spinneret::html {

inline std::string full_line(const Link& link) {
  std::string out;
  for (const std::string_view Link::*const field : kLinkTexts) out.append(link.*field).append("|");
  out += to_string(link.kind);
  out += "|";
  out += to_string(link.context);
  out += "|";
  out += to_string(link.text_from);
  return out + "|" + std::to_string(link.offset);
}

// Returns the facts first, then a line for each link.
inline std::vector<std::string> full_lines(const Page& page) {
  std::vector<std::string> out;
  out.push_back(std::string(page.charset.encoding->name()) + "|" + std::string(page.base) + "|" +
                std::string(page.title) + "|" + std::string(page.lang) + "|" +
                std::string(page.canonical));
  for (const Meta& meta : page.metas)
    out.push_back(std::string(meta.name) + "|" + std::string(meta.content));
  for (const Link& link : page.links) out.push_back(full_line(link));
  return out;
}

// Options with which tokenizer and tree read every tag.
inline ExtractOptions slow_twin(ExtractOptions options) {
  options.short_ways = false;
  return options;
}

// Make these once and use them often: their tables are larger than most pages of a test.
struct Twins {
  explicit Twins(const ExtractOptions& options) : fast(options), slow(slow_twin(options)) {}
  LinkExtractor fast;
  LinkExtractor slow;
};

}  // namespace spinneret::html

#endif  // SPINNERET_TESTS_HTML_LINK_LINES_H_
