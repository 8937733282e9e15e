// SPDX-License-Identifier: Apache-2.0
// What is known about a host's robots.txt, and the file that keeps it. A cache folder has one file
// for each scheme://host:port. It is replaced atomically, and people can read it:
//
//   spinneret-robots 1
//   for: https://example.org:443
//   source: https://example.org/robots.txt
//   state: rules                                rules, allow-all or disallow-all
//   reason: 200                                 a status, or what went wrong
//   fetched: 1763640000 2025-11-20T12:00:00Z
//   expires: 1763726400 2025-11-21T12:00:00Z
//   copy: 1763640000 2025-11-20T12:00:00Z       when the text below was received; 0: there is none
//   unreachable: 1763640000 2025-11-20T12:00:00Z    since when the host cannot be reached; the
//                                               line is absent if it can
//   size: 26                                    number of bytes of the text
//   check: 99aa06d3014798d86001c324468d497f     XXH3-128 of the lines above and the text
//
//   User-agent: *
//   Disallow:
//
// A file that differs in any byte from what was written, or that is for another host, counts as
// damaged and is ignored.
#ifndef SPINNERET_ROBOTS_CACHE_H_
#define SPINNERET_ROBOTS_CACHE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "base/result.h"
#include "url/parse.h"

namespace spinneret::robots {

enum class RobotsState : std::uint8_t { kRules, kAllowAll, kDisallowAll };
std::string_view to_string(RobotsState state);

struct RobotsEntry {
  std::string authority;  // "https://example.org:443"
  std::string source;     // the URL that was asked for
  RobotsState state = RobotsState::kDisallowAll;
  std::string reason;        // "200", "404", "503", "dns-failed"
  std::int64_t fetched = 0;  // unix seconds, as all times here
  std::int64_t expires = 0;
  std::int64_t copied = 0;       // when `body` was received; 0: never
  std::int64_t unreachable = 0;  // since when every request failed; 0: the host was reached
  std::string body;              // the robots.txt, or with kDisallowAll its last good copy
  // Our own address policy forbade the request. This is not an answer of the host, and applies to
  // this run alone.
  bool refused = false;
};

// Returns the key of rules, "https://example.org:443"; empty for a URL without a host or port.
std::string robots_authority(const Url& url);
// Returns the URL of the robots.txt that applies to `url`: "https://example.org/robots.txt".
std::string robots_url(const Url& url);

// Write an entry as the file's text, and parse it. Parsing gives nothing where the text is damaged.
std::string encode_entry(const RobotsEntry& entry);
std::optional<RobotsEntry> decode_entry(std::string_view text);

// Returns the file's name in its folder, for any authority: "https_example.org_443".
std::string cache_file_name(std::string_view authority);

// Stores an entry. Does nothing for a refused one, so that what was known before stays.
Status store_entry(const std::string& folder, const RobotsEntry& entry);
// Loads an entry. Returns nothing where the file is missing, damaged or for another authority. The
// entry expires at the latest `ttl` seconds after it was fetched, even if a longer time was stored.
std::optional<RobotsEntry> load_entry(const std::string& folder, std::string_view authority,
                                      std::int64_t ttl = INT64_MAX);

// The result of a request for a robots.txt.
struct RobotsReply {
  int status = 0;  // status of the last response; 0: there was none
  std::optional<Outcome> outcome;
  std::optional<std::string_view> body;
  bool truncated = false;                   // the body is the beginning of a longer one
  std::optional<std::int64_t> expires;      // unix seconds, by Cache-Control or Expires
  std::optional<std::int64_t> retry_after;  // seconds
};

struct RobotsPolicy {
  std::int64_t ttl = 86'400;  // seconds; no answer is kept for longer (RFC 9309, section 2.4)
  std::int64_t floor = 600;   // seconds; no good answer is kept for less
  std::int64_t retry = 300;   // seconds after which an unreachable file is requested again
  // Seconds after which a file that cannot be reached counts as unavailable (RFC 9309, section
  // 2.3.1.4, mentions 30 days as an example); 0: it never does.
  std::int64_t give_up = 0;
  // The 4xx statuses that forbid everything, such as 401, 403 and 429.
  std::vector<int> deny_status;
};

// Applies RFC 9309, section 2.3.1. Sets all members but authority and source.
//
//   2xx                                   the body is parsed
//   3xx (more hops than are followed)     everything is allowed
//   4xx in policy.deny_status             everything is forbidden; the copy in `last` is kept
//   other 4xx except 408, 425, 429        everything is allowed
//   304                                   renews the copy in `last`
//   anything else, including a refused    everything is forbidden for a short time; the copy in
//   address wherever a redirect led       `last` is kept
RobotsEntry judge_reply(const RobotsReply& reply, const RobotsPolicy& policy, std::int64_t now,
                        const RobotsEntry* last);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_CACHE_H_
