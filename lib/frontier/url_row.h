// SPDX-License-Identifier: Apache-2.0
// What the frontier keeps of a URL (table kUrls), and of a place in a host's queue (kQueue).
//
// While a URL waits that was never visited, everything about it is stored with its place in the
// queue. That entry stays with the flight, so that a result is settled without reading a row. The
// URL's row is then a stub (6 bytes), which says where that place is:
//
//   URL                  kUrls                             kQueue
//   never visited        state, priority, depth, arrival,  depth, added, via or its number,
//                        votes                             extra, rest
//   to be visited again  everything                        depth, extra, rest
//   any other            everything
//
// "Everything" includes the rest of the URL, of which the key has only the fingerprint.
//
// Strings are those of the record, unescaped; only `extra` is escaped, as in the line.
#ifndef SPINNERET_FRONTIER_URL_ROW_H_
#define SPINNERET_FRONTIER_URL_ROW_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/outcome.h"
#include "frontier/freshness.h"
#include "frontier/keys.h"
#include "frontier/order.h"

namespace spinneret::frontier {

enum class UrlState : std::uint8_t {
  kWaiting,  // in the queue, or in kLater after a failed try
  kDone,     // answered
  kError,    // given up
  kBlocked,  // never asked for
};
std::string_view to_string(UrlState state);

struct UrlRow {
  UrlState state = UrlState::kWaiting;
  std::uint8_t priority = kLinkPriority;
  std::uint32_t depth = 0;
  std::uint64_t arrival = 0;  // its place in the queue, while it waits there
  std::int64_t added_ms = 0;  // first seen; to the second
  std::int64_t due_ms = 0;    // when it joins the queue again; 0: never, or it is there now
  bool is_sitemap = false;    // purpose=sitemap
  std::string rest;           // the rest of the URL: see keys.h
  std::string via;            // URL of the page it was first found on
  // If not 0, the number of that page's row (vias.h); `via` is then empty until that row was read.
  std::uint64_t via_number = 0;
  std::string extra;     // fields of its line that are not ours: "\tid=7"
  bool is_stub = false;  // only the fields named above for a stub are set
  Votes votes;           // kept where the order counts links

  // Visits. All fields are empty before the first one.
  std::uint32_t visits = 0;    // how many, whatever came of them
  std::uint32_t failures = 0;  // failed visits since the last success
  Outcome outcome = Outcome::kOk;
  std::uint16_t status = 0;
  std::int64_t last_ms = 0;      // time of the last visit
  std::int64_t interval_ms = 0;  // time between visits, as adaptive recrawling sets it
  std::uint32_t run = 0;         // number of the run of the last visit
  std::uint32_t gone = 0;        // visits in a row that found nothing there
  bool unchanged = false;        // not stored: the last visit brought the same content
  // What its visits have shown, up to the last one with an answer, at compared_ms.
  ChangeHistory history;
  std::int64_t compared_ms = 0;  // time of that visit, to the second
  bool ranked = false;           // not stored: RatePrior counts it, in that class
  // The class under which its worth was stored last, plus one; 0: none. While it is stored there,
  // due_ms is the time of its last visit.
  std::uint16_t visit_class = 0;
  bool claimed = false;  // a sitemap says that it has changed since: see host_signals.h
  std::string etag;
  std::string last_modified;
  std::string digest;
  std::string error;
};

// Makes the next visit fetch the whole page.
inline void forget_validators(UrlRow& row) {
  row.etag.clear();
  row.last_modified.clear();
}

// Replaces `out`. `origin` is that of the URL: a `via` of the same origin is stored without it.
void encode_url_row(std::string& out, const UrlRow& row, std::string_view origin);
// False where the bytes are no row (a damaged or newer state).
bool decode_url_row(std::string_view bytes, std::string_view origin, UrlRow& row);
// Decodes a row as written up to format 7, with the rest in its key.
bool decode_old_url_row(std::string_view bytes, std::string_view origin, std::string_view rest,
                        UrlRow& row);
// Decodes the depth alone. False where the bytes are no row.
bool decode_depth(std::string_view bytes, std::uint32_t& depth);
// Encodes the row of a URL that waits in the queue: as a stub if it was never visited.
void encode_waiting_row(std::string& out, const UrlRow& row, std::string_view origin);

// Replaces `out` by the row's key in kLater. Only where due_ms says that it has one.
void make_later_key(std::string& out, const UrlRow& row, HostId host, std::string_view rest);

// The value of a place in the queue.
struct QueueEntry {
  std::uint32_t depth = 0;
  bool is_sitemap = false;
  bool visited = false;  // the URL's row is no stub
  std::string_view rest;
  std::string_view extra;
  // These are set only where not visited:
  std::int64_t added_ms = 0;
  bool via_is_local = false;  // `via` lacks the origin
  // `via` has a row of its own, whose number is `via_back` less than that of the place.
  bool via_is_far = false;
  std::uint64_t via_back = 0;
  std::string_view via;
};
// The views are into `row` and `rest`.
QueueEntry entry_of(const UrlRow& row, std::string_view origin, std::string_view rest);
// Replaces `row`, except its votes, by that of a URL which was never visited.
void fill_row(UrlRow& row, const QueueEntry& entry, Place place, std::string_view origin);
void encode_queue_entry(std::string& out, const QueueEntry& entry);
// The views are into `bytes`.
bool decode_queue_entry(std::string_view bytes, QueueEntry& entry);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_URL_ROW_H_
