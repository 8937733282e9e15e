// SPDX-License-Identifier: Apache-2.0
// Changing a state by hand while no crawl runs on it: removing URLs on request, giving errors another
// chance, taking in URLs from elsewhere. Every change is committed in batches that keep the tables in order.
#ifndef SPINNERET_FRONTIER_UPKEEP_H_
#define SPINNERET_FRONTIER_UPKEEP_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/outcome.h"
#include "base/result.h"
#include "frontier/inspect.h"
#include "frontier/order.h"
#include "frontier/store.h"

namespace spinneret::frontier {

class Upkeep {
 public:
  // Borrowed. Read hosts and counters first.
  static Result<Upkeep> open(Store& store);
  // For repair(): where the log of rows is damaged, hosts whose last rows are lost are as their older ones say.
  static Result<Upkeep> open_damaged(Store& store);

  // Removes the URLs for which `wanted` says so. `gone` is told of each, and `told` is asked before a batch of them is
  // committed: where it says that they could not be passed on, they stay, and that is an Error.
  using Wanted = std::function<bool(std::string_view url)>;
  using Gone = std::function<void(std::string_view url, const UrlRow&)>;
  using Told = std::function<bool()>;
  Result<std::uint64_t> forget(const Wanted& wanted, const Gone& gone, const Told& told);

  // URLs in state error wait again, and hosts that were given up begin anew. Returns how many URLs that gives another
  // chance: those, and what waits at such hosts.
  Result<std::uint64_t> clear_errors();
  // URLs that are settled, and whose last visit came to one of `outcomes`, wait again: what was blocked to be judged by what
  // holds now, what was had to be had whole. Returns how many.
  Result<std::uint64_t> clear_outcomes(std::span<const Outcome> outcomes);
  // Mends what verify() finds, once open_damaged() has: a URL that waits, but has no place, gets one behind all others; a place whose URL does not
  // wait there goes, in a queue and among retries, but gives a URL that has no row its row back; what is due later is put into the list of that; counts become those of
  // the rows; a page that told of one, and is lost, is named no more. No URL goes but one that was never visited and whose place is lost, with which alone it stood: what is left of
  // it goes too, so that the next link to it admits it anew. Rows that cannot be read are an Error.
  Status repair();
  // In a state of format 3, the URLs that were blocked by the robots.txt of a host that was given up: most of them
  // because it could not be reached. They wait again; the gate knows which of them a rule forbids.
  Status revive_blocked();

  // Puts a URL in as `row` says, unless it is there. A row that waits gets a place behind all others.
  // Returns false where it was there, or is no http URL. Call commit() at the end.
  Result<bool> import(std::string_view url, UrlRow row);
  // What is known of how its host wants to be asked, where nothing has been asked of it here; else only how long
  // it is to be left alone. Of `row` the URLs' states are not taken. False: no http URL.
  bool import_host(std::string_view url, const HostRow& row);
  Status commit();

 private:
  using Which = std::function<bool(const UrlRow&)>;
  explicit Upkeep(Store& store) : store_(store) {}
  static Result<Upkeep> open(Store& store, const RowLog::Problem& problem);
  Status empty_row_log(const RowLog::Problem& problem);
  Status commit_if_large();
  HostEntry& host_of(std::string_view origin);
  void put_row(const HostEntry& host, std::string_view rest, const UrlRow& row);
  void put_waiting(const HostEntry& host, std::string_view rest, UrlRow& row);
  Result<std::uint64_t> revive(HostEntry& host, const Which& which);
  Result<std::uint64_t> revive_all(const Which& which);
  bool is_in_place(const HostEntry& host, std::string_view rest, const UrlRow& row);
  Status repair_urls(HostEntry& host);
  Status repair_queue();
  bool restore_row(HostEntry& host, const QueueEntry& entry, Place place);
  Status repair_retries();
  void erase_place(const HostEntry& host, std::string_view rest, const UrlRow& row);

  Store& store_;
  std::unordered_map<std::string, HostEntry> hosts_;
  std::unordered_set<std::string>
      touched_;  // origins whose rows have changed since the last commit
  std::unordered_set<std::string> staged_keys_;  // of import: staged rows, which reads do not see
  HostId next_id_ = 1;
  std::uint64_t next_arrival_ = 1;
  Order order_ = Order::kPriority;
  std::string key_, bytes_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_UPKEEP_H_
