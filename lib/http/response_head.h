// SPDX-License-Identifier: Apache-2.0
// The meaning of a response's header fields, for records and the scheduler.
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
  std::string type;     // "text/html", lower case; empty: none, or not a type
  std::string charset;  // the parameter's value in lower case; empty: none
};

// Parses Content-Type (RFC 9110 section 8.3.1), as leniently as "parse a MIME type" of WHATWG MIME
// Sniffing.
MediaType parse_media_type(std::string_view value);
// Reads one more Content-Type field, which may hold several types, for example where a proxy has
// joined two. The last valid type of all fields counts; if it has no charset, it takes that of an
// equal type right before it (Fetch Standard, "extract a MIME type").
void take_media_types(std::string_view field, MediaType& media);

// Returns whether a list of media types accepts `type`. "text/html", "text/*" and "*/*" accept,
// "!image/*" refuses, and the first pattern that matches decides. A type that no pattern matches is
// refused if any of them accepts; an empty list accepts everything.
bool takes_type(std::string_view type, const std::vector<std::string>& patterns);
// Appends the patterns in `text`, which are separated by commas. Returns false where one is not a
// media type; `bad` is the first such, and the others are appended.
bool parse_type_list(std::string_view text, std::vector<std::string>& patterns, std::string* bad);

// Returns until when the response is fresh, in seconds since 1970, as a private cache computes it
// (RFC 9111 sections 4.2 and 4.2.1): max-age, else Expires less Date, both less Age; no-cache and
// no-store make it `now`. Returns nothing where the server does not say. The result is at most a
// year ahead.
std::optional<std::int64_t> fresh_until(const HeaderBlock& head, std::int64_t now_seconds);

// Returns Retry-After in seconds from now (RFC 9110 section 10.2.3). Its value is either digits,
// which may have a fraction, or a date, which is measured from Date or, without that, from now.
// Past dates give 0, and the result is at most kMaxRetryAfter. Of several fields the longest
// counts: a server and a proxy in front of it may both ask. Returns nothing for other values.
inline constexpr std::int64_t kMaxRetryAfter = 30 * 86400;
std::optional<std::int64_t> retry_after(const HeaderBlock& head, std::int64_t now_seconds);

// Returns whether the response comes from a wall in front of the server that demands a browser.
// Only responses that the walls themselves mark are recognised; others are judged by their status.
// The marks: cf-mitigated (Cloudflare), x-amzn-waf-action (AWS WAF), x-vercel-mitigated (Vercel),
// and the cookie of Anubis.
bool is_challenge(const HeaderBlock& head);

// Returns the outcome of a response that came completely. `conditional` says that validators were
// sent, so that 304 is an answer. Statuses that were not asked for (101, 206, 304) are
// kBadResponse.
Outcome outcome_of_status(int status, bool conditional, bool has_retry_after);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_RESPONSE_HEAD_H_
