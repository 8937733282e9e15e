// SPDX-License-Identifier: Apache-2.0
// What is known of each host before anything of it is in play, kept so that opening a state reads neither the table
// of hosts nor the queues: neither by the URL nor, in rows, by the host.
//
//   kMeta  "hosts:log"                the oldest turn that counts; without this row none of the others is true
//          "hosts:p" + number (4)     a page: the briefs of the hosts of ids [number * page, (number + 1) * page)
//          "hosts:t" + number (8)     a turn: the sums over all hosts, and the briefs that one commit has changed
//
//   turns:    ... erased | 7001 7002 7003 ... 9340 |      each in the batch whose changes it tells of
//                          ^ oldest           ^ last
//   pages:    p0 was written with turn 9100, p1 with 7000, p2 with 8214: the next to be written is p1
//
// A brief says how a host stands, not what has changed, so pages and then all turns from the oldest on, read in order,
// give what the last commit left, whichever turn a page was written with. A page is written for every `page` briefs in
// turns, the oldest first: there are never many more briefs in turns than there are hosts, and nothing pauses to write
// all of them.
//
// Who changes kHosts by other ways erases the first row (forget_host_log); then the next opening reads the tables, and
// begins a log anew.
//
// Cost: about 12 bytes a host that a commit has changed, and 50 for its part of a page. Not thread-safe.
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
  std::string_view origin;  // empty: one that was told before
  std::uint32_t waiting = 0;
  std::uint32_t pages = 0;
  std::uint32_t delay_ms = 0;
  std::int64_t wait_ms = 0;  // until a request may go out
  std::uint64_t lane = 0;    // the name of its lane, hashed, where that is an address; else 0
  bool heard = false;
  bool count_stale = false;  // kHosts has another number of URLs that wait
  bool blank = false;        // what its row says is that number alone: nobody needs to read it
};

// Counts as briefs have them.
inline std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

// When something was written, or is read: by the clock of a boot, as in meta.h.
struct BootTime {
  std::uint64_t boot = 0;
  std::int64_t ms = 0;
};

class HostLog {
 public:
  // Of `page` hosts a page. Borrowed: `store`.
  HostLog(Store& store, std::uint32_t page) : store_(store), page_(page) {}

  // Who is given what is read.
  struct Reader {
    // First, about how many hosts there are.
    std::function<void(std::size_t hosts)> hosts;
    // Every brief, some at once, the older of a host before the newer; its wait_ms is what is left of it now. False: one
    // of them cannot be. (Turns tell of hosts all over the table, and who knows some of them can ask the memory for all.)
    std::function<bool(std::span<const HostBrief>)> some;
  };
  // False: there is no log, or none that can be believed, and what was given is void.
  // `with_lanes`: the briefs are to have the names of lanes, and will.
  bool read(BootTime now, bool with_lanes, const Reader& reader, HostCounts& sums);

  // A turn: begin, add each, end. All is staged, nothing committed. `id_end` is beyond all ids.
  void begin_turn(BootTime now, const HostCounts& sums);
  void add(const HostBrief& brief);
  void end_turn(HostId id_end);
  // Whether a page is to be written now, and which: begin_page, add those of its ids, each with its origin, end_page,
  // trim.
  bool wants_page() const { return since_page_ >= page_; }
  std::size_t oldest_page() const;
  struct Ids {
    HostId first, end;
  };
  Ids begin_page(std::size_t page, BootTime now);
  void end_page();
  // Stages that turns go which no page needs any more.
  void trim();

  // Commits that there is none. Then all pages(), a turn, and trim() begin it anew.
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
  std::uint64_t oldest_ = 1;  // turn that is in the store
  std::uint64_t next_turn_ = 1;
  std::vector<std::uint64_t> page_turns_;  // by page: the last turn that it knows of
  std::size_t at_page_ = 0;                // that is being written
  std::uint64_t since_page_ = 0;           // briefs in turns since a page was written
  HostId first_ = 0;                       // of the page that is being written
  std::string bytes_, key_;
};

// Whether a row of kMeta is one of the log's, by its key.
bool is_of_host_log(std::string_view key);

// Stages that the log is not to be believed any more.
void forget_host_log(Store& store);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HOST_LOG_H_
