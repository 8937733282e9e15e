// SPDX-License-Identifier: Apache-2.0
// The frontier: which URLs there are, which one goes out next, what came of each. Durable in a Store, polite
// by Politeness, and ignorant of where URLs go: a caller moves them.
//
//   Result<std::unique_ptr<Frontier>> made = Frontier::open(store, system_clock(), options);
//   frontier.offer({.url = "https://example.org/"});
//   frontier.seal();
//   frontier.commit();                         // from now on it is admitted, whatever happens
//   while (frontier.next(dispatch)) send(dispatch);
//   frontier.commit_flights();                 // before anything is really sent
//   ...
//   frontier.offer(link); frontier.settle(result); frontier.commit();
//
// Order is the guarantee. Links are offered as they come and belong to the result behind them: settle()
// seals what came ahead of it, drop_tail() forgets what no result sealed. commit() makes sealed links and
// results durable in one atomic batch; only then does next() hand them out. A URL stays in the durable queue
// until its result is committed. So after a crash nothing admitted is lost, what was in flight goes out
// again, and nothing else does.
//
// Gaps are measured by the monotonic clock. A host's next-allowed time is durable with the result that set
// it, by the clock of the boot: setting the wall clock changes no gap, no retry and no throttle. A host with something in
// flight is durably marked before it goes out, and counts as visited when a state is opened again.
//
// It is made of rooms, and conducts them: it holds no state of theirs, and they know of each other only what is drawn.
//
//   offer() -> Intake  -> new:   Backlog   a URL's row and its place in its host's queue  <---- Visits
//                      -> known: KnownUrls what a link says of it ---^                          ^   ^
//   next()  <- Lanes     whose turn it is, and when: by Gate (robots.txt), Patience             |   |
//      |       Limits    (silent hosts, pauses) and Suspects (the pipeline died of it)          |   v
//      |    <- Outgoing  what its host has to send: by Windows (the fronts of queues)           |  Later
//      `---> Flights --> Returns --> what becomes of the page ----------------------------------'  what waits for
//                        Answers     what it says of its host: to Lanes, Gate, Patience            its time
//
// Below them all stand HostTable, which keeps hosts and lanes, Timepiece and Store.
//
// Not thread-safe. Borrowed: store, clock.
#ifndef SPINNERET_FRONTIER_FRONTIER_H_
#define SPINNERET_FRONTIER_FRONTIER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "frontier/backlog.h"
#include "frontier/dispatch.h"
#include "frontier/flights.h"
#include "frontier/gate.h"
#include "frontier/host_table.h"
#include "frontier/intake.h"
#include "frontier/lanes.h"
#include "frontier/later.h"
#include "frontier/limits.h"
#include "frontier/meta.h"
#include "frontier/options.h"
#include "frontier/outgoing.h"
#include "frontier/patience.h"
#include "frontier/random.h"
#include "frontier/returns.h"
#include "frontier/statistics.h"
#include "frontier/store.h"
#include "frontier/timepiece.h"
#include "frontier/visits.h"

namespace spinneret::frontier {

// What a result has come to.
struct Settlement {
  Verdict verdict = Verdict::kStranger;
  UrlRow row;  // of the page, where is_last_word(verdict)
};

class Frontier {
 public:
  static Result<std::unique_ptr<Frontier>> open(Store& store, const Clock& clock,
                                                const Options& options);
  ~Frontier();
  Frontier(const Frontier&) = delete;
  Frontier& operator=(const Frontier&) = delete;

  // Hosts are taken to have had their rules: none is probed with one URL first. For dry runs.
  void assume_rules() { gate_.assume_rules(); }

  // Changes how many visits there may be in how long (Recrawl), where there is a budget of them.
  void set_budget(const Recrawl& rules) { later_.set_budget(rules); }

  // Writes down the limits of this run, for who looks in later. A run that crawls calls it.
  void note_limits();

  // A URL to admit. Anything but kStaged: it is not.
  using Offer = frontier::Offer;
  Offer offer(const Candidate& candidate, UrlError* why = nullptr) {
    stirred_ = true;
    return intake_.offer(candidate, why);
  }
  // Whose it is that was kElsewhere the last time.
  std::uint32_t elsewhere() const { return intake_.elsewhere(); }
  // What was offered so far will be part of the next commit.
  void seal() { intake_.links().seal(); }
  // A link that policy has refused: it is counted, and nothing else.
  void count_refused() {
    stirred_ = true;
    ++statistics_.refused;
  }
  // An item of a page: likewise.
  void count_item() { ++statistics_.items; }
  // How often rules have refused links in this run so far; the next commit keeps it with those of earlier ones. At most 100.
  void note_refusals(const RefusalCounts& counts);
  // What was offered and not sealed is forgotten.
  void drop_tail() { intake_.links().drop_tail(); }
  std::size_t tail() const { return intake_.links().tail(); }

  // One that is `aborted` says nothing of its URL, which stays in flight: until the pipeline has died, or its lease
  // has ended.
  Settlement settle(const Settled& result);

  // Whether there is anything for commit() to do.
  bool pending() const;
  Status commit();

  // The next URL that may go out now. Only after a commit().
  bool next(Dispatch& out);
  // Marks what next() has given out, durably. Then it may be sent. With results that no commit() has made durable yet it is
  // one: half a batch is never written.
  Status commit_flights();

  // The end of a run: what is in flight is recalled, everything is committed and on disk.
  Status close();

  // What was in flight will be sent again; its hosts count as visited now.
  void recall_flights() { flights_.recall(time_.now()); }
  // The same, for the pipeline has died of one of them, or by itself: see suspects.h. `fresh`: it had started, and nothing had
  // passed it. True: a URL was found guilty, which is a failed try of its own. `all`: behind that pipeline, of one company.
  static bool blame_flights(const std::vector<Frontier*>& all, bool fresh);
  bool blame_flights(bool fresh) { return blame_flights({this}, fresh); }
  // Leases that have run out end as outcome `aborted`: tried again, or final.
  // `all`: every lease, for nothing more can come.
  void expire_leases(bool all = false);
  using GivenUp = Returns::GivenUp;
  std::vector<GivenUp> take_given_up() { return returns_.take_given_up(); }
  // Hosts of which nothing more is asked in this run, at most `most` of them, and how many there are in all.
  struct Finished {
    std::string origin;
    std::string why;
    std::uint64_t waiting = 0;
  };
  std::vector<Finished> finished_hosts(std::size_t most, std::size_t& all) const;
  GivenUpSum given_up() const;
  // Sentences for the user: a host that is held, a Crawl-delay that was capped.
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }

  std::size_t in_flight() const { return flights_.all().size(); }
  std::uint64_t pages_in_flight() const { return flights_.pages(); }  // but for robots.txt
  bool is_in_flight(const Settled& result) {
    return flights_.find(Flights::key_of(result.purpose, result.url)) != nullptr;
  }
  // Of its company, from hosts that answer: how many may be in flight, and whether so many are.
  std::uint64_t slots() const { return company_->slots.most(Slots::Kind::kHeard); }
  bool slots_full() const { return company_->slots.full(Slots::Kind::kHeard); }
  // Only where there is one: the URL of one in flight.
  std::string_view any_in_flight() const { return Flights::url_of(flights_.all().begin()->first); }
  // Nothing is due now or later in this run, or a limit has been reached; what is in flight aside.
  bool exhausted();
  // Of pages or bytes, in this run or all of them.
  bool limit_reached() const { return limits_.reached(); }
  std::string_view reached_limit() const { return limits_.which(); }
  // Milliseconds until next() may give something, 0: now, INT64_MAX: not before a result.
  std::int64_t wait_ms();

  const Statistics& statistics() const { return statistics_; }
  const HostTable& hosts() const { return hosts_; }

 private:
  Frontier(Store& store, const Clock& clock, const Options& options);
  Status load();
  Status load_hosts(bool clean, const std::vector<HostId>& marked);
  Status recount_waiting();
  void weigh_outage(const Moment& at);
  bool probe(const Moment& at, Dispatch& out);
  // While a suspect is in flight, or for one to be.
  bool must_wait_alone() const { return company_->suspects.hold_all(company_->slots.in_flight()); }
  Status commit_staged();
  Status promote_due();

  const Options options_;
  Store& store_;
  Timepiece time_;
  std::shared_ptr<Company> company_;  // its own, or borrowed
  HostTable hosts_;
  Gate gate_;
  Random random_;
  Lanes lanes_;
  Statistics statistics_;
  std::vector<std::string> notices_;
  bool stirred_ = false;                           // a link has come since the last next()
  std::optional<RefusalCounts> earlier_refusals_;  // of earlier runs; none: not looked up yet
  Patience patience_;
  Later later_;
  Flights flights_;
  Backlog backlog_;
  Limits limits_;
  Intake intake_;
  Visits visits_;
  Outgoing outgoing_;
  Returns returns_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_FRONTIER_H_
