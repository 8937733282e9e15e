// SPDX-License-Identifier: Apache-2.0
// Punycode (RFC 3492) in n log n. A label may be a megabyte long here; the RFC's own procedures
// take quadratic time, which would be minutes.
#ifndef SPINNERET_URL_PUNYCODE_H_
#define SPINNERET_URL_PUNYCODE_H_

#include <string>
#include <string_view>

namespace spinneret::idna {

// Appends the encoding of `label`, which may have any code points, without "xn--".
void append_punycode(std::u32string_view label, std::string& out);

// Decodes what follows "xn--". Returns false where it cannot be decoded. Lower-case input that can
// be decoded is what encoding the result gives.
bool decode_punycode(std::string_view text, std::u32string& out);

}  // namespace spinneret::idna

#endif  // SPINNERET_URL_PUNYCODE_H_
