// SPDX-License-Identifier: Apache-2.0
// The URLs of a state: each one's row, in kUrls, and the place in its host's queue where it waits,
// in kQueue. One is never staged without the other.
//
//   row                        place
//   kWaiting, due_ms 0         in kQueue, by priority and arrival; it is in its host's window,
//                              behind that, or in flight
//   kWaiting, due_ms set       in kLater: see later.h
//   kDone, kError, kBlocked    in kLater, or none
//   kWaiting, a stub           in kQueue, with all that is known of the URL: see url_row.h
//
// A key of the queue is put once only: an arrival is a number never given before, durably reserved
// in blocks, behind the rank that the order gives (order.h). URLs settled in the present batch are
// remembered until it is committed: a link of the same batch, which was looked up in what is
// durable, must not change them. Rows that such a link may still change are kept open.
//
// Borrows store, hosts, lanes and statistics. Not thread-safe. Cost: two writes for a row and its
// place.
#ifndef SPINNERET_FRONTIER_BACKLOG_H_
#define SPINNERET_FRONTIER_BACKLOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "frontier/admission.h"
#include "frontier/host_table.h"
#include "frontier/lanes.h"
#include "frontier/order.h"
#include "frontier/statistics.h"
#include "frontier/store.h"
#include "frontier/url_row.h"
#include "frontier/vias.h"

namespace spinneret::frontier {

class Backlog {
 public:
  Backlog(Store& store, HostTable& hosts, Lanes& lanes, Statistics& statistics)
      : store_(store), hosts_(hosts), lanes_(lanes), statistics_(statistics), vias_(store) {}

  // Sets where numbers begin, and the order. `stands`: the order of the queues; if that is another
  // one, or none, they are reordered once, which commits.
  Status load(std::uint64_t arrivals_reserved, Order order, std::optional<Order> stands);
  // Recounts how many URLs wait at each host, after a run that did not end. `later`: by slot, those
  // that wait for another try.
  Status recount(std::vector<std::uint64_t> later);
  Order order() const { return order_; }

  // Admits a new URL in two steps (see Admission::take_sealed): admit() gives it its place, in
  // memory; store() stages it.
  void admit(Admission::Entry& entry, std::int64_t wall_ms);
  void store(const Admission::Entry& entry, std::string_view key, std::int64_t wall_ms);

  // Reads a row as last committed. False where there is none that can be read.
  bool get(HostSlot slot, std::string_view rest, UrlRow& row);
  // Stages a row whose place does not change.
  void put(HostSlot slot, std::string_view rest, const UrlRow& row);
  // Stages a row and its place at the end of its host's queue.
  void requeue(HostSlot slot, std::string_view rest, UrlRow& row);
  // The same for a row that has a place there.
  void move_to_end(HostSlot slot, std::string_view rest, UrlRow& row, Place from);
  // Whether a row's rank is better than that of its place. rise() moves it there; false: its place
  // is missing.
  bool rises(const UrlRow& row) const;
  bool rise(HostSlot slot, std::string_view rest, UrlRow& row);
  // Completes a stub from its place. False where another URL, or none, stands there.
  bool fill_stub(HostSlot slot, std::string_view rest, UrlRow& row);

  // Reads the page that a URL was found on, where its row has only that page's number.
  void name_via(UrlRow& row) { static_cast<void>(vias_.name(row)); }

  // Notes that the URL in flight from that place is settled in this batch, and stages the removal
  // of the place.
  void settle(HostSlot slot, std::string_view rest, Place place);
  bool is_settled(HostSlot slot, std::string_view rest);
  // Keeps a row of this batch open for its links; and gets an open row. False: it is not open.
  void keep_open(HostSlot slot, std::string_view rest, const UrlRow& row);
  bool get_open(HostSlot slot, std::string_view rest, UrlRow& row);
  void committed();

  // Counts a URL that passes from one state to another.
  void count(HostSlot slot, UrlState from, UrlState to);
  // Makes a settled row wait again, as if it had not failed.
  void revive(HostSlot slot, UrlRow& row);

 private:
  std::uint64_t next_number();
  void fill_new(const Admission::Entry& entry, std::int64_t wall_ms);
  void make_key(HostSlot slot, std::string_view rest);
  void put_place(HostSlot slot, Place place);
  Status reorder();

  Store& store_;
  HostTable& hosts_;
  Lanes& lanes_;
  Statistics& statistics_;
  Vias vias_;
  std::uint64_t via_number_ = 0;  // number of the page whose links are being admitted
  Order order_ = Order::kPriority;
  std::uint64_t next_arrival_ = 1;
  std::uint64_t arrivals_reserved_ = 0;
  std::unordered_set<std::string> settled_;            // keys of URLs settled in this batch
  std::unordered_map<std::string, std::string> open_;  // open rows, by key
  UrlRow new_row_;                                     // never visited
  std::string key_, place_, row_, entry_;              // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_BACKLOG_H_
