// SPDX-License-Identifier: Apache-2.0
// Strings of JSON (RFC 8259, section 7). They are written, and their escapes undone, only here.
#ifndef SPINNERET_BASE_JSON_TEXT_H_
#define SPINNERET_BASE_JSON_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret {

// Appends `text` as a JSON string with its quotes. Bytes that are not valid UTF-8 become U+FFFD; C0
// controls, DEL, C1 controls and bidi controls are written as \u escapes, so that the output is
// safe on a terminal.
void append_json_string(std::string& out, std::string_view text);

// Appends in UTF-8 the character of the escape at the start of `rest`, which begins after the
// backslash ("n", "u00fc"). Two surrogates that belong together are one escape ("ud83d\ude00"); a
// lone one becomes U+FFFD. Returns how many bytes of `rest` the escape takes. Where there is no
// valid escape, appends nothing and returns 0.
std::size_t append_json_escape(std::string& out, std::string_view rest);

// Returns where in `text`, from `at` on, the next quote or backslash stands, or the end of `text`.
// A string's bytes before that need no further look.
std::size_t json_string_stop(std::string_view text, std::size_t at);

}  // namespace spinneret

#endif  // SPINNERET_BASE_JSON_TEXT_H_
