// SPDX-License-Identifier: Apache-2.0
// Writes HTML that is also well-formed XML. Everything from the network must go through text() or
// link(): markup is escaped, and control characters, bidi overrides and bytes that are not UTF-8
// become U+FFFD.
#ifndef SPINNERET_REPORT_HTML_H_
#define SPINNERET_REPORT_HTML_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::report {

class Html {
 public:
  // Appends markup, which must be our own.
  Html& raw(std::string_view markup);
  // Appends text, or the value of a quoted attribute: at most `most_bytes` of it, then an ellipsis.
  Html& text(std::string_view bytes, std::size_t most_bytes = SIZE_MAX);
  // Appends a URL: as a link if it is http or https and not absurdly long, otherwise as text.
  // Following the link reveals nothing about this page.
  Html& link(std::string_view url);
  // Appends a cell such as <td class="n" data-value="1234">1,234</td>.
  Html& number_cell(std::uint64_t number);

  const std::string& str() const { return out_; }

 private:
  std::string out_;
};

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_HTML_H_
