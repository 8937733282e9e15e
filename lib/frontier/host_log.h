// SPDX-License-Identifier: Apache-2.0
// What is known of each host before it comes into play, kept so that opening a state reads neither
// the table of hosts nor the queues: nothing for each URL, and no row for each host.
//
//   kMeta  "hosts:log"             the oldest turn that counts; without this row no other is true
//          "hosts:p" + number (4)  a page: the briefs of ids [number * page, (number + 1) * page)
//          "hosts:t" + number (8)  a turn: sums over all hosts, and briefs that a commit changed
//
//   turns:    ... erased | 7001 7002 7003 ... 9340 |      each in the batch that it describes
//                          ^ oldest           ^ last
//   pages:    p0 was written with turn 9100, p1 with 7000, p2 with 8214: p1 is written next
//
// A brief says how a host stands, not what has changed. So all pages and then all turns from the
// oldest on, read in order, give the state of the last commit, whichever turn a page was written
// with. For every `page` briefs in turns one page is written, the oldest first: so there are never
// many more briefs in turns than hosts, and nothing pauses to write all pages.
//
// Whoever changes kHosts in other ways erases the first row (forget_host_log); the next opening
// then reads the tables and begins a new log.
//
// Cost: about 12 bytes for a host that a commit has changed, and 50 for its part of a page. Not
// thread-safe.
#ifndef SPINNERET_FRONTIER_HOST_LOG_H_
#define SPINNERET_FRONTIER_HOST_LOG_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontier/host_row.h"
#include "frontier/store.h"

namespace spinneret::frontier {

struct HostBrief {
  HostId id = 0;
  std::string_view origin;  // empty: an earlier brief had it
  std::uint32_t waiting = 0;
  std::uint32_t pages = 0;
  std::uint32_t delay_ms = 0;
  std::int64_t wait_ms = 0;  // milliseconds until a request may go out
  std::uint64_t lane = 0;    // hash of the lane's name, if that is an address; else 0
  bool heard = false;
  bool count_stale = false;  // kHosts has another number of waiting URLs
  bool blank = false;        // its row holds that number alone: nobody needs to read it
};

// A count as briefs have it.
inline std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

// When something was written or is read, by the clock of a boot, as in meta.h.
struct BootTime {
  std::uint64_t boot = 0;
  std::int64_t ms = 0;
};

class HostLog {
 public:
  // `page`: number of hosts in a page. Borrows `store`.
  HostLog(Store& store, std::uint32_t page) : store_(store), page_(page) {}

  // Receives what is read.
  struct Reader {
    // Called first, with about the number of hosts.
    std::function<void(std::size_t hosts)> hosts;
    // Called with all briefs, several at once, the older of a host before the newer; their wait_ms
    // are what is left now. False: one of them is impossible. (Turns name hosts all over the table;
    // with several at once, the reader can prefetch them.)
    std::function<bool(std::span<const HostBrief>)> some;
  };
  // False: there is no log, or none that can be trusted, and what was given is void. `with_lanes`:
  // the briefs need the names of lanes, now and later.
  bool read(BootTime now, bool with_lanes, const Reader& reader, HostCounts& sums);

  // Stages a turn: begin, add each brief, end. Nothing is committed. `id_end` is above all ids.
  void begin_turn(BootTime now, const HostCounts& sums);
  void add(const HostBrief& brief);
  void end_turn(HostId id_end);
  // Whether a page should be written now, and which one: call begin_page(), add() for each of its
  // ids, with origins, end_page() and trim().
  bool wants_page() const { return since_page_ >= page_; }
  std::size_t oldest_page() const;
  struct Ids {
    HostId first, end;
  };
  Ids begin_page(std::size_t page, BootTime now);
  void end_page();
  // Stages the removal of turns that no page needs any more.
  void trim();

  // Commits that there is no log. All pages(), a turn, and trim() then begin a new one.
  Status clear(HostId id_end);
  std::size_t pages() const { return page_turns_.size(); }

 private:
  std::uint64_t oldest_turn() const;
  bool read_head(std::uint64_t& oldest, std::uint64_t& id_end);
  bool read_pages(BootTime now, std::uint64_t oldest, const Reader& reader);
  bool read_turns(BootTime now, std::uint64_t oldest, const Reader& reader, HostCounts& sums);

  Store& store_;
  std::uint32_t page_;
  bool with_lanes_ = false;
  std::uint64_t oldest_ = 1;  // the oldest turn in the store
  std::uint64_t next_turn_ = 1;
  std::vector<std::uint64_t> page_turns_;  // the last turn that each page includes
  std::size_t at_page_ = 0;                // the page that is being written
  std::uint64_t since_page_ = 0;           // briefs in turns since the last page
  HostId first_ = 0;                       // first id of the page that is being written
  std::string bytes_, key_;
};

// Whether the key of a row in kMeta is one of the log's.
bool is_of_host_log(std::string_view key);

// Stages that the log must not be trusted any more.
void forget_host_log(Store& store);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HOST_LOG_H_
