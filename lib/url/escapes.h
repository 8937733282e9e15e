// SPDX-License-Identifier: Apache-2.0
// Percent-escapes in one canonical spelling (RFC 3986, section 6.2.2).
#ifndef SPINNERET_URL_ESCAPES_H_
#define SPINNERET_URL_ESCAPES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "url/percent.h"

namespace spinneret {

// What may be done to the escapes of one part of a URL.
struct EscapeRules {
  bool upper_hex = false;   // %3a becomes %3A
  bool unreserved = false;  // escapes of letters, digits, - . _ ~ are undone
  // Escapes of every byte that the part can contain unescaped are undone, too.
  bool all = false;
  bool stray = false;          // a '%' that begins no escape becomes %25
  EncodeSet set = kPathSet;    // the bytes that the part cannot contain unescaped
  std::string_view keep = {};  // further bytes that `all` leaves escaped
};

// Appends `text`, which must be ASCII, in normal form. %2F %23 %25 %26 %3D %2B are never undone,
// and no escape is undone where that would make a new one ("%%34%31" does not become "%41").
// Idempotent.
void append_normal_escapes(std::string& out, std::string_view text, const EscapeRules& rules);

// Returns whether `text` may have an escape that the safe form (steps hex-case and unreserved)
// writes otherwise. For most URLs, which have no '%', this is one memchr.
bool has_needless_escapes(std::string_view text);

}  // namespace spinneret

#endif  // SPINNERET_URL_ESCAPES_H_
