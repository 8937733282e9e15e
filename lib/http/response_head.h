// SPDX-License-Identifier: Apache-2.0
// What a record says of a response's header fields: their meaning, made of a HeaderBlock.
#ifndef SPINNERET_HTTP_RESPONSE_HEAD_H_
#define SPINNERET_HTTP_RESPONSE_HEAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "http/header_block.h"

namespace spinneret::http {

struct MediaType {
  std::string type;     // "text/html", lower case; empty: none or not a type
  std::string charset;  // the parameter's value in lower case; empty: none
};

// Content-Type (RFC 9110 section 8.3.1; WHATWG MIME Sniffing, "parse a MIME type", as to leniency).
MediaType parse_media_type(std::string_view value);

// Whether a list of media types takes `type`: "text/html", "text/*" and "*/*" take, "!image/*" refuses, and the first
// that matches decides. What none matches is refused where one takes; an empty list takes all.
bool takes_type(std::string_view type, const std::vector<std::string>& patterns);
// Appends the patterns that stand in `text` between commas. False: one is no media type, the first such in `bad`; the
// others are there.
bool parse_type_list(std::string_view text, std::vector<std::string>& patterns, std::string* bad);

// Until when the response is fresh, in seconds since 1970 (RFC 9111 sections 4.2 and 4.2.1, as a private
// cache reads it): max-age, else Expires less Date, both less Age; no-cache and no-store make it `now`.
// Nothing where the server does not say. At most a year ahead.
std::optional<std::int64_t> fresh_until(const HeaderBlock& head, std::int64_t now_seconds);

// Retry-After in seconds from now (RFC 9110 section 10.2.3): digits, or a date measured from Date (or
// from now). Past dates give 0; at most kMaxRetryAfter. Nothing where it is neither.
inline constexpr std::int64_t kMaxRetryAfter = 30 * 86400;
std::optional<std::int64_t> retry_after(const HeaderBlock& head, std::int64_t now_seconds);

// Whether it is of a wall in front of the server, which wants a browser: what the walls themselves mark so
// (Cloudflare: cf-mitigated; AWS WAF: x-amzn-waf-action). What only looks like one is what its status says.
bool is_challenge(const HeaderBlock& head);

// The outcome of a response that came whole. `conditional`: validators were sent, so 304 is an answer.
// Statuses that nobody asked for (101, 206, 304) are kBadResponse.
Outcome outcome_of_status(int status, bool conditional, bool has_retry_after);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_RESPONSE_HEAD_H_
