// SPDX-License-Identifier: Apache-2.0
// Changes a state by hand while no crawl runs on it: removes URLs on request, gives errors another
// chance, takes in URLs from elsewhere. Every change is committed in batches that keep the tables
// in order.
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
  // Borrows `store`. Reads hosts and counters.
  static Result<Upkeep> open(Store& store);
  // For repair(): where the log of rows is damaged, hosts whose last rows are lost have older ones.
  static Result<Upkeep> open_damaged(Store& store);

  // Removes the URLs that are `wanted`. `gone` gets each of them, and `told` is asked before a
  // batch is committed: if it says that they could not be passed on, they stay, and that is an
  // Error.
  using Wanted = std::function<bool(std::string_view url)>;
  using Gone = std::function<void(std::string_view url, const UrlRow&)>;
  using Told = std::function<bool()>;
  Result<std::uint64_t> forget(const Wanted& wanted, const Gone& gone, const Told& told);

  // Makes URLs in state error wait again, and hosts that were given up begin anew. Returns how many
  // URLs that gives another chance, including those that wait at such hosts.
  Result<std::uint64_t> clear_errors();
  // Makes settled URLs wait again whose last visit came to one of `outcomes`: those that were
  // blocked to be judged by present rules, those that were fetched to be fetched whole. Returns how
  // many.
  Result<std::uint64_t> clear_outcomes(std::span<const Outcome> outcomes);
  // Mends what verify() finds, once open_damaged() has read it:
  // - A URL that waits, but has no place, gets one behind all others.
  // - A place in a queue or among retries where its URL does not wait is removed; but a place in a
  //   queue gives a URL that has no row its row back.
  // - What is due later is put into the list of that.
  // - Counts become those of the rows.
  // - A lost page is no longer named as the one on which a URL was found.
  //
  // A URL is removed only if it was never visited and its place is lost, with which all about it
  // stood: the next link to it admits it anew. Rows that cannot be read are an Error.
  Status repair();
  // In a state of format 3, makes the URLs wait again that were blocked by the robots.txt of a host
  // that was given up, most of them because it could not be reached. The gate knows which of them a
  // rule forbids.
  Status revive_blocked();

  // Puts a URL in as `row` says, unless it is there. A row that waits gets a place behind all
  // others. Returns false where the URL was there, or is no http URL. Call commit() at the end.
  Result<bool> import(std::string_view url, UrlRow row);
  // Takes in how a host wants to be asked, if nothing has been asked of it here; otherwise only how
  // long it is to be left alone. Ignores the numbers of URLs by state in `row`. False: no http URL.
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
  // Origins whose rows have changed since the last commit.
  std::unordered_set<std::string> touched_;
  std::unordered_set<std::string> staged_keys_;  // keys of staged rows, which reads do not see
  HostId next_id_ = 1;
  std::uint64_t next_arrival_ = 1;
  Order order_ = Order::kPriority;
  std::string key_, bytes_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_UPKEEP_H_
