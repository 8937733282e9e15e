// SPDX-License-Identifier: Apache-2.0
// What belongs to one frontier behind a pipeline: links and results in, URLs out, and what is written, copied, asked and told of
// it. A crawl on one machine has one; a machine of a crawl in partitions one for each of its own.
//
//   share.take_link(line, n);  share.take_result(line, settled);     // in the order in which they came
//   share.tell_news();  voice.flush();  share.commit();              // shown first, then durable
//   while (share.next(dispatch)) ...;  share.commit_flights();       // then sent
//
// Records are shown before they are committed: after a crash in between a page is shown twice, not never.
#ifndef SPINNERET_LOOP_SHARE_H_
#define SPINNERET_LOOP_SHARE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "frontier/frontier.h"
#include "frontier/neighbours.h"
#include "frontier/store.h"
#include "loop/ending.h"
#include "loop/metrics.h"
#include "loop/rejected.h"
#include "loop/voice.h"
#include "loop/wire.h"
#include "report/page_log.h"

namespace spinneret::loop {

// All borrowed.
struct Belongings {
  frontier::Frontier& frontier;
  frontier::Store& store;
  Metrics& metrics;
  Rejected& rejected;
  report::PageLog* log = nullptr;              // or none
  frontier::Neighbours* neighbours = nullptr;  // of a crawl in partitions
};

struct ShareOptions {
  std::uint32_t partition = 0;
  std::string checkpoint = {};           // folder of the copies of the state
  std::int64_t checkpoint_every_ms = 0;  // 0: no copies
  std::string again = {};                // the command that goes on with what was given up
  bool continuous = false;               // there is no end but a limit
  std::string inbox = {};                // see inbox.h; empty: none
};

class Share {
 public:
  // All borrowed.
  Share(Voice& voice, const Clock& clock, Belongings belongings, ShareOptions options);

  std::uint32_t partition() const { return options_.partition; }
  frontier::Frontier& frontier() { return its_.frontier; }
  std::size_t in_flight() const { return its_.frontier.in_flight(); }

  // Told before anything is fetched, and not when the first copy is due.
  Status may_copy() const;

  // What came out of the pipeline; `number`: of its line.
  void take_link(std::string_view line, std::uint64_t number);
  void refuse_link(std::string_view line);
  void take_item() { its_.frontier.count_item(); }
  void take_result(std::string_view line, const frontier::Settled& result);
  // Seeds that somebody has added meanwhile.
  Status take_mail(std::int64_t now_ms);
  bool has_mail() const;

  // URLs that were given up, and sentences.
  void tell_news();
  // Also what other partitions have sent.
  Status commit();

  // Whether the partition is still ours, after a word with the others; why not, else.
  std::string_view lost();
  // Whether anything may go out: not of one that is left(), or given up, with which nothing more is done at all.
  bool may_send() const;
  void leave() { leaving_ = true; }
  void give_up() { leaving_ = given_up_ = true; }
  bool goes_on() const { return !given_up_; }
  bool next(frontier::Dispatch& out);
  Status commit_flights() { return its_.frontier.commit_flights(); }

  // Nothing is left to do here; of partitions: nor in any other. `time_is_up`: nothing more is to go out.
  bool exhausted(bool time_is_up);
  // Statistics and copies, where it is time for them.
  Status tick(std::int64_t now_ms);

  // The end of the run.
  Status close();
  Status write_last_metrics();
  // Why it was short, where it came to its end `by_itself`; hosts of which nothing more is asked.
  void tell_end(bool by_itself);
  // What was given up and which command goes on; empty where nothing was.
  std::string last_words() const;

 private:
  void show(std::string_view line, std::string_view via, bool as_asked);
  void admit_from(std::string_view source, std::string_view lines);

  Voice& voice_;
  const Clock& clock_;
  Belongings its_;
  ShareOptions options_;
  Ending end_;
  Wire wire_;
  bool leaving_ = false, given_up_ = false;
  std::int64_t mail_ms_ = 0;     // when it was looked for last
  std::int64_t checkpoint_ms_;   // the last copy
  std::string shown_, unasked_;  // reused
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_SHARE_H_
