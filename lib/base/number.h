// SPDX-License-Identifier: Apache-2.0
// Numbers, sizes and durations as people write them. Nothing depends on the locale. Spaces around a
// number, signs and values out of range are refused unless stated otherwise.
#ifndef SPINNERET_BASE_NUMBER_H_
#define SPINNERET_BASE_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spinneret {

// Parses digits only: "0", "42". At most 2^64-1.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

// Parses a decimal fraction without sign or exponent: "0.5", "2", ".25".
std::optional<double> parse_decimal(std::string_view text);

// Parses a number of bytes: "4096", "64K", "10M", "2G", "1T" (powers of 1,024; "KiB" and "KB" mean
// the same as "K"; letters in either case).
std::optional<std::uint64_t> parse_size(std::string_view text);

// Parses a duration into milliseconds: "1.5" or "1.5s", "250ms", "10m", "2h", "7d", "4w". At most
// 100 years.
std::optional<std::int64_t> parse_duration_ms(std::string_view text);

void append_unsigned(std::string& out, std::uint64_t value);

// Formats milliseconds as seconds, as records write them: 1500 becomes "1.5", 2000 becomes "2".
std::string seconds_text(std::int64_t milliseconds);

}  // namespace spinneret

#endif  // SPINNERET_BASE_NUMBER_H_
