// SPDX-License-Identifier: Apache-2.0
// One frontier behind a pipeline, with everything that belongs to it: it takes links and results,
// gives URLs, and has its own files, copies, inbox and messages. A crawl on one machine has one
// share. In a crawl with partitions, a machine has one share for each of its partitions.
//
//   share.take_link(line, n);  share.take_result(line, settled);     // in order of arrival
//   share.tell_news();  voice.flush();  share.commit();              // first shown, then durable
//   while (share.next(dispatch)) ...;  share.commit_flights();       // before they are sent
//
// Records are shown before they are committed: after a crash in between, a page is shown twice
// rather than never.
#ifndef SPINNERET_LOOP_SHARE_H_
#define SPINNERET_LOOP_SHARE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/deadlines.h"
#include "base/result.h"
#include "frontier/frontier.h"
#include "frontier/neighbours.h"
#include "frontier/store.h"
#include "loop/ending.h"
#include "loop/metrics.h"
#include "loop/rejected.h"
#include "loop/valve.h"
#include "loop/voice.h"
#include "loop/wire.h"
#include "report/page_log.h"

namespace spinneret::loop {

// The objects of a share, all borrowed.
struct Belongings {
  frontier::Frontier& frontier;
  frontier::Store& store;
  Metrics& metrics;
  Rejected& rejected;
  report::PageLog* log = nullptr;              // nullptr: none
  frontier::Neighbours* neighbours = nullptr;  // for a crawl in partitions
  Deadlines* deadlines = nullptr;  // by number of partition; the lease's renewal postpones them
};

struct ShareOptions {
  std::uint32_t partition = 0;
  std::string checkpoint = {};           // folder for copies of the state
  std::int64_t checkpoint_every_ms = 0;  // 0: no copies
  std::string again = {};                // command that retries what was given up
  bool continuous = false;               // whether only a limit ends the crawl
  std::string inbox = {};                // see inbox.h; empty: none
  std::string valve = {};                // see valve.h; empty: none
};

class Share {
 public:
  // All arguments are borrowed.
  Share(Voice& voice, const Clock& clock, const Belongings& belongings, ShareOptions options);

  std::uint32_t partition() const { return options_.partition; }
  frontier::Frontier& frontier() { return its_.frontier; }
  // Number of pages requested, with a final result, in all runs.
  std::uint64_t pages() const {
    return its_.frontier.statistics().all.pages + its_.frontier.statistics().pages;
  }
  std::size_t in_flight() const { return its_.frontier.in_flight(); }
  std::uint64_t pages_in_flight() const { return its_.frontier.pages_in_flight(); }

  // Whether copies can be made. Checked before anything is fetched, rather than when the first copy
  // is due.
  Status may_copy() const;

  // Takes a link from the pipeline; `number` is the number of its line.
  void take_link(std::string_view line, std::uint64_t number);
  void refuse_link(std::string_view line);
  void take_item() { its_.frontier.count_item(); }
  void take_result(std::string_view line, const frontier::Settled& result);
  // Takes the seeds in the inbox.
  Status take_mail(std::int64_t now_ms);
  // Takes seeds from elsewhere, and keeps those of this partition. They are on disk when this
  // returns.
  Status take_seeds(std::string_view lines);
  bool has_mail() const;

  // Shows the URLs that were given up, and messages.
  void tell_news();
  // Commits everything, including what other partitions have sent.
  Status commit();
  // Returns for how long commit() may be postponed, so that it has more to commit at once;
  // INT64_MAX: there is nothing to commit. Nothing may be sent meanwhile.
  std::int64_t put_off_ms(std::int64_t now_ms);
  bool is_put_off() const { return put_off_since_ms_ >= 0; }
  // Number of pages that have come back and are not committed.
  std::size_t uncommitted() const { return uncommitted_; }

  // Exchanges data with the other partitions. Returns why the partition is no longer ours; empty
  // while it is.
  std::string_view lost();
  // Whether anything may be sent. Not after leave(), nor after give_up(), which also ends all other
  // use.
  bool may_send() const { return !spent() && is_free(); }
  void leave() { leaving_ = true; }
  void give_up() { leaving_ = given_up_ = true; }
  // From now on the URLs already sent have only the deadline that they were sent with, even if the
  // lease is renewed.
  void hurry();
  // Bounds pages() plus the pages in flight, for a limit of the whole crawl. `over`: the bound will
  // not be raised.
  void limit(std::uint64_t most, bool over) {
    most_ = most;
    over_ = over;
  }
  // Whether something would be sent now if it were not for that bound.
  bool wants();
  bool goes_on() const { return !given_up_; }
  bool next(frontier::Dispatch& out);
  // The valve of this share, independent of the other shares of the machine.
  Valve& valve() { return valve_; }
  Status commit_flights() { return its_.frontier.commit_flights(); }

  // Whether nothing is left to do here and, with partitions, in any other. With `time_is_up`
  // nothing more is to be sent.
  bool exhausted(bool time_is_up);
  // Writes statistics and copies if it is time to.
  Status tick(std::int64_t now_ms);

  // Ends the run: commits what came last, and closes the frontier.
  Status close();
  Status write_last_metrics();
  // Prints why the run was short, if it ended `by_itself`, and the hosts that are finished.
  void tell_end(bool by_itself);
  // Returns what was given up, with the command that retries it; empty if nothing was.
  std::string last_words() const;

 private:
  bool spent() const { return most_ != UINT64_MAX && pages() + pages_in_flight() >= most_; }
  bool is_free() const;
  void show(std::string_view line, std::string_view via, bool as_asked);
  void admit_from(std::string_view source, std::string_view lines);
  void pass_on(std::string_view seed);
  Status measure(bool now);
  void note_refusals();
  Status commit_all();

  Voice& voice_;
  const Clock& clock_;
  Belongings its_;
  ShareOptions options_;
  Ending end_;
  Wire wire_;
  Valve valve_;
  bool leaving_ = false, given_up_ = false;
  bool over_ = false;  // see limit()
  std::uint64_t most_ = UINT64_MAX;
  std::int64_t mail_ms_ = 0;              // last look into the inbox
  std::int64_t checkpoint_ms_;            // time of the last copy
  std::int64_t refusals_ms_ = INT64_MIN;  // last commit that included refusals
  // Since when results or others' links are uncommitted; -1: none.
  std::int64_t put_off_since_ms_ = -1;
  std::size_t uncommitted_ = 0;
  std::uint64_t by_lease_ = 0;   // for Dispatch::by_lease
  std::string shown_, unasked_;  // reused
  // After a commit that failed, later changes must not enter the state without it.
  bool is_whole_ = true;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_SHARE_H_
