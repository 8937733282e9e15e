// SPDX-License-Identifier: Apache-2.0
#include "base/moment.h"

#include <chrono>

#include "base/number.h"

namespace spinneret {
namespace {

constexpr std::int64_t kYear0 = -62'167'219'200;
constexpr std::int64_t kYear9999End = 253'402'300'799;

void append_padded(std::string& out, unsigned number, std::size_t digits) {
  const std::string text = std::to_string(number);
  out.append(digits - text.size(), '0') += text;
}

}  // namespace

std::string utc_text(std::int64_t unix_seconds) {
  if (unix_seconds < kYear0 || unix_seconds > kYear9999End) return std::to_string(unix_seconds);
  const std::chrono::seconds since(unix_seconds);
  const auto day = std::chrono::floor<std::chrono::days>(since);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const auto rest = static_cast<unsigned>((since - day).count());
  const unsigned parts[] = {static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                            rest / 3600, rest / 60 % 60, rest % 60};
  std::string out;
  append_padded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  for (std::size_t i = 0; i < 5; ++i) {
    out += "--T::"[i];
    append_padded(out, parts[i], 2);
  }
  return out + 'Z';
}

std::string utc_text_ms(std::int64_t unix_ms) {
  const std::int64_t seconds = unix_ms / 1000 - (unix_ms % 1000 < 0 ? 1 : 0);
  std::string out = utc_text(seconds);
  if (!out.ends_with('Z')) return out;
  out.back() = '.';
  append_padded(out, static_cast<unsigned>(unix_ms - seconds * 1000), 3);
  return out + 'Z';
}

std::optional<std::int64_t> parse_day_ms(std::string_view text) {
  if (const auto seconds = parse_unsigned(text)) {
    if (*seconds > static_cast<std::uint64_t>(kYear9999End)) return std::nullopt;
    return static_cast<std::int64_t>(*seconds) * 1000;
  }
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = parse_unsigned(text.substr(0, 4));
  const auto month = parse_unsigned(text.substr(5, 2));
  const auto day = parse_unsigned(text.substr(8));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86'400'000};
}

}  // namespace spinneret
