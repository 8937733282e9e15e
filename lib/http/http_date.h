// SPDX-License-Identifier: Apache-2.0
// HTTP dates (RFC 9110 section 5.6.7).
#ifndef SPINNERET_HTTP_HTTP_DATE_H_
#define SPINNERET_HTTP_HTTP_DATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spinneret::http {

// Reads any of the three forms, all of which mean GMT, into seconds since 1970:
//   Sun, 06 Nov 1994 08:49:37 GMT     Sunday, 06-Nov-94 08:49:37 GMT     Sun Nov  6 08:49:37 1994
// The name of the day is not checked. A two-digit year is taken to be at most 50 years ahead of
// `now`. Returns nothing for text that is not a date.
std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now_seconds);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_HTTP_DATE_H_
