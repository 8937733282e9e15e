// SPDX-License-Identifier: Apache-2.0
// One frontier behind a pipeline, with all that belongs to it: it takes links and results, gives URLs, and has its
// own files, copies, inbox and messages. A crawl on one machine has one share; a machine in a crawl with partitions
// has one for each of its own.
//
//   share.take_link(line, n);  share.take_result(line, settled);     // in the order in which they came
//   share.tell_news();  voice.flush();  share.commit();              // shown first, then durable
//   while (share.next(dispatch)) ...;  share.commit_flights();       // then sent
//
// Records are shown before they are committed: after a crash in between a page is shown twice, rather than never.
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

// All members are borrowed.
struct Belongings {
  frontier::Frontier& frontier;
  frontier::Store& store;
  Metrics& metrics;
  Rejected& rejected;
  report::PageLog* log = nullptr;              // or none
  frontier::Neighbours* neighbours = nullptr;  // for a crawl in partitions
  Deadlines* deadlines = nullptr;  // by its number; whoever renews its lease puts them off
};

struct ShareOptions {
  std::uint32_t partition = 0;
  std::string checkpoint = {};           // folder of the copies of the state
  std::int64_t checkpoint_every_ms = 0;  // 0: no copies
  std::string again = {};                // the command that retries what was given up
  bool continuous = false;               // the crawl ends only by a limit
  std::string inbox = {};                // see inbox.h; empty: none
  std::string valve = {};                // see valve.h; empty: none
};

class Share {
 public:
  // All borrowed.
  Share(Voice& voice, const Clock& clock, const Belongings& belongings, ShareOptions options);

  std::uint32_t partition() const { return options_.partition; }
  frontier::Frontier& frontier() { return its_.frontier; }
  // Asked for, and final, in all runs.
  std::uint64_t pages() const {
    return its_.frontier.statistics().all.pages + its_.frontier.statistics().pages;
  }
  std::size_t in_flight() const { return its_.frontier.in_flight(); }
  std::uint64_t pages_in_flight() const { return its_.frontier.pages_in_flight(); }

  // Checked before anything is fetched, rather than when the first copy is due.
  Status may_copy() const;

  // Takes what came out of the pipeline; `number` is that of its line.
  void take_link(std::string_view line, std::uint64_t number);
  void refuse_link(std::string_view line);
  void take_item() { its_.frontier.count_item(); }
  void take_result(std::string_view line, const frontier::Settled& result);
  // Takes seeds that somebody has added meanwhile.
  Status take_mail(std::int64_t now_ms);
  // Takes seeds from elsewhere, of which only those of this partition matter. They are on disk when this returns.
  Status take_seeds(std::string_view lines);
  bool has_mail() const;

  // Prints URLs that were given up, and messages.
  void tell_news();
  // Commits, including what other partitions have sent.
  Status commit();
  // For how long commit() may be put off, so that it has more at once; INT64_MAX: nothing lies here. Nothing may be sent meanwhile.
  std::int64_t put_off_ms(std::int64_t now_ms);
  bool is_put_off() const { return put_off_since_ms_ >= 0; }
  // How many of the pages that have come back are not committed.
  std::size_t uncommitted() const { return uncommitted_; }

  // Why the partition is no longer ours, after asking the others; empty while it is.
  std::string_view lost();
  // Whether anything may be sent. Nothing may for a share that is left(), or was given up and is not touched again.
  bool may_send() const { return !spent() && is_free(); }
  void leave() { leaving_ = true; }
  void give_up() { leaving_ = given_up_ = true; }
  // What is sent by now has no longer than it was given then, however often the lease is renewed.
  void hurry();
  // As the whole crawl may ask for so much: pages() and those in flight come to so many at most. `over`: nor to more later.
  void limit(std::uint64_t most, bool over) {
    most_ = most;
    over_ = over;
  }
  // Whether something would be sent now, but for that.
  bool wants();
  bool goes_on() const { return !given_up_; }
  bool next(frontier::Dispatch& out);
  // What holds it back from outside, wherever the others of its machine stand.
  Valve& valve() { return valve_; }
  Status commit_flights() { return its_.frontier.commit_flights(); }

  // Whether nothing is left to do here and, with partitions, in any other. `time_is_up`: nothing more is to be sent.
  bool exhausted(bool time_is_up);
  // Writes statistics and copies when it is time for them.
  Status tick(std::int64_t now_ms);

  // Ends the run.
  Status close();
  Status write_last_metrics();
  // Prints why the run was short, if it ended `by_itself`, and the hosts at which nothing more is asked for.
  void tell_end(bool by_itself);
  // What was given up, and the command that retries it; empty where nothing was.
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
  std::int64_t mail_ms_ = 0;              // when the inbox was looked at last
  std::int64_t checkpoint_ms_;            // the last copy
  std::int64_t refusals_ms_ = INT64_MIN;  // when the commit took them along last
  std::int64_t put_off_since_ms_ = -1;    // results, or links of others, lie here; -1: none do
  std::size_t uncommitted_ = 0;
  std::uint64_t by_lease_ = 0;   // Dispatch::by_lease
  std::string shown_, unasked_;  // reused
  // What a commit could not write is not to be in the state without it.
  bool is_whole_ = true;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_SHARE_H_
