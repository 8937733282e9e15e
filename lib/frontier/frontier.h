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
//   offer() -> Admission -> new:   Backlog   a URL's row and its place in its host's queue  <---- Visits
//                        -> known: KnownUrls what a link says of it ---^                          ^   ^
//   next()  <- Lanes         whose turn it is, and when: by Gate (robots.txt), Patience           |   |
//      |                     (silent hosts, pauses) and Suspects (the pipeline died of it)        |   v
//      `---> Flights --> settle() --> what became of the page ------------------------------------' Later
//                                 --> and what it says of its host: to Lanes, Gate, Patience          what waits for its time
//
// Below them all stand HostTable, which keeps hosts and lanes, and Store.
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
#include "base/hours.h"
#include "base/outcome.h"
#include "base/result.h"
#include "frontier/admission.h"
#include "frontier/backlog.h"
#include "frontier/dispatch.h"
#include "frontier/flights.h"
#include "frontier/gate.h"
#include "frontier/host_table.h"
#include "frontier/known_urls.h"
#include "frontier/lanes.h"
#include "frontier/later.h"
#include "frontier/meta.h"
#include "frontier/order.h"
#include "frontier/patience.h"
#include "frontier/politeness.h"
#include "frontier/random.h"
#include "frontier/recrawl.h"
#include "frontier/statistics.h"
#include "frontier/store.h"
#include "frontier/suspects.h"
#include "frontier/visits.h"
#include "url/parse.h"
#include "url/partition.h"

namespace spinneret::frontier {

// What frontiers behind one pipeline have in common: how many may be in flight, and which of those it dies of.
struct Company {
  explicit Company(std::uint32_t in_flight) : slots(in_flight) {}
  Slots slots;
  Suspects suspects;
};

struct Options {
  Politeness politeness;
  PolitenessKey key = PolitenessKey::kHost;
  std::uint32_t in_flight = 64;          // see slots.h
  std::uint32_t tries = 3;               // for failures that may pass
  std::int64_t retry_delay_ms = 30'000;  // before the second try; doubles, with jitter
  std::int64_t lease_ms = 600'000;       // after which a URL in flight is taken for lost
  std::uint64_t max_pages = 0;           // in this run; 0: no limit
  std::uint64_t max_total_pages = 0;     // over all runs
  std::uint64_t max_bytes = 0;           // of bodies, in this run
  std::uint64_t max_host_pages = 0;      // of one host, over all runs
  Hours hours;                           // of local time, in which anything may go out
  Recrawl recrawl;
  // Of a host's URLs that have one priority; none: as the state has it, a new one by priority.
  std::optional<Order> order;
  bool continuous = false;       // goes on with what falls due, rather than end
  std::uint32_t gone_tries = 3;  // visits that find nothing before a page is forgotten
  std::uint32_t max_depth = UINT32_MAX;
  std::uint64_t seed = 0;  // of the jitter
  // Kept in memory whole, 400 bytes and a window each: see host_table.h.
  std::size_t hosts_in_play = 100'000;
  std::uint32_t log_page = 4096;  // hosts a page of the log: see host_log.h
  std::uint32_t crowd = 16;  // of so many hosts a lane keeps those that may send something apart
  // Of a crawl in partitions: which URLs are whose, and which of them is this one. Borrowed; without them all are ours.
  const Partitions* partitions = nullptr;
  std::uint32_t partition = 0;
  // Borrowed; a frontier without it has its pipeline to itself.
  Company* company = nullptr;
};

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

  // Writes down the limits of this run, for who looks in later. A run that crawls calls it.
  void note_limits();

  // A URL to admit. Anything but kStaged: it is not.
  enum class Offer { kStaged, kNotUrl, kNotHttp, kTooDeep, kElsewhere };
  Offer offer(const Candidate& candidate, UrlError* why = nullptr);
  // Whose it is that was kElsewhere the last time.
  std::uint32_t elsewhere() const { return elsewhere_; }
  // What was offered so far will be part of the next commit.
  void seal() { admission_.seal(); }
  // A link that policy has refused: it is counted, and nothing else.
  void count_refused() { ++statistics_.refused; }
  // An item of a page: likewise.
  void count_item() { ++statistics_.items; }
  // How often rules have refused links in this run; kept with those of earlier ones at close(). At most 100.
  void note_refusals(const RefusalCounts& counts);
  // What was offered and not sealed is forgotten.
  void drop_tail() { admission_.drop_tail(); }
  std::size_t tail() const { return admission_.tail(); }

  // One that is `aborted` says nothing of its URL, which stays in flight: until the pipeline has died, or its lease
  // has ended.
  Settlement settle(const Settled& result);

  // Whether there is anything for commit() to do.
  bool pending() const;
  Status commit();

  // The next URL that may go out now. Only after a commit().
  bool next(Dispatch& out);
  // Marks what next() has given out, durably. Then it may be sent.
  Status commit_flights();

  // The end of a run: what is in flight is recalled, everything is committed and on disk.
  Status close();

  // What was in flight will be sent again; its hosts count as visited now.
  void recall_flights() { flights_.recall(now()); }
  // The same, for the pipeline has died of one of them, or by itself: see suspects.h. `fresh`: nothing had passed it.
  // True: a URL was found guilty, which is a failed try of its own. `all`: that were behind that pipeline, of one company.
  static bool blame_flights(const std::vector<Frontier*>& all, bool fresh);
  bool blame_flights(bool fresh) { return blame_flights({this}, fresh); }
  // Leases that have run out end as outcome `aborted`: tried again, or final.
  // `all`: every lease, for nothing more can come.
  void expire_leases(bool all = false);
  // URLs that were given up without a result to show, and why.
  struct GivenUp {
    Dispatch page;  // as it went out, without validators
    std::string error;
    std::string via;
    Outcome outcome = Outcome::kAborted;
  };
  std::vector<GivenUp> take_given_up() { return std::exchange(given_up_, {}); }
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
  bool is_in_flight(const Settled& result) {
    return flights_.find(Flights::key_of(result.purpose, result.url)) != nullptr;
  }
  // Only where there is one: the URL of one in flight.
  std::string_view any_in_flight() const { return Flights::url_of(flights_.all().begin()->first); }
  // Nothing is due now or later in this run, or a limit has been reached; what is in flight aside.
  bool exhausted();
  // Of pages or bytes, in this run or all of them.
  bool limit_reached() const;
  // Milliseconds until next() may give something, 0: now, INT64_MAX: not before a result.
  std::int64_t wait_ms();

  const Statistics& statistics() const { return statistics_; }
  const HostTable& hosts() const { return hosts_; }

 private:
  Frontier(Store& store, const Clock& clock, const Options& options);
  Status migrate();
  Status load();
  Status load_hosts(bool clean, const std::vector<HostId>& marked);
  HostCounts sums() const;
  Moment now() const;

  // Sending.
  std::int64_t closed_ms(std::int64_t wall_ms) const;
  bool send_from_host(HostSlot slot, Dispatch& out);
  bool send_page(HostSlot slot, Dispatch& out);
  void read_ahead(HostSlot slot);
  bool must_go_alone(std::string_view key, HostSlot slot);
  // While a suspect is in flight, or for one to be.
  bool must_wait_alone() const { return company_.suspects.hold_all(company_.slots.in_flight()); }
  void convict_only_flight();
  void send_rules(HostSlot slot, Dispatch& out);
  void launch(HostSlot slot, Dispatch& out, Place place, std::string_view entry);
  void add_validators(HostSlot slot, std::string_view rest, Dispatch& out);

  // Settling.
  Verdict settle_flight(const Settled& result, UrlRow& row);
  void pace(const Flight& flight, const Settled& result);
  void learn_crawl_delay(HostSlot slot, const Settled& result);
  void settle_rules(const Flight& flight, const Settled& result);
  Verdict settle_needs(const Flight& flight, const Settled& result, UrlRow& row);
  Verdict hold(const Flight& flight, const Settled& result, UrlRow& row);
  void hold_for(HostSlot slot, std::int64_t ms, std::string_view reason);
  void tell_hold(const Host& host, const std::string& why, std::int64_t ms);
  void weigh_outage(const Moment& at);
  bool probe(const Moment& at, Dispatch& out);
  void lose(const std::string& key, Outcome outcome, std::string_view error);
  void give_up(std::string_view url, std::string_view error, Outcome outcome, const UrlRow& row);

  // Committing.
  Status commit_staged();
  void admit_sealed();
  Status recount_waiting();
  Status promote_due();

  Store& store_;
  const Clock& clock_;
  Options options_;
  HostTable hosts_;
  Gate gate_;
  std::unique_ptr<Company> own_company_;
  Company& company_;  // suspects by key of flights_
  Random random_;
  Lanes lanes_;
  Statistics statistics_;
  std::vector<std::string> notices_;
  Patience patience_;
  Admission admission_;
  Later later_;
  Flights flights_;
  Backlog backlog_;
  KnownUrls known_urls_;
  Visits visits_;
  Boot boot_;
  std::uint64_t pages_before_ = 0;  // of earlier runs
  std::vector<GivenUp> given_up_;
  std::uint32_t elsewhere_ = 0;
  // Reused buffers.
  std::vector<HostSlot> ahead_, asleep_;
  Url url_;
  std::string scratch_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_FRONTIER_H_
