// SPDX-License-Identifier: Apache-2.0
// What a byte means to the path state of the URL parser (URL Standard, section 4.4): one look-up tells
// whether a segment ends here, and whether a byte of it must be escaped.
#ifndef SPINNERET_URL_PATH_CLASS_H_
#define SPINNERET_URL_PATH_CLASS_H_

#include <array>
#include <cstddef>
#include <cstdint>

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

}  // namespace spinneret

#endif  // SPINNERET_URL_PATH_CLASS_H_
