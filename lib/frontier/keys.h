// SPDX-License-Identifier: Apache-2.0
// The keys of the tables, and how a URL is cut for them.
//
//   https://example.org:8443/a/b?c          origin "https://example.org:8443", rest "/a/b?c"
//   https://me:pw@example.org/a             origin "https://example.org", rest "me:pw@/a"
//
//   kUrls    host id (4) fingerprint of the rest (8)
//            0 (4) number of a page on which URLs were found (8): see vias.h
//   kQueue   host id (4) priority (1) arrival (5)
//   kLater   kind (1) milliseconds since 1970 (6) host id (4) rest
//            'v' class (2) last visit (6) host id (4) rest: visits by worth, see freshness.h
//
// Sizes are in bytes. Numbers are big-endian, so that one walk yields a host's URLs, its queue in
// the order of sending, and what is due in the order of time.
//
// A fingerprint is XXH3 of the rest with its highest bit set, on every machine: 63 bits. Two URLs
// with one fingerprint count as one URL, and the later of them is not crawled. Only URLs of one
// host can collide: among n of them some two do with a probability of n^2 / 2^64, which is 1 in
// 184,000 for a host of ten million URLs, and 1 in 1,800 for a billion URLs of 100,000 hosts.
// Whoever makes URLs collide on purpose keeps only pages of their own host from being crawled.
//
// Up to format 7 the key held the rest itself. No rest begins with a byte above 0x7f, so both kinds
// of keys may stand in one table: see url_table.h.
#ifndef SPINNERET_FRONTIER_KEYS_H_
#define SPINNERET_FRONTIER_KEYS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret {
class Url;
}

namespace spinneret::frontier {

using HostId = std::uint32_t;

// Priorities: 0 goes first, 9 last.
inline constexpr std::uint8_t kLastPriority = 9;
inline constexpr std::uint8_t kLinkPriority = 5;
inline constexpr std::uint8_t kSeedPriority = 1;
// A URL that is only checked, and not crawled, has a depth beyond that of every page. So of several
// links to a URL, the one that wants most of it has the least depth. kIdsDepth asks whether the URL
// exists and which ids it has, kCheckDepth only whether it exists.
inline constexpr std::uint32_t kIdsDepth = std::uint32_t{1} << 30;
inline constexpr std::uint32_t kCheckDepth = std::uint32_t{1} << 31;
inline bool is_checked(std::uint32_t depth) { return depth >= kIdsDepth; }
inline std::uint32_t links_of(std::uint32_t depth) { return depth % kIdsDepth; }
// Whether `depth` wants more of a URL than `known` does.
inline bool wants_more(std::uint32_t depth, std::uint32_t known) {
  return depth / kIdsDepth < known / kIdsDepth;
}

inline constexpr std::uint64_t kMaxArrival = (std::uint64_t{1} << 40) - 1;

struct UrlParts {
  std::string_view origin;
  std::string_view rest;
};

// Cuts an http or https URL, without its fragment. The views are into `url` or, where it carries
// credentials, into `scratch`.
UrlParts cut_url(const Url& url, std::string& scratch);
// Put the two parts together again.
void append_url(std::string& out, std::string_view origin, std::string_view rest);
std::string join_url(std::string_view origin, std::string_view rest);

std::uint64_t fingerprint_of(std::string_view rest);

// Replaces `out`.
void make_url_key(std::string& out, HostId host, std::string_view rest);
// Appends to `out`.
void append_url_key(std::string& out, HostId host, std::uint64_t fingerprint);
// Keys up to format 7.
void make_old_url_key(std::string& out, HostId host, std::string_view rest);
bool is_old_url_key(std::string_view key);
// The key of a page on which URLs were found (vias.h). It stands among those of URLs, under an id
// that no host has.
void make_via_key(std::string& out, std::uint64_t number);
bool is_via_key(std::string_view key);
void make_host_prefix(std::string& out, HostId host);

// Where an entry stands in its host's queue: by priority first, then by arrival. It is one number,
// with the priority in the high bits.
struct Place {
  std::uint64_t value = 0;
  static Place of(std::uint8_t priority, std::uint64_t arrival) {
    return {static_cast<std::uint64_t>(priority) << 40 | arrival};
  }
  std::uint8_t priority() const { return static_cast<std::uint8_t>(value >> 40); }
  std::uint64_t arrival() const { return value & kMaxArrival; }
  friend auto operator<=>(const Place&, const Place&) = default;
};
void make_queue_key(std::string& out, HostId host, Place place);
// A key behind all places of a host.
void make_queue_end(std::string& out, HostId host);

enum class LaterKind : std::uint8_t {
  kRetry = 'a',    // a failed try: this run waits for it
  kRecrawl = 'r',  // a revisit: no run waits for it
  kWorth = 'v',    // nor for this one; its time is that of the last visit
};
struct LaterKey {
  LaterKind kind = LaterKind::kRetry;
  std::int64_t due_ms = 0;
  HostId host = 0;
  std::string_view rest;
  std::uint16_t visit_class = 0;  // class of the visit, for kWorth only
};
void make_later_key(std::string& out, const LaterKey& key);
// The views are into `key`. False where `key` is no key of that table.
bool split_later_key(std::string_view key, LaterKey& out);
bool split_url_key(std::string_view key, HostId& host);
bool split_queue_key(std::string_view key, HostId& host, Place& place);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_KEYS_H_
