// SPDX-License-Identifier: Apache-2.0
// Points in time as people read and write them.
#ifndef SPINNERET_BASE_MOMENT_H_
#define SPINNERET_BASE_MOMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spinneret {

// Formats seconds since 1970 as "2023-11-14T22:13:20Z" (RFC 3339, UTC). A time whose year does not
// have four digits is written as a bare number.
std::string utc_text(std::int64_t unix_seconds);

// Formats milliseconds in the same way: "2023-11-14T22:13:20.123Z".
std::string utc_text_ms(std::int64_t unix_ms);

// Parses "2026-11-20", or seconds since 1970 up to the end of the year 9999, into milliseconds
// since 1970.
std::optional<std::int64_t> parse_day_ms(std::string_view text);

}  // namespace spinneret

#endif  // SPINNERET_BASE_MOMENT_H_
