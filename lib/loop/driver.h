// SPDX-License-Identifier: Apache-2.0
// The loop: URLs out of the frontiers into a pipeline, records out of the pipeline into the frontiers, until
// nothing is left to do.
//
//   Shares shares(voice);  shares.add(share);
//   return Driver(*ends, shares, voice, clock, stages, options).run();
//
// One turn: read what is there, make it durable, send what is due, write what the pipe takes. Nothing in it
// waits but for the ends and standard output, whose reader may slow everything down as he likes. So no fan-out
// can deadlock the loop: the pipeline is read whether or not it takes what we write.
#ifndef SPINNERET_LOOP_DRIVER_H_
#define SPINNERET_LOOP_DRIVER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli/signals.h"
#include "frontier/frontier.h"
#include "loop/ends.h"
#include "loop/lives.h"
#include "loop/outlet.h"
#include "loop/shares.h"
#include "loop/stage_ledger.h"
#include "loop/valve.h"
#include "loop/voice.h"

namespace spinneret::loop {

// Who gives a driver its shares, and takes them away while it runs: a machine of a crawl in partitions.
class Landlord {
 public:
  virtual ~Landlord() = default;
  // At the begin of each turn. True: a share has gone whose links may have been seen and not kept; the pipeline, which would
  // take them for repeats, is started anew.
  virtual bool look(Shares& shares) = 0;
  // That share cannot go on, and is to go with the next look(). It has been said why. `lost`: nothing more may be written.
  virtual void give_up(Share& share, bool lost) = 0;
  // Whether no share comes any more.
  virtual bool over() = 0;
};

struct DriverOptions {
  std::int64_t grace_ms = 5000;    // for what is in flight when a signal has come
  std::int64_t quiet_ms = 10'000;  // silence after which a record in flight is searched for
  std::int64_t max_time_ms = 0;    // after which nothing more goes out; 0: no limit
  std::string valve;               // see valve.h; empty: none
  // Borrowed. Without it the shares are the same from begin to end, and trouble of one is that of all.
  Landlord* landlord = nullptr;
  // The signal that asks to stop, or 0.
  std::function<int()> stop_signal = cli::stop_signal;
};

// A run that is done, but has given hosts up or has never reached a seed.
inline constexpr int kGivenUpStatus = 3;
// A partition that somebody else has now, or nobody: whoever has the lease next goes on.
inline constexpr int kLeaseLostStatus = 5;

class Driver {
 public:
  // All borrowed.
  Driver(Ends& ends, Shares& shares, Voice& voice, const Clock& clock, StageLedger& stages,
         DriverOptions options);

  // Until the end, a stop signal or trouble. Returns the exit status; messages have been given.
  int run();

 private:
  enum class Phase { kRunning, kDraining, kStopping };

  std::int64_t now_ms() const { return clock_.monotonic_ns() / 1'000'000; }
  bool time_is_up() const;

  bool may_copy();
  bool turn();  // false: the run is over
  bool keep_shares();
  bool bear(Share& share, const Status& done);
  bool finished();
  bool exhausted();
  bool start();

  bool wait();
  bool read_some();
  void heed_signs();
  bool commit();
  void forgive_stall(std::int64_t since_ms);
  bool may_send() const;
  bool send();
  bool write_some();
  bool check_time();
  bool look_for_lost(std::int64_t now);

  void drain();
  void stop();
  void close_input();
  bool end_of_output();  // the pipeline has closed its side
  bool pipeline_died(const std::string& how);
  int conclude();
  bool fail(const std::string& message);

  Ends& ends_;
  Shares& shares_;
  Voice& voice_;
  const Clock& clock_;
  StageLedger& stages_;
  DriverOptions options_;
  Valve valve_;
  Lives lives_;
  Outlet outlet_;
  frontier::Dispatch dispatch_;  // reused
  Phase phase_ = Phase::kRunning;
  bool readable_ = false;
  bool more_ = false;      // the last turn has not read all that was there
  bool was_busy_ = false;  // something has been queued in this run
  bool ending_ = false;    // the pipeline, by itself, as it has said: it gets nothing more
  bool killed_ = false;
  int status_ = 0;
  std::int64_t begun_ms_ = 0;    // the run
  std::int64_t heard_ms_ = 0;    // of the last line
  std::int64_t leases_ms_ = 0;   // when leases were checked last
  std::int64_t stop_at_ms_ = 0;  // end of the grace
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_DRIVER_H_
