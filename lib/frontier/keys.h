// SPDX-License-Identifier: Apache-2.0
// Keys of the tables, and how a URL is cut for them.
//
//   https://example.org:8443/a/b?c          origin "https://example.org:8443", rest "/a/b?c"
//   https://me:pw@example.org/a             origin "https://example.org", rest "me:pw@/a"
//
// kUrls    host id (4) fingerprint of the rest (8)
//          0 (4) number of a page that told of URLs (8): see vias.h
// kQueue   host id (4) priority (1) arrival (5)
// kLater   kind (1) milliseconds since 1970 (6) host id (4) rest
//          'v' class (2) last visit (6) host id (4) rest, where visits go by their worth: see freshness.h
//
// Numbers are big-endian, so that one walk gives a host's URLs, its queue in the order of sending, and what is due in the
// order of time.
//
// A fingerprint is XXH3 of the rest with its highest bit set, whatever the machine: 63 bits. Two URLs that share one count as
// one URL, and the later of them is not crawled. Only URLs of one host can: of n of them some two do with a probability of
// n^2 / 2^64, which is 1 in 184,000 for a host of ten million URLs, and over a billion URLs of 100,000 hosts 1 in 1,800. Who
// makes URLs that share one on purpose keeps pages of his own host from being crawled, and of no other.
//
// Up to format 7 the rest itself stood there. No rest begins with a byte above 0x7f, so that both kinds of keys may stand in
// one table: see url_table.h.
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
// What is only to be asked for, and not crawled, lies beyond every page: of several links to a URL the one that wants most
// of it so is the shortest way there.
inline constexpr std::uint32_t kIdsDepth = std::uint32_t{1}
                                           << 30;  // whether it is there, and which ids it has
inline constexpr std::uint32_t kCheckDepth = std::uint32_t{1} << 31;  // whether it is there
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
// And puts it together again.
void append_url(std::string& out, std::string_view origin, std::string_view rest);
std::string join_url(std::string_view origin, std::string_view rest);

std::uint64_t fingerprint_of(std::string_view rest);

// Each replaces `out`.
void make_url_key(std::string& out, HostId host, std::string_view rest);
// Adds to `out`.
void append_url_key(std::string& out, HostId host, std::uint64_t fingerprint);
// Up to format 7.
void make_old_url_key(std::string& out, HostId host, std::string_view rest);
bool is_old_url_key(std::string_view key);
// Of a page that told of URLs (vias.h), among those of URLs: of a host that there is not.
void make_via_key(std::string& out, std::uint64_t number);
bool is_via_key(std::string_view key);
void make_host_prefix(std::string& out, HostId host);

// Where an entry stands in its host's queue: first by priority, then by arrival. As one number: priority in
// the high bits.
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
// Behind all places of a host.
void make_queue_end(std::string& out, HostId host);

enum class LaterKind : std::uint8_t {
  kRetry = 'a',    // this run waits for it
  kRecrawl = 'r',  // a run does not wait for it
  kWorth = 'v',    // nor for this: its time is that of the last visit
};
struct LaterKey {
  LaterKind kind = LaterKind::kRetry;
  std::int64_t due_ms = 0;
  HostId host = 0;
  std::string_view rest;
  std::uint16_t visit_class = 0;  // of kWorth
};
void make_later_key(std::string& out, const LaterKey& key);
// Views into `key`. False where it is none.
bool split_later_key(std::string_view key, LaterKey& out);
bool split_url_key(std::string_view key, HostId& host);
bool split_queue_key(std::string_view key, HostId& host, Place& place);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_KEYS_H_
