// SPDX-License-Identifier: Apache-2.0
// Plain text as a document of HTML, for a PageReader, which so finds its words as it finds those of a page.
#ifndef SPINNERET_TEXT_PLAIN_H_
#define SPINNERET_TEXT_PLAIN_H_

#include <string>
#include <string_view>

namespace spinneret::text {

// The text as the content of one <pre>, in its own encoding. Replaces `document`; the view is of that.
std::string_view plain_document(std::string_view text, std::string& document);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_PLAIN_H_
