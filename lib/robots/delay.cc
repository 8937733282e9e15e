// SPDX-License-Identifier: Apache-2.0
#include "robots/delay.h"

#include <charconv>
#include <cmath>
#include <cstddef>

#include "base/ascii.h"

namespace spinneret::robots {
namespace {

// Takes a decimal number, with point or comma and an exponent, off the front.
std::optional<double> take_number(std::string_view& text) {
  char digits[64];
  std::size_t size = 0;
  for (const char c : text.substr(0, sizeof digits)) {
    const bool exponent = (c == 'e' || c == 'E') && size > 0;
    const bool sign = (c == '-' || c == '+') && size > 0 && (digits[size - 1] | 0x20) == 'e';
    if (!is_digit(c) && c != '.' && c != ',' && !exponent && !sign) break;
    digits[size++] = c == ',' ? '.' : c;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits, digits + size, value);
  if (end == digits) return std::nullopt;
  // The number is too large, or too small.
  if (error == std::errc::result_out_of_range) {
    const bool tiny = std::string_view(digits, end).find('-') != std::string_view::npos;
    value = tiny ? 0 : HUGE_VAL;
  }
  text.remove_prefix(static_cast<std::size_t>(end - digits));
  return value;
}

DelayValue bounded(double ms, DelayFault fault) {
  // The comparison is written this way, and not with >, because of NaN: 1e999/1e999s.
  if (!(ms <= static_cast<double>(kMaxCrawlDelayMs)))
    return {kMaxCrawlDelayMs, DelayFault::kTooLong};
  return {static_cast<std::int64_t>(std::ceil(ms)), fault};
}

// Takes a unit, "s", "m", "h" or "d", off the text after a number, and returns it in seconds; 1
// where there is none.
double take_unit(std::string_view& text) {
  if (text.empty()) return 1;
  double seconds = 1;
  switch (to_lower(text.front())) {
    case 's': break;
    case 'm': seconds = 60; break;
    case 'h': seconds = 3600; break;
    case 'd': seconds = 86400; break;
    default: return 1;
  }
  text.remove_prefix(1);
  return seconds;
}

}  // namespace

DelayValue parse_crawl_delay(std::string_view value) {
  value = trim(value);
  if (value.starts_with('-')) return {std::nullopt, DelayFault::kNegative};
  const auto seconds = take_number(value);
  if (!seconds) return {std::nullopt, DelayFault::kNotANumber};
  return bounded(*seconds * 1000, trim(value).empty() ? DelayFault::kNone : DelayFault::kTail);
}

DelayValue parse_request_rate(std::string_view value, Hours* hours) {
  if (hours != nullptr) *hours = Hours();
  value = trim(value);
  if (value.starts_with('-')) return {std::nullopt, DelayFault::kNegative};
  const auto pages = take_number(value);
  value = trim(value);
  if (!pages || *pages <= 0 || !value.starts_with('/')) {
    return {std::nullopt, DelayFault::kNotANumber};
  }
  value = trim(value.substr(1));
  if (value.starts_with('-')) return {std::nullopt, DelayFault::kNegative};
  const auto time = take_number(value);
  if (!time) return {std::nullopt, DelayFault::kNotANumber};
  const double unit = take_unit(value);
  value = trim(value);
  const std::optional<Hours> window = parse_hours(value);
  if (hours != nullptr && window) *hours = *window;
  return bounded(*time * unit * 1000 / *pages,
                 value.empty() || window ? DelayFault::kNone : DelayFault::kTail);
}

std::string_view to_string(DelayFault fault) {
  switch (fault) {
    case DelayFault::kNone: return "";
    case DelayFault::kNotANumber: return "is not a number; ignored";
    case DelayFault::kNegative: return "is negative; ignored";
    case DelayFault::kTooLong: return "is longer than a day; held to a day";
    case DelayFault::kTail: return "has something after the number; the number counts";
  }
  return "";
}

}  // namespace spinneret::robots
