// SPDX-License-Identifier: Apache-2.0
// The engine's input and output: what is asked for and what came of it.
#ifndef SPINNERET_HTTP_FETCH_H_
#define SPINNERET_HTTP_FETCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "http/header_block.h"
#include "http/response_head.h"
#include "http/wire.h"

namespace spinneret::http {

// How much of an answer is wanted.
enum class Want : std::uint8_t {
  kBody,
  // Whether there is a page: HEAD, or GET up to the body where a server refuses HEAD or gets it
  // wrong.
  kAnswer,
  kIds,  // the body of HTML or SVG, and only the head of anything else
};

// All times are in milliseconds, all sizes in bytes. Each limit is for one exchange, so that a hop
// starts anew; only total_ms covers the URL from its first exchange on. No limit counts the time in
// the engine's queue or between hops. DNS must answer within the shorter of connect_ms and
// total_ms.
struct FetchLimits {
  std::int64_t total_ms = 60'000;
  std::int64_t connect_ms = 10'000;     // TCP and TLS; looking up the name may take as long again
  std::int64_t first_byte_ms = 20'000;  // from the connection to the first byte of the answer
  // In each window of low_speed_ms at least low_speed_bytes must come.
  std::int64_t low_speed_ms = 10'000;
  std::uint64_t low_speed_bytes = 1'000;
  std::uint64_t max_size = std::uint64_t{10} << 20;  // of the decoded body
  // Of heads, interim heads and trailers together. This is the most that libcurl takes.
  std::uint64_t max_header = std::uint64_t{300} << 10;
};

// The limit of sitemaps.org: many a sitemap is larger than any page.
inline constexpr std::uint64_t kSitemapSizeLimit = std::uint64_t{50} << 20;

struct FetchRequest {
  std::string url;
  std::string etag;           // sent as If-None-Match
  std::string last_modified;  // sent as If-Modified-Since
  // Media types accepted for this page, beside EngineOptions::types.
  std::vector<std::string> types;
  // The linking page's URL; the engine decides how much of it is sent.
  std::string referer;
  int follow = 0;  // how many redirects to follow
  // The least time that the host wants between two requests, as far as the caller knows; kept
  // before the host is asked again for the same URL.
  std::int64_t delay_ms = 0;
  // The request, and each hop of it, goes out no sooner than this after the last request of its
  // lane.
  std::int64_t gap_ms = 0;
  std::string lane;  // names the hosts that the caller counts as one; empty: the host's name
  // Deadlines by Clock::boot_ns() in milliseconds; 0: none. No request begins after `send_by_ms`,
  // and no transfer lasts beyond `end_by_ms`. A request that is not sent ends as kAborted with
  // FetchResult::late. So does a transfer that is cut, if `by_lease` names a lease; otherwise it
  // ends as kTimeout.
  std::int64_t send_by_ms = 0, end_by_ms = 0;
  // Both deadlines move by as much as EngineOptions::deadlines says that the lease of this name has
  // moved beyond `end_by_ms`; 0: they do not move.
  std::uint64_t by_lease = 0;
  // The caller itself bounds the number of such requests. While its host has not answered, such a
  // request takes no slot.
  bool unheard = false;
  // For robots.txt: a body over max_size is cut there and counts as good (RFC 9309 section 2.5),
  // and every type is accepted.
  bool robots = false;
  // For sitemaps: a body may have kSitemapSizeLimit bytes where FetchLimits::max_size is less, and
  // every type is accepted.
  bool sitemap = false;
  Want want = Want::kBody;
  std::string cargo;         // the caller's own; the engine does not touch it
  std::uint64_t ticket = 0;  // the caller's own; see Engine::hold()
};

struct FetchHop {
  int status = 0;
  std::string url;  // target of the redirect, without user information and fragment
};

struct FetchResult {
  Outcome outcome = Outcome::kAborted;
  std::string error;  // what went wrong, without a full stop; empty where nothing did
  int status = 0;     // 0: no answer
  int version = 0;    // 10, 11, 20, 30
  HeaderBlock head;   // of the last response, parsed
  MediaType media;
  // Target of a redirect: absolute, or, where it does not resolve, as it came, controls included.
  std::string location;
  std::string ip;  // the address that answered
  std::vector<FetchHop> hops;

  // Decoded; empty where it was not to be kept (EngineOptions::digest_only).
  std::string body;
  std::uint64_t size = 0;       // of the decoded body
  std::string digest;           // hexadecimal; set where the body was not kept
  int continued = 0;            // number of further exchanges that brought the rest of the body
  bool whole = false;           // the body is complete
  bool bodiless = false;        // HEAD or 304: fields about a body describe another answer's
  bool truncated = false;       // robots only: cut at max_size, and good
  std::uint64_t wire_size = 0;  // body bytes as received, before decoding
  // These bytes, where EngineOptions::keep_wire asks for them and they differ from the body.
  std::string wire_body;
  // Aborted because its deadline had passed, and not sent, or cut: see FetchRequest::send_by_ms.
  bool late = false;
  std::string request_head;  // only with WireOptions::keep_request
  bool conditional = false;  // validators were sent

  std::int64_t fetched_unix_ms = 0;  // when the exchange began
  std::int64_t dns_us = 0;
  std::int64_t time_us = 0;  // from the first exchange to the end, without the waits of hops
  WireTimes times;           // of the last exchange; only with EngineOptions::timing

  // Prepares for reuse. Keeps memory, except that of a large body.
  void clear();
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_FETCH_H_
