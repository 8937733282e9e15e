// SPDX-License-Identifier: Apache-2.0
// Writes a page's blocks as text: plain, as Markdown, or by term class for an indexer.
//
// Grammar of the weighted form:
//
//   lines = *( class ":" SP text LF )
//   class = "title" / "h1" .. "h6" / "emphasis" / "anchor" / "alt" / "meta" / "body"
//
// Each class comes at most once, in this order; its parts are in the page's order, separated by
// spaces. "body" is all of the chosen text except its headings; "emphasis", "anchor" and "alt"
// repeat parts of it.
#ifndef SPINNERET_TEXT_RENDER_H_
#define SPINNERET_TEXT_RENDER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/page.h"

namespace spinneret::text {

enum class Format : std::uint8_t { kText, kMarkdown, kWeighted };

struct Rendering {
  Format format = Format::kText;
  bool links = false;  // keep links, in Markdown
  // keep images with an alternative; plain text has the alternative alone, on a line
  bool images = false;
  // Maps addresses to those that Markdown is to have; an empty result leaves the address out.
  // Without this function addresses stay as in the page.
  std::function<std::string(std::string_view)> address = {};
};

// Writes the chosen blocks; `chosen` has an entry for each block. The result has no control
// characters but LF and tab, so that it cannot act on a terminal.
std::string render(const Page& page, const std::vector<bool>& chosen, const Rendering& how);
std::uint64_t count_words(const Page& page, const std::vector<bool>& chosen);
std::uint64_t count_words(std::string_view text);  // separated by white space

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_RENDER_H_
