// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <charconv>
#include <cmath>

#include "base/ascii.h"

namespace spinneret {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Unit kSizes[] = {
    {"", 1}, {"K", 1ULL << 10}, {"M", 1ULL << 20}, {"G", 1ULL << 30}, {"T", 1ULL << 40}};
constexpr Unit kDurations[] = {{"", 1000},        {"ms", 1},        {"s", 1000},
                               {"m", 60'000},     {"h", 3'600'000}, {"d", 86'400'000},
                               {"w", 604'800'000}};
constexpr double kHundredYearsMs = 3.156e12;

// Cuts the number off the front of `text`, and leaves its unit.
std::string_view cut_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  const std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  return number;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

// Whether `text` is "K", "KB" or "KiB" for the letter K; "" or "B" for no letter.
bool is_size_unit(std::string_view text, std::string_view letter) {
  if (!starts_with_ignore_case(text, letter)) return false;
  text.remove_prefix(letter.size());
  return text.empty() || equals_ignore_case(text, "b") ||
         (!letter.empty() && equals_ignore_case(text, "ib"));
}

}  // namespace

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, value);
  if (text.empty() || code != std::errc() || at != end) return std::nullopt;
  return value;
}

std::optional<double> parse_decimal(std::string_view text) {
  if (text.empty() || !(is_digit(text.front()) || text.front() == '.')) return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (code != std::errc() || at != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::optional<std::uint64_t> number = parse_unsigned(cut_number(text));
  if (!number) return std::nullopt;
  for (const Unit& known : kSizes) {
    if (!is_size_unit(text, known.name)) continue;
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(*number, known.factor, &bytes)) return std::nullopt;
    return bytes;
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_duration_ms(std::string_view text) {
  const std::optional<double> number = parse_decimal(cut_number(text));
  if (!number) return std::nullopt;
  for (const Unit& known : kDurations) {
    if (text != known.name) continue;
    const double ms = *number * static_cast<double>(known.factor);
    if (!(ms <= kHundredYearsMs)) return std::nullopt;
    return std::llround(ms);
  }
  return std::nullopt;
}

void append_unsigned(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

std::string seconds_text(std::int64_t milliseconds) {
  // The sign is written first: -0.5 has no whole part to carry it. magnitude() is needed because
  // the least number has no positive counterpart.
  std::string out = milliseconds < 0 ? "-" : "";
  append_unsigned(out, magnitude(milliseconds / 1000));
  const std::uint64_t rest = magnitude(milliseconds % 1000);
  if (rest == 0) return out;
  const std::string digits = std::to_string(1000 + rest).substr(1);
  out += '.';
  out += digits.substr(0, digits.find_last_not_of('0') + 1);
  return out;
}

}  // namespace spinneret
