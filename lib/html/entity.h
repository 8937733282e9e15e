// SPDX-License-Identifier: Apache-2.0
// Character references (HTML 13.2.5.72 to 13.2.5.80).
//
//   std::string out;
//   append_decoded(out, "?a=1&copy=2&amp;b=3", EntityRules::kAttribute);   // ?a=1&copy=2&b=3
//
// Text without '&', CR or NUL is merely copied into `out`. Takes linear time. Thread-safe.
#ifndef SPINNERET_HTML_ENTITY_H_
#define SPINNERET_HTML_ENTITY_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret::html {

enum class EntityRules {
  kText,       // every known name counts, with or without semicolon (13.2.5.73)
  kAttribute,  // a name without semicolon before '=' or an alphanumeric stays text
};

// Decodes the reference at the start of `text`, which must begin with '&'. Appends what it stands
// for and returns its length in bytes. Appends nothing and returns 0 if it is not a reference.
std::size_t decode_entity(std::string_view text, EntityRules rules, std::string& out);

// Appends `raw` with references replaced and newlines normalised (CR LF and CR become LF:
// 13.2.3.5). NUL becomes U+FFFD in attributes and stays in text.
void append_decoded(std::string& out, std::string_view raw, EntityRules rules);

// What a value contains besides plain ASCII text, found in one pass that reads word by word.
struct ValueBytes {
  bool special = false;  // '&', CR or NUL, which append_decoded() would change
  bool high = false;     // bytes above 0x7F: the encoding matters
};
ValueBytes value_bytes(std::string_view raw);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_ENTITY_H_
