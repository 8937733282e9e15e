// SPDX-License-Identifier: Apache-2.0
// A page's blocks as text: plain, as Markdown, or by term class for an indexer.
//
// Weighted, a grammar:  lines = *( class ":" SP text LF )
//                       class = "title" / "h1" .. "h6" / "emphasis" / "anchor" / "alt" / "meta" / "body"
// Each class at most once, in this order; within it the parts stand in the page's order, a space between them. "body" is
// all of the chosen text but for its headings; "emphasis", "anchor" and "alt" repeat what stands in it.
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
  bool links = false;   // Markdown keeps them
  bool images = false;  // those with an alternative; text has the alternative alone, a line each
  // Markdown's addresses, as they are to stand there; empty: none. Without it as the page has them.
  std::function<std::string(std::string_view)> address = {};
};

// `chosen`: a block each. No control is left in it but LF and tab, so that nothing in it acts on a terminal.
std::string render(const Page& page, const std::vector<bool>& chosen, const Rendering& how);
std::uint64_t count_words(const Page& page, const std::vector<bool>& chosen);
std::uint64_t count_words(std::string_view text);  // by white space

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_RENDER_H_
