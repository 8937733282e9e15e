// SPDX-License-Identifier: Apache-2.0
// Writes HTML that is also well-formed XML. All that comes from the network goes through text() or link(): markup is
// escaped, and control characters, bidi overrides and bytes that are not UTF-8 become U+FFFD.
#ifndef SPINNERET_REPORT_HTML_H_
#define SPINNERET_REPORT_HTML_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::report {

class Html {
 public:
  // Markup of our own.
  Html& raw(std::string_view markup);
  // Text, or the value of a quoted attribute. At most `most_bytes`, then an ellipsis.
  Html& text(std::string_view bytes, std::size_t most_bytes = SIZE_MAX);
  // A URL as a link if it is http or https and not absurdly long, else as text. Following the link reveals nothing of
  // this page.
  Html& link(std::string_view url);
  // <td class="n" data-value="1234">1,234</td>
  Html& number_cell(std::uint64_t number);

  const std::string& str() const { return out_; }

 private:
  std::string out_;
};

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_HTML_H_
