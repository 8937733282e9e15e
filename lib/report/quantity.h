// SPDX-License-Identifier: Apache-2.0
// Quantities as people read them.
#ifndef SPINNERET_REPORT_QUANTITY_H_
#define SPINNERET_REPORT_QUANTITY_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::report {

// Returns a number with commas: "1,234,567".
std::string grouped(std::uint64_t number);
// Returns a number with as many digits as matter: "0.25", "12.6", "6,731".
std::string rounded(double number);
// Returns a size: "1.4 MiB".
std::string bytes_text(std::uint64_t bytes);
// Returns a span of time: "340 ms", "1.9 s", "12 min", "3 h 20 min", "5 days".
std::string span_text(std::int64_t milliseconds);
// Returns a share: "12.3 %"; empty if `whole` is 0.
std::string percent_text(std::uint64_t part, std::uint64_t whole);
// Returns a number of things: "1 page", "2 pages".
std::string count_text(std::uint64_t number, std::string_view one);
// Returns a time: "2026-11-21 13:05 UTC".
std::string moment_text(std::int64_t wall_ms);

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_QUANTITY_H_
