// SPDX-License-Identifier: Apache-2.0
// What waits for its time, durable in the table kLater: failed tries, and pages that are to be
// visited again. Later knows when something falls due, and hands it out then. The taker puts it
// into a queue, or says that it is not to be.
//
//   kind      key of its row            due by            a run         its row goes
//   kRetry    due  host  rest           the steady clock  waits for it  when it is handed out
//   kRecrawl  due  host  rest           the wall clock    does not      unless the taker says kLeft
//   kWorth    class  visit  host  rest  a budget          does not      likewise: see best_visits.h
//
// A row of kUrls names its place here by due_ms and, in the kind kWorth, by visit_class. Both are
// set here and written by the caller, in the batch that has the place: a place that its row does
// not name is stale, see stands().
//
// What was visited in this run already stays (kLeft) for the next one, unless this one never ends:
// so a run ends even where pages fall due faster than they can be fetched.
//
// Borrows the store. Not thread-safe. Cost: a write for what is put, a step of a walk for what is
// taken. The next moments are kept, so that asking what is due costs nothing.
#ifndef SPINNERET_FRONTIER_LATER_H_
#define SPINNERET_FRONTIER_LATER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frontier/best_visits.h"
#include "frontier/host_signals.h"
#include "frontier/keys.h"
#include "frontier/moment.h"
#include "frontier/recrawl.h"
#include "frontier/store.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

// The longest delay of a retry, if the first one is not longer; jitter adds a quarter at most.
inline constexpr std::int64_t kMaxRetryDelayMs = 3'600'000;

struct LaterRules {
  Recrawl recrawl;
  std::int64_t retry_delay_ms = 30'000;  // delay before the second try; doubles, with jitter
  std::uint32_t gone_tries = 3;          // visits that find nothing before a page is forgotten
  bool continuous = false;               // the run goes on with what falls due
};

class Later {
 public:
  using Taken = BestVisits::Taken;
  using Take = BestVisits::Take;
  // The origin of a host, where it is known.
  using OriginOf = std::function<std::optional<std::string_view>(HostId)>;

  Later(Store& store, const LaterRules& rules) : store_(store), rules_(rules), signals_(store) {}

  // Finds the first retry. Returns the least that the steady clock must show: no retry waits longer
  // than the longest delay, so if the first one would, the clock by which it was written was ahead.
  std::int64_t load_retries();
  // Loads revisits; nothing that a walk must see may be staged. `order`: the rules by which they
  // stand there (order_of); if those are others, all are put anew, once, and what was learned of
  // the pages stays. `is_new`: the state has no page yet.
  Status load_revisits(std::int64_t wall_ms, bool is_new, const std::string& order,
                       const OriginOf& origin_of);

  // See Frontier::set_budget().
  void set_budget(const Recrawl& rules);

  // Puts a URL whose try has failed, and is counted in its row's `failures`, where it waits for the
  // next one. `random` is any 64 random bits.
  void put_retry(UrlRow& row, HostId host, std::string_view rest, std::int64_t steady_ms,
                 std::uint64_t random);
  // Puts a settled page where it waits for its next visit, if there is to be one. False: it is gone
  // for good.
  bool put_visited(UrlRow& row, HostId host, std::string_view rest, const RecrawlVisit& visit);
  // Takes in when a page was changed, or how often it changes, by a sitemap. A page that was last
  // visited before the change is due now, if the host is believed.
  void hint(UrlRow& row, HostId host, std::string_view rest, std::int64_t modified_ms,
            std::int64_t interval_ms, std::int64_t wall_ms);
  // Removes the row's place, whatever it waits for.
  void drop(const UrlRow& row, HostId host, std::string_view rest);
  // How far hosts are believed: used here, and where pages go out again.
  HostSignals& signals() { return signals_; }
  // Stages what is durable of a budget, and of how far hosts are believed.
  void stage();

  bool is_due(const Moment& now) const {
    return retry_due_ms_ <= now.steady_ms || revisit_due_ms_ <= now.wall_ms;
  }
  // Milliseconds until is_due(); INT64_MAX: never.
  std::int64_t wait_ms(const Moment& now) const;
  // Hands out what is due, up to some thousand at once. Nothing may be staged.
  void take_due(const Moment& now, const Take& each);
  // Whether `key` is the place that the row of a settled page names.
  static bool stands(const LaterKey& key, const UrlRow& row);

  // Whether a retry is a reason for the run to go on: any, or one of a host that `counts`. The
  // latter is remembered until retries or `version` change: a caller for whom other hosts count
  // passes another one.
  bool has_retries() const { return retry_due_ms_ != INT64_MAX; }
  bool has_retries(std::uint64_t version, const std::function<bool(HostId)>& counts);
  // Whether a revisit is such a reason.
  bool has_revisits(std::int64_t wall_ms) const;
  // Retries in the order of their times; `each` returns true to stop.
  void for_each_retry(const std::function<bool(const LaterKey&)>& each) const;

 private:
  void take_retries(std::int64_t steady_ms, const Take& each);
  void take_revisits(std::int64_t wall_ms, const Take& each);
  Status rebuild(const std::string& order, const OriginOf& origin_of);
  void put_again(UrlRow& row, HostId host, std::string_view rest);
  void put(const UrlRow& row, HostId host, std::string_view rest);
  std::int64_t longest_delay_ms() const {
    return std::max(kMaxRetryDelayMs, rules_.retry_delay_ms);
  }
  std::int64_t before_ms() const { return rules_.continuous ? VisitChoice::kNone : opened_ms_; }

  Store& store_;
  LaterRules rules_;
  std::int64_t retry_due_ms_ = INT64_MAX;    // the earliest, by the steady clock
  std::int64_t revisit_due_ms_ = INT64_MAX;  // the earliest that may be, by the wall clock
  std::optional<bool> counted_;     // what has_retries() has found, where that is known ...
  std::uint64_t version_ = 0;       // ... of this version
  std::string from_;                // key from which to look for a kRecrawl
  std::optional<BestVisits> best_;  // set only with a budget
  HostSignals signals_;
  std::int64_t opened_ms_ = 0;  // when the state was opened, by the wall clock
  bool unscheduled_ = false;    // pages of this run have no place here, as kMeta notes
  std::string key_, bytes_;     // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LATER_H_
