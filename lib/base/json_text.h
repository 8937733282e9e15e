// SPDX-License-Identifier: Apache-2.0
// Strings of JSON (RFC 8259, section 7): the one place that writes them, and that undoes their escapes.
#ifndef SPINNERET_BASE_JSON_TEXT_H_
#define SPINNERET_BASE_JSON_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret {

// Appends `text` as a JSON string with its quotes. Bytes that are not valid UTF-8 become U+FFFD; C0
// controls, DEL, C1 controls and bidi controls are written as \u escapes, so that the output is safe on
// a terminal.
void append_json_string(std::string& out, std::string_view text);

// Appends, in UTF-8, what the escape at the start of `rest` stands for; `rest` begins behind the backslash ("n",
// "u00fc"). Two surrogates that belong together are one escape ("ud83d\ude00"); a lone one becomes U+FFFD. Returns
// how many bytes of `rest` the escape takes, or 0 where it is not one, and appends nothing then.
std::size_t append_json_escape(std::string& out, std::string_view rest);

// Returns where in `text`, from `at` on, the next quote or backslash stands, or the end: up to there a string's bytes
// need no look.
std::size_t json_string_stop(std::string_view text, std::size_t at);

}  // namespace spinneret

#endif  // SPINNERET_BASE_JSON_TEXT_H_
