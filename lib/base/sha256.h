// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4, section 6.2) of a whole text, for those who check a digest now and then and would not
// load a library for it: libcrypto costs 0.65 ms at each start, of 1.1. fetch, which makes digests, uses that one,
// and its SHA instructions. A pure function.
#ifndef SPINNERET_BASE_SHA256_H_
#define SPINNERET_BASE_SHA256_H_

#include <string>
#include <string_view>

namespace spinneret {

// 64 lower-case hexadecimal digits. 4 ns a byte.
std::string sha256_hex(std::string_view bytes);

}  // namespace spinneret

#endif  // SPINNERET_BASE_SHA256_H_
