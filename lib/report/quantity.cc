// SPDX-License-Identifier: Apache-2.0
#include "report/quantity.h"

#include <cmath>
#include <cstdio>

#include "base/moment.h"

namespace spinneret::report {
namespace {

std::string decimals(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string with_unit(double value, const char* unit) {
  return decimals(value, value < 9.95 ? 1 : 0) + " " + unit;
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string rounded(double number) {
  if (number >= 99.5) return grouped(static_cast<std::uint64_t>(std::llround(number)));
  return decimals(number, number < 0.995 ? 2 : number < 99.5 ? 1 : 0);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.5 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  return with_unit(value, kUnits[unit]);
}

std::string span_text(std::int64_t milliseconds) {
  const auto ms = static_cast<double>(milliseconds);
  if (milliseconds < 1000) return std::to_string(milliseconds) + " ms";
  if (milliseconds < 120'000) return with_unit(ms / 1000, "s");
  const std::int64_t minutes = (milliseconds + 30'000) / 60'000;
  if (minutes < 120) return std::to_string(minutes) + " min";
  if (minutes < 48 * 60) {
    return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
  }
  return std::to_string((minutes + 720) / 1440) + " days";
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "";
  return rounded(static_cast<double>(part) * 100 / static_cast<double>(whole)) + " %";
}

std::string count_text(std::uint64_t number, std::string_view one) {
  return grouped(number) + " " + std::string(one) + (number == 1 ? "" : "s");
}

std::string moment_text(std::int64_t wall_ms) {
  const std::string text = utc_text(wall_ms / 1000);
  return text.size() < 16 ? text : text.substr(0, 10) + " " + text.substr(11, 5) + " UTC";
}

}  // namespace spinneret::report
