// SPDX-License-Identifier: Apache-2.0
// The frontier: which URLs there are, which one goes out next, and what came of each. It is durable
// in a Store, polite by the rules of Politeness, and ignorant of where URLs go: the caller moves
// them.
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
// The order of calls is the guarantee. Links are offered as they come and belong to the result that
// follows them: settle() seals the links before it, and drop_tail() forgets those that no result
// sealed. commit() makes sealed links and results durable in one atomic batch; only then does
// next() hand them out. A URL stays in the durable queue until its result is committed. So after a
// crash no admitted URL is lost, URLs in flight go out again, and no others do.
//
// Gaps are measured by the monotonic clock. The time from which a host may be asked again is stored
// with the result that set it, by the clock of the boot: setting the wall clock changes no gap, no
// retry and no throttle. A host is durably marked before anything is sent to it, and a marked host
// counts as visited when the state is opened again.
//
// Frontier coordinates the components below. It holds no state of theirs, and they know of each
// other only what the drawing shows.
//
//   offer() -> Intake  -> new:   Backlog    a URL's row and its place in a queue <- Visits
//                      -> known: KnownUrls  what a link says of it  ----^           ^  ^
//   next()  <- Lanes     whose turn it is, and when: by Gate (robots.txt), Patience |  |
//      |       Limits    (silent hosts, pauses), Suspects (the pipeline died of it) |  v
//      |    <- Outgoing  what the host sends next: by Windows (fronts of queues)    |  Later: waits
//      `---> Flights --> Returns --> what becomes of the page ----------------------'  for its time
//                        Answers     what it says of its host: to Lanes, Gate, Patience
//
// HostTable, which keeps hosts and lanes, Timepiece and Store lie below all of them.
//
// Not thread-safe. Borrows store and clock.
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

// What settle() made of a result.
struct Settlement {
  Verdict verdict = Verdict::kStranger;
  UrlRow row;  // the page's, set where is_last_word(verdict)
};

class Frontier {
 public:
  static Result<std::unique_ptr<Frontier>> open(Store& store, const Clock& clock,
                                                const Options& options);
  ~Frontier();
  Frontier(const Frontier&) = delete;
  Frontier& operator=(const Frontier&) = delete;

  // Treats every host as one whose rules are known: none is probed with one URL first. For dry
  // runs.
  void assume_rules() { gate_.assume_rules(); }

  // Changes the budget of revisits (Recrawl), where there is one: how many are allowed in how long.
  void set_budget(const Recrawl& rules) { later_.set_budget(rules); }

  // Stages the limits of this run, for later inspection of the state. A run that crawls calls it.
  void note_limits();

  // Offers a URL. Only kStaged means that it was taken; any other value says why not.
  using Offer = frontier::Offer;
  Offer offer(const Candidate& candidate, UrlError* why = nullptr) {
    stirred_ = true;
    return intake_.offer(candidate, why);
  }
  // The partition that owns the URL for which offer() returned kElsewhere last.
  std::uint32_t elsewhere() const { return intake_.elsewhere(); }
  // Makes everything that was offered so far part of the next commit.
  void seal() { intake_.links().seal(); }
  // Counts a link that policy has refused; nothing else is kept of it.
  void count_refused() {
    stirred_ = true;
    ++statistics_.refused;
  }
  // Counts an item of a page, likewise.
  void count_item() { ++statistics_.items; }
  // Stages how often each rule has refused links in this run so far, added to the counts of earlier
  // runs. At most 100 rules are kept.
  void note_refusals(const RefusalCounts& counts);
  // Forgets what was offered and not sealed.
  void drop_tail() { intake_.links().drop_tail(); }
  std::size_t tail() const { return intake_.links().tail(); }

  // Takes a result. One that is `aborted` says nothing of its URL, which stays in flight until the
  // pipeline has died or the URL's lease has ended.
  Settlement settle(const Settled& result);

  // Whether there is anything for commit() to do.
  bool pending() const;
  Status commit();

  // Hands out the next URL that may go out now. Call commit() first.
  bool next(Dispatch& out);
  // Durably marks the hosts of what next() has handed out, which may then be sent. If results are
  // staged that no commit() has made durable yet, this is a commit(): half a batch is never
  // written.
  Status commit_flights();

  // Ends a run: recalls what is in flight, commits everything, and syncs it to disk.
  Status close();

  // Recalls what is in flight: it will be sent again, and its hosts count as visited now.
  void recall_flights() { flights_.recall(time_.now()); }
  // The same, after the pipeline has died of a URL, or by itself: see suspects.h. `fresh`: the
  // pipeline had started, and nothing had passed it. `all`: the frontiers behind that pipeline, of
  // one company. Returns whether a URL was found guilty, which costs it a try.
  static bool blame_flights(const std::vector<Frontier*>& all, bool fresh);
  bool blame_flights(bool fresh) { return blame_flights({this}, fresh); }
  // Ends flights whose leases have run out with the outcome `aborted`: they are tried again, or
  // final. `all`: ends every flight, because nothing more can come.
  void expire_leases(bool all = false);
  using GivenUp = Returns::GivenUp;
  std::vector<GivenUp> take_given_up() { return returns_.take_given_up(); }
  // Returns at most `most` hosts of which nothing more is asked in this run; `all` gets the number
  // of all.
  struct Finished {
    std::string origin;
    std::string why;
    std::uint64_t waiting = 0;
  };
  std::vector<Finished> finished_hosts(std::size_t most, std::size_t& all) const;
  GivenUpSum given_up() const;
  // Sentences for the user: that a host is held, or that a Crawl-delay was capped.
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }

  std::size_t in_flight() const { return flights_.all().size(); }
  std::uint64_t pages_in_flight() const { return flights_.pages(); }  // robots.txt not counted
  bool is_in_flight(const Settled& result) {
    return flights_.find(Flights::key_of(result.purpose, result.url)) != nullptr;
  }
  // How many URLs of hosts that answer the whole company may have in flight, and whether that many
  // are.
  std::uint64_t slots() const { return company_->slots.most(Slots::Kind::kHeard); }
  bool slots_full() const { return company_->slots.full(Slots::Kind::kHeard); }
  // The URL of one flight. Something must be in flight.
  std::string_view any_in_flight() const { return Flights::url_of(flights_.all().begin()->first); }
  // Whether nothing is due now or later in this run, or a limit has been reached. Ignores what is
  // in flight.
  bool exhausted();
  // Whether a limit of pages or bytes is reached, in this run or over all runs; and which option
  // that is.
  bool limit_reached() const { return limits_.reached(); }
  std::string_view reached_limit() const { return limits_.which(); }
  // Milliseconds until next() may hand something out. 0: now; INT64_MAX: not before a result.
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
  // Whether nothing may go out because a suspect is in flight, or is to go out alone next.
  bool must_wait_alone() const { return company_->suspects.hold_all(company_->slots.in_flight()); }
  Status commit_staged();
  Status promote_due();

  const Options options_;
  Store& store_;
  Timepiece time_;
  std::shared_ptr<Company> company_;  // this frontier's own, or borrowed
  HostTable hosts_;
  Gate gate_;
  Random random_;
  Lanes lanes_;
  Statistics statistics_;
  std::vector<std::string> notices_;
  bool stirred_ = false;                           // a link has come since the last next()
  std::optional<RefusalCounts> earlier_refusals_;  // those of earlier runs; none: not looked up yet
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
