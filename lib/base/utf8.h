// SPDX-License-Identifier: Apache-2.0
// Code points to bytes. For the way back see utf8_sequence (base/excerpt.h).
#ifndef SPINNERET_BASE_UTF8_H_
#define SPINNERET_BASE_UTF8_H_

#include <string>

namespace spinneret {

// Appends `code_point` (at most U+10FFFF; surrogates are the caller's to replace) as UTF-8 (RFC 3629).
void append_utf8(std::string& out, char32_t code_point);

}  // namespace spinneret

#endif  // SPINNERET_BASE_UTF8_H_
