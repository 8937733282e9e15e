// SPDX-License-Identifier: Apache-2.0
// RFC 4648: base64 with padding (section 4), base64url without (section 5), and base32 without it
// (section 6).
#ifndef SPINNERET_HTTP_BASE64_H_
#define SPINNERET_HTTP_BASE64_H_

#include <string>
#include <string_view>

namespace spinneret::http {

std::string base64(std::string_view bytes);
std::string base64url(std::string_view bytes);
std::string base32(std::string_view bytes);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_BASE64_H_
