// SPDX-License-Identifier: Apache-2.0
// The URLs of a state: each one's row, in kUrls, and the place in its host's queue that it waits at, in kQueue. One is
// never staged without the other.
//
//   a row ...                        has its place ...
//   kWaiting, due_ms 0               in kQueue, by priority and arrival; it is in its host's window, behind it, or in flight
//   kWaiting, due_ms set             in kLater: see later.h
//   kDone, kError, kBlocked          in kLater, or none
//   kWaiting, a stub (url_row.h)     in kQueue, and there is all that is known of it
//
// A place is put once only: an arrival is a number never given before, durably reserved in blocks, behind the rank that
// the order gives (order.h). What settled in the present batch is remembered until it is committed, lest a link of the
// batch, which was looked up in what is durable, changes it; rows that such a link may still change are kept open.
//
// Borrowed: store, hosts, lanes, statistics. Not thread-safe. Cost: a row and a place are two writes.
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

  // Where numbers begin, and the order. Queues that stand in another one, or in none, are put into it, once: that commits.
  Status load(std::uint64_t arrivals_reserved, Order order, std::optional<Order> stands);
  // After a run that did not end: how many URLs wait at each host. `later`: of them, those that wait for another try, by slot.
  Status recount(std::vector<std::uint64_t> later);
  Order order() const { return order_; }

  // A new URL, in two steps (see Admission::take_sealed): it is given its place, in memory; and stored.
  void admit(Admission::Entry& entry, std::int64_t wall_ms);
  void store(const Admission::Entry& entry, std::string_view key, std::int64_t wall_ms);

  // As it was last committed. False: there is none that can be read.
  bool get(HostSlot slot, std::string_view rest, UrlRow& row);
  // Stages a row that stays where it is.
  void put(HostSlot slot, std::string_view rest, const UrlRow& row);
  // Stages a row and its place at the end of its host's queue.
  void requeue(HostSlot slot, std::string_view rest, UrlRow& row);
  // The same of one that has a place there.
  void move_to_end(HostSlot slot, std::string_view rest, UrlRow& row, Place from);
  // Whether its rank is a better one than that of its place; and moves it there. False: its place is not there.
  bool rises(const UrlRow& row) const;
  bool rise(HostSlot slot, std::string_view rest, UrlRow& row);
  // Completes a stub from its place. False: another URL, or none, stands there.
  bool fill_stub(HostSlot slot, std::string_view rest, UrlRow& row);

  // The page that told of it, where its row has no more than its number.
  void name_via(UrlRow& row) { static_cast<void>(vias_.name(row)); }

  // What was at that place, and in flight, is settled in this batch.
  void settle(HostSlot slot, std::string_view rest, Place place);
  bool is_settled(HostSlot slot, std::string_view rest);
  // Its row, which links of the batch may still change; and that row. False: they may not.
  void keep_open(HostSlot slot, std::string_view rest, const UrlRow& row);
  bool get_open(HostSlot slot, std::string_view rest, UrlRow& row);
  void committed();

  // Counts a URL that goes from one state to another.
  void count(HostSlot slot, UrlState from, UrlState to);
  // A settled row waits again, as if it had not failed.
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
  std::uint64_t via_number_ = 0;  // of the page whose links are admitted now
  Order order_ = Order::kPriority;
  std::uint64_t next_arrival_ = 1;
  std::uint64_t arrivals_reserved_ = 0;
  std::unordered_set<std::string> settled_;            // keys
  std::unordered_map<std::string, std::string> open_;  // rows by key
  UrlRow new_row_;                                     // never visited
  std::string key_, place_, row_, entry_;              // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_BACKLOG_H_
