// SPDX-License-Identifier: Apache-2.0
// The meaning of a byte to the path state of the URL parser (URL Standard, section 4.4): one
// look-up tells whether a segment ends here and whether the byte must be escaped. Also Windows
// drive letters.
#ifndef SPINNERET_URL_PATH_CLASS_H_
#define SPINNERET_URL_PATH_CLASS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"
#include "url/percent.h"

namespace spinneret {

enum PathClass : std::uint8_t {
  kPathEncode = 1,  // in the path percent-encode set
  kPathEnd = 2,     // '?' and '#'
  kPathSlash = 4,
  kPathBackslash = 8,  // a slash in special URLs
};

constexpr std::array<std::uint8_t, 256> make_path_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t c = 0; c < 256; ++c) {
    if ((kEncodeSets[c] & kPathSet) != 0) classes[c] = kPathEncode;
  }
  classes['?'] = classes['#'] = kPathEnd;
  classes['/'] = kPathSlash;
  classes['\\'] = kPathBackslash;
  return classes;
}
inline constexpr std::array<std::uint8_t, 256> kPathClasses = make_path_classes();

// Returns whether `text` is a Windows drive letter: "C:" or "C|".
constexpr bool is_drive_letter(std::string_view text) {
  return text.size() == 2 && is_alpha(text[0]) && (text[1] == ':' || text[1] == '|');
}

// Returns whether `text` starts with a Windows drive letter.
constexpr bool starts_with_drive_letter(std::string_view text) {
  if (!is_drive_letter(text.substr(0, 2))) return false;
  return text.size() == 2 || std::string_view("/\\?#").find(text[2]) != std::string_view::npos;
}

}  // namespace spinneret

#endif  // SPINNERET_URL_PATH_CLASS_H_
