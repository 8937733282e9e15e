// SPDX-License-Identifier: Apache-2.0
// Turns plain text into an HTML document, so that a PageReader finds its words as it does those of
// a page.
#ifndef SPINNERET_TEXT_PLAIN_H_
#define SPINNERET_TEXT_PLAIN_H_

#include <string>
#include <string_view>

namespace spinneret::text {

// Returns the text as the content of one <pre>, in its own encoding: a view of `document`, which is
// replaced.
std::string_view plain_document(std::string_view text, std::string& document);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_PLAIN_H_
