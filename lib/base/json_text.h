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

// Appends what the escape stands for that `rest` begins with, behind its backslash ("n", "u00fc"), in UTF-8. Two
// surrogates that belong together are one escape ("ud83d\ude00"), one alone is U+FFFD. Returns how many bytes of
// `rest` it takes; 0: it is none, and nothing was appended.
std::size_t append_json_escape(std::string& out, std::string_view rest);

// Where, from `at` on, the next quote or backslash stands in `text`, or its end: a string goes on up to there.
std::size_t json_string_stop(std::string_view text, std::size_t at);

}  // namespace spinneret

#endif  // SPINNERET_BASE_JSON_TEXT_H_
