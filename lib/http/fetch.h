// SPDX-License-Identifier: Apache-2.0
// What is asked for and what came of it: the engine's input and output.
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

// What is wanted of an answer.
enum class Want : std::uint8_t {
  kBody,
  kAnswer,  // whether it is there: HEAD, then GET up to its body where a server refuses that, or gets it wrong
  kIds,  // the body of HTML, and of others no more than the head
};

// All times in milliseconds, all sizes in bytes. Each limit holds for one exchange, so a hop starts anew; total_ms alone
// covers the URL from its first exchange on. No limit counts the time in the engine's queue or between hops. DNS must answer
// within the shorter of connect_ms and total_ms.
struct FetchLimits {
  std::int64_t total_ms = 60'000;
  std::int64_t connect_ms = 10'000;       // TCP and TLS; the name's address has as long before
  std::int64_t first_byte_ms = 20'000;    // from the connection to the first byte of the answer
  std::int64_t low_speed_ms = 10'000;     // in each window of this length ...
  std::uint64_t low_speed_bytes = 1'000;  // ... at least so many bytes must come
  std::uint64_t max_size = std::uint64_t{10} << 20;  // of the decoded body
  // Heads, interim heads and trailers together. libcurl takes no more than this.
  std::uint64_t max_header = std::uint64_t{300} << 10;
};

struct FetchRequest {
  std::string url;
  std::string etag;                // sent as If-None-Match
  std::string last_modified;       // sent as If-Modified-Since
  std::vector<std::string> types;  // accepted of this page, beside EngineOptions::types
  std::string referer;             // the page's URL; what of it is sent is decided by the engine
  int follow = 0;                  // redirects to follow
  // That its host wants between two requests, as far as the caller knows: before it is asked again for the same.
  std::int64_t delay_ms = 0;
  // Goes out no sooner than this after the last request of its lane; so do its hops.
  std::int64_t gap_ms = 0;
  std::string lane;  // what the caller counts as one host; empty: a host's name
  // By Clock::boot_ns() in milliseconds, 0: whenever. No request begins after the one, and no transfer is left after the
  // other: both end as kAborted, FetchResult::late.
  std::int64_t send_by_ms = 0, end_by_ms = 0;
  // The caller has bounded such requests itself: while its host has not answered, it holds no slot.
  bool unheard = false;
  // robots.txt: a body over max_size is cut there and is good (RFC 9309 section 2.5), and no type is
  // refused.
  bool robots = false;
  Want want = Want::kBody;
  std::string cargo;         // the caller's own, untouched
  std::uint64_t ticket = 0;  // and so is this
};

struct FetchHop {
  int status = 0;
  std::string url;  // where it led, without user information and fragment
};

struct FetchResult {
  Outcome outcome = Outcome::kAborted;
  std::string error;  // what went wrong, without a final stop; empty where nothing did
  int status = 0;     // 0: no answer
  int version = 0;    // 10, 11, 20, 30
  HeaderBlock head;   // of the last response; parsed
  MediaType media;
  std::string
      location;  // of a redirect: absolute; as it came, controls and all, where it does not resolve
  std::string ip;  // that answered
  std::vector<FetchHop> hops;

  std::string body;        // decoded; empty where EngineOptions::digest_only has it not kept
  std::uint64_t size = 0;  // of the decoded body
  std::string digest;      // of what was not kept, in hexadecimal
  int continued = 0;       // further exchanges that the body is from
  bool whole = false;      // body is all of it
  bool bodiless = false;   // HEAD or 304: what the fields say of a body is said of another answer's
  bool truncated = false;  // robots only: cut at max_size, and good
  std::uint64_t wire_size = 0;  // body bytes as received, before decoding
  std::string wire_body;        // those bytes, where EngineOptions::keep_wire asks and they differ
  bool late = false;            // aborted, as its time was over: see FetchRequest::send_by_ms
  std::string request_head;     // with WireOptions::keep_request
  bool conditional = false;     // validators were sent

  std::int64_t fetched_unix_ms = 0;  // when the exchange began
  std::int64_t dns_us = 0;
  std::int64_t time_us = 0;  // from the first exchange to the end, without what hops waited
  WireTimes times;           // of the last exchange; only with EngineOptions::timing

  // Ready for reuse; keeps memory, but not that of a large body.
  void clear();
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_FETCH_H_
