// SPDX-License-Identifier: Apache-2.0
// Bytes of unknown origin, made safe to show to a person. Nothing from the network may reach a
// terminal raw: no control byte, no escape sequence, no bidirectional override.
#ifndef SPINNERET_BASE_EXCERPT_H_
#define SPINNERET_BASE_EXCERPT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret {

// Returns how many bytes at the start are printable ASCII and neither `"` nor `\`: they stand for
// themselves in an excerpt and in JSON.
std::size_t plain_prefix(std::string_view bytes);

// Appends at most `max_bytes` of `bytes` to `out`: printable ASCII and valid UTF-8 as they are; `"`
// and `\` after a backslash; tab, CR, LF as \t, \r, \n; every other byte, and each byte of a code
// point that controls, reverses, hides or separates text (C1, bidi controls, soft hyphen,
// zero-width characters, U+2028 and U+2029, byte order mark, tags), as \xHH. A longer text is cut
// between two characters and ends in "...".
void append_excerpt(std::string& out, std::string_view bytes, std::size_t max_bytes = 120);

// Appends a whole message that quotes names of files or options as they were given. Control bytes,
// bidi controls and bytes that are not UTF-8 are written as append_excerpt() writes them; `"` and
// `\` stay as they are, and nothing is cut.
void append_printable(std::string& out, std::string_view message);

// Returns what append_excerpt() appends, between double quotes.
std::string excerpt(std::string_view bytes, std::size_t max_bytes = 120);

// Whether a code point can affect a terminal: C0, DEL, C1 and the bidi controls that clean_words()
// removes.
bool is_terminal_control(char32_t c);

// Makes text from strangers fit for the value of a record. From byte `from` on, each control
// character becomes a space (C1 too, whether it comes as UTF-8 or as a stray byte), and each bidi
// control (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) is removed. Every other byte
// stays, UTF-8 or not. The text never grows, and a clean text stays as it is.
void clean_words(std::string& text, std::size_t from = 0);

// Does the same to a text of several lines: LF and tab stay as they are.
void clean_lines(std::string& text);
std::string without_controls(std::string_view text);

}  // namespace spinneret

#endif  // SPINNERET_BASE_EXCERPT_H_
