// SPDX-License-Identifier: Apache-2.0
#include "http/response_head.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/number.h"
#include "http/http_date.h"

namespace spinneret::http {
namespace {

constexpr std::int64_t kYear = 365 * 86400;

constexpr bool is_type_char(char c) {
  return is_alnum(c) || std::string_view("!#$&-^_.+*").find(c) != std::string_view::npos;
}

bool is_type(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == text.size()) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(slash),
                     is_type_char) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(slash) + 1, text.end(),
                     is_type_char);
}

std::string_view unquoted(std::string_view value) {
  if (value.starts_with('"') || value.starts_with('\'')) {
    const char quote = value.front();
    value.remove_prefix(1);
    value = value.substr(0, value.find(quote));
  }
  return trim(value);
}

// Parses seconds as caches write them; a number that overflows means "long".
std::optional<std::int64_t> delta_seconds(std::string_view text) {
  text = unquoted(trim(text));
  if (!is_digits(text)) return std::nullopt;
  const auto value = parse_unsigned(text);
  return value ? static_cast<std::int64_t>(std::min<std::uint64_t>(*value, kYear)) : kYear;
}

struct CacheControl {
  bool never = false;
  std::optional<std::int64_t> max_age;
};

CacheControl parse_cache_control(const std::string& value) {
  CacheControl out;
  std::string_view rest = value;
  while (!rest.empty()) {
    std::string_view argument = trim(cut(rest, ','));
    const std::string_view name = trim(cut(argument, '='));
    if (equals_ignore_case(name, "no-store") ||
        (equals_ignore_case(name, "no-cache") && argument.empty())) {
      out.never = true;
    } else if (equals_ignore_case(name, "max-age") && !out.max_age) {
      // A value that is no number means stale (RFC 9111 section 4.2.1).
      out.max_age = delta_seconds(argument).value_or(0);
    }
  }
  return out;
}

std::optional<std::int64_t> date_field(const HeaderBlock& head, std::string_view name,
                                       std::int64_t now) {
  const auto value = head.get(name);
  return value ? parse_http_date(*value, now) : std::nullopt;
}

// Returns the value of a parameter, from behind its `=` in `rest`, and moves `rest` behind the `;`
// that ends the parameter. A quoted string may contain a `;`.
std::string take_parameter_value(std::string_view& rest) {
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  if (!rest.starts_with('"')) return std::string(unquoted(trim(cut(rest, ';'))));
  std::string out;
  std::size_t at = 1;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    out += rest[at];
  }
  rest.remove_prefix(at);
  cut(rest, ';');
  return out;
}

bool matches_type(std::string_view type, std::string_view pattern) {
  if (pattern == "*/*") return true;
  if (!pattern.ends_with("/*")) return pattern == type;
  pattern.remove_suffix(1);
  return type.starts_with(pattern);
}

}  // namespace

MediaType parse_media_type(std::string_view value) {
  MediaType out;
  std::string_view rest = value;
  const std::string_view essence = trim(cut(rest, ';'));
  if (!is_type(essence)) return out;
  out.type = to_lower_copy(essence);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(";="), rest.size());
    const std::string_view name = trim(rest.substr(0, end));
    const bool has_value = end < rest.size() && rest[end] == '=';
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!has_value) continue;
    const std::string argument = take_parameter_value(rest);
    if (!equals_ignore_case(name, "charset") || !out.charset.empty()) continue;
    out.charset = to_lower_copy(clean_field_value(argument));
  }
  return out;
}

void take_media_types(std::string_view field, MediaType& media) {
  while (!field.empty()) {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < field.size() && (quoted || field[end] != ','); ++end) {
      if (field[end] == '"') quoted = !quoted;
      if (quoted && field[end] == '\\') ++end;
    }
    MediaType next = parse_media_type(field.substr(0, end));
    field.remove_prefix(std::min(end + 1, field.size()));
    if (next.type.empty() || (next.type == "*/*" && !media.type.empty())) continue;
    if (next.charset.empty() && next.type == media.type) next.charset = media.charset;
    media = std::move(next);
  }
}

bool takes_type(std::string_view type, const std::vector<std::string>& patterns) {
  bool takes_any = false;
  for (std::string_view pattern : patterns) {
    const bool takes = !pattern.starts_with('!');
    if (!takes) pattern.remove_prefix(1);
    takes_any |= takes;
    if (matches_type(type, pattern)) return takes;
  }
  return !takes_any;
}

bool parse_type_list(std::string_view text, std::vector<std::string>& patterns, std::string* bad) {
  bool good = true;
  while (!text.empty()) {
    std::string pattern = to_lower_copy(trim(cut(text, ',')));
    const std::size_t slash = pattern.find('/');
    const std::size_t begin = pattern.starts_with('!') ? 1 : 0;
    // A pattern with parameters, as in Content-Type, would match no type.
    const bool is_name = pattern.find_first_of("; \t") == std::string::npos;
    if (is_name && slash != std::string::npos && slash > begin && slash + 1 != pattern.size()) {
      patterns.push_back(std::move(pattern));
      continue;
    }
    if (good && bad != nullptr) *bad = std::move(pattern);
    good = false;
  }
  return good;
}

std::optional<std::int64_t> fresh_until(const HeaderBlock& head, std::int64_t now) {
  const std::string control_text = head.joined("cache-control");
  const CacheControl control = parse_cache_control(control_text);
  if (control.never) return now;
  std::optional<std::int64_t> lifetime = control.max_age;
  if (!lifetime) {
    const auto text = head.get("expires");
    if (!text) return std::nullopt;
    const std::int64_t date = date_field(head, "date", now).value_or(now);
    // "0" and other values that are no date mean: expired (RFC 9111 section 5.3).
    lifetime = parse_http_date(*text, now).value_or(date) - date;
  }
  const auto age_text = head.get("age");
  const std::int64_t age = age_text ? delta_seconds(*age_text).value_or(0) : 0;
  return now + std::clamp<std::int64_t>(*lifetime - age, 0, kYear);
}

// Parses seconds with a fraction, which some rate limiters send, and rounds up.
std::optional<std::int64_t> fractional_seconds(std::string_view text) {
  const std::string_view whole = cut(text, '.');
  const auto seconds = delta_seconds(whole);
  if (!seconds || !is_digits(text)) return std::nullopt;
  return *seconds + (text.find_first_not_of('0') != text.npos ? 1 : 0);
}

// Returns the wait that one value asks for, in seconds or as a date.
std::optional<std::int64_t> wait_of(std::string_view text, const HeaderBlock& head,
                                    std::int64_t now) {
  if (const auto seconds = delta_seconds(text)) return seconds;
  if (const auto seconds = fractional_seconds(trim(text))) return seconds;
  const auto when = parse_http_date(text, now);
  if (!when) return std::nullopt;
  return *when - date_field(head, "date", now).value_or(now);
}

std::optional<std::int64_t> retry_after(const HeaderBlock& head, std::int64_t now) {
  std::optional<std::int64_t> longest;
  for (const HeaderBlock::Field& field : head.fields()) {
    if (!equals_ignore_case(field.name, "retry-after")) continue;
    if (const auto wait = wait_of(field.value, head, now))
      longest = std::clamp<std::int64_t>(*wait, longest.value_or(0), kMaxRetryAfter);
  }
  return longest;
}

// The cookie of a wall that gives the browser some work (Anubis). It is set together with the work,
// to see whether the browser keeps cookies.
constexpr std::string_view kAnubisTest = "techaro.lol-anubis-cookie-verification=";

bool is_challenge(const HeaderBlock& head) {
  const auto says = [&head](std::string_view name, std::string_view value) {
    const auto text = head.get(name);
    return text && equals_ignore_case(*text, value);
  };
  const auto cookie = head.get("set-cookie");
  return says("cf-mitigated", "challenge") || says("x-amzn-waf-action", "challenge") ||
         says("x-amzn-waf-action", "captcha") || says("x-vercel-mitigated", "challenge") ||
         (cookie && cookie->starts_with(kAnubisTest));
}

Outcome outcome_of_status(int status, bool conditional, bool has_retry_after) {
  switch (status) {
    case 206: return Outcome::kBadResponse;
    case 301:
    case 308: return Outcome::kMoved;
    case 300:
    case 302:
    case 303:
    case 307: return Outcome::kRedirect;
    case 304: return conditional ? Outcome::kNotModified : Outcome::kBadResponse;
    case 401:
    case 403:
    case 451: return Outcome::kForbidden;
    case 402: return Outcome::kPaymentRequired;
    case 404: return Outcome::kNotFound;
    case 408:  // the request came too late, or too early: both statuses ask for it once more
    case 425: return Outcome::kServerError;
    case 410: return Outcome::kGone;
    case 429: return Outcome::kRateLimited;
    case 503: return has_retry_after ? Outcome::kRateLimited : Outcome::kServerError;
    default: break;
  }
  if (status >= 200 && status < 300) return Outcome::kOk;
  if (status >= 400 && status < 500) return Outcome::kClientError;
  if (status >= 500 && status < 600) return Outcome::kServerError;
  // 1xx as a last answer, 304 to 306, 600 and up.
  return Outcome::kBadResponse;
}

}  // namespace spinneret::http
