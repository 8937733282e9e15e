// SPDX-License-Identifier: Apache-2.0
// Unicode 17 for domains: the mapping of UTS #46, Normalization Form C, and the properties of a
// code point. Look-ups are binary searches over 60 KB of read-only tables; nothing is built at
// start-up. Thread-safe.
#ifndef SPINNERET_URL_UNICODE_H_
#define SPINNERET_URL_UNICODE_H_

#include <string>

#include "url/idna_tables.h"

namespace spinneret::idna {

// Appends what UTS #46 maps `c` to: itself where it is valid or disallowed, nothing where it is
// ignored.
void append_mapped(char32_t c, std::u32string& out);

// Returns whether `c` may be in a label (status "valid", or "deviation": processing is
// non-transitional).
bool is_valid(char32_t c);

// Returns the properties of `c`, which must be valid.
const Properties& properties_of(char32_t c);

// Applies Normalization Form C to mapped text. Takes n log n at worst, for runs of combining marks.
void normalize_nfc(std::u32string& text);

}  // namespace spinneret::idna

#endif  // SPINNERET_URL_UNICODE_H_
