// SPDX-License-Identifier: Apache-2.0
// What the frontier keeps of a URL (table kUrls), and of a place in a host's queue (kQueue).
//
// While a URL waits that has never been visited, all about it stands with its place in the queue, which goes
// out with it: so its result is settled without reading a row. Its row is a stub then, which says where that
// place is (6 bytes):
//
//                        kUrls                                   kQueue
//   never visited        state, priority, depth, arrival, votes  depth, added, via or its number, extra, rest
//   to be visited again  everything                              depth, extra, rest
//   settled, or later    everything
//
// Everything has the rest of the URL, of which its key has the fingerprint only.
//
// Strings are those of the record, unescaped; `extra` is escaped, as it stood in the line.
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
  kWaiting,  // to be sent: in the queue, or later where the last try failed
  kDone,     // an answer was had
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
  std::int64_t due_ms = 0;    // when it will wait again; 0: it does not, or waits now
  bool is_sitemap = false;    // purpose=sitemap
  std::string rest;           // of the URL: see keys.h
  std::string via;            // the page it was first found on
  // Where not 0, that page's URL stands by this number (vias.h), and above only once it has been read.
  std::uint64_t via_number = 0;
  std::string extra;     // fields of its line that are not ours: "\tid=7"
  bool is_stub = false;  // what is not named above for a stub is not here
  Votes votes;           // where the order counts links

  // Of visits; all empty before the first.
  std::uint32_t visits = 0;    // settled, whatever came of it
  std::uint32_t failures = 0;  // since the last success
  Outcome outcome = Outcome::kOk;
  std::uint16_t status = 0;
  std::int64_t last_ms = 0;      // of the last visit
  std::int64_t interval_ms = 0;  // between visits, as adaptive recrawling has it
  std::uint32_t run = 0;         // in which it was settled last
  std::uint32_t gone = 0;        // visits in a row that found nothing there
  bool unchanged = false;        // not stored: the last visit brought the same content
  // What its visits have shown, up to compared_ms, the last one with an answer.
  ChangeHistory history;
  std::int64_t compared_ms = 0;  // to the second
  bool ranked = false;           // not stored: the crawl's RatePrior knows of it, by that class
  // Where it was put by its worth last: a class's number and one; 0: it was not. While it stands there, due_ms is the time
  // of its last visit.
  std::uint16_t visit_class = 0;
  bool claimed = false;  // a sitemap says that it has changed since: see host_signals.h
  std::string etag;
  std::string last_modified;
  std::string digest;
  std::string error;
};

// Its next visit brings the whole page.
inline void forget_validators(UrlRow& row) {
  row.etag.clear();
  row.last_modified.clear();
}

// Replaces `out`. `origin` is that of the URL: a `via` of the same origin is kept without it.
void encode_url_row(std::string& out, const UrlRow& row, std::string_view origin);
// False where the bytes are no row (a damaged or newer state).
bool decode_url_row(std::string_view bytes, std::string_view origin, UrlRow& row);
// Of a row as it was up to format 7, with the rest in its key.
bool decode_old_url_row(std::string_view bytes, std::string_view origin, std::string_view rest,
                        UrlRow& row);
// The depth alone. False where the bytes are no row.
bool decode_depth(std::string_view bytes, std::uint32_t& depth);
// The row of a URL that waits in the queue: a stub where that says it all.
void encode_waiting_row(std::string& out, const UrlRow& row, std::string_view origin);

// Where it stands in kLater; only where due_ms says that it does. Replaces `out`.
void make_later_key(std::string& out, const UrlRow& row, HostId host, std::string_view rest);

// The value of a place in the queue.
struct QueueEntry {
  std::uint32_t depth = 0;
  bool is_sitemap = false;
  bool visited = false;  // the URL's row is no stub
  std::string_view rest;
  std::string_view extra;
  // Where not visited:
  std::int64_t added_ms = 0;
  bool via_is_local = false;  // without the origin
  bool via_is_far =
      false;  // in a row of its own, whose number is via_back less than that of the place
  std::uint64_t via_back = 0;
  std::string_view via;
};
// Views into `row` and `rest`.
QueueEntry entry_of(const UrlRow& row, std::string_view origin, std::string_view rest);
// Replaces `row`, but for its votes, by that of a URL which was never visited.
void fill_row(UrlRow& row, const QueueEntry& entry, Place place, std::string_view origin);
void encode_queue_entry(std::string& out, const QueueEntry& entry);
// Views into `bytes`.
bool decode_queue_entry(std::string_view bytes, QueueEntry& entry);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_URL_ROW_H_
