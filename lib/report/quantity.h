// SPDX-License-Identifier: Apache-2.0
// Quantities in words, for people.
#ifndef SPINNERET_REPORT_QUANTITY_H_
#define SPINNERET_REPORT_QUANTITY_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::report {

// "1,234,567"
std::string grouped(std::uint64_t number);
// With as many digits as matter: "0.25", "12.6", "6,731".
std::string rounded(double number);
// "1.4 MiB"
std::string bytes_text(std::uint64_t bytes);
// "340 ms", "1.9 s", "12 min", "3 h 20 min", "5 days"
std::string span_text(std::int64_t milliseconds);
// "12.3 %"; empty where `whole` is 0.
std::string percent_text(std::uint64_t part, std::uint64_t whole);
// "1 page", "2 pages"
std::string count_text(std::uint64_t number, std::string_view one);
// "2026-11-21 13:05 UTC"
std::string moment_text(std::int64_t wall_ms);

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_QUANTITY_H_
