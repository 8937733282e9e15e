// SPDX-License-Identifier: Apache-2.0
// The multi-byte encodings of the Encoding Standard (sections 10 to 14), which encoding.cc looks up
// by name.
#ifndef SPINNERET_HTML_ENCODING_MULTIBYTE_H_
#define SPINNERET_HTML_ENCODING_MULTIBYTE_H_

#include <string_view>

#include "html/encoding.h"

namespace spinneret::html {

// Finds "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "utf-16le",
// "utf-16be" or "replacement"; returns nullptr for other names.
const Encoding* find_multibyte(std::string_view name);

// Appends "&#N;", which an encoder writes for a character that its encoding lacks.
void append_reference(std::string& out, char32_t code_point);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_ENCODING_MULTIBYTE_H_
