// SPDX-License-Identifier: Apache-2.0
// The loop: moves URLs from the frontiers to the pipeline, and records from the pipeline to the
// frontiers, until nothing is left to do.
//
//   Shares shares(voice);  shares.add(share);
//   return Driver(*ends, shares, voice, clock, stages, options).run();
//
// In one turn it reads the records that have arrived, makes them durable, sends the URLs that are
// due, and writes as much as the pipe takes. It waits only for the pipeline's ends and for standard
// output, whose reader may slow everything down. The pipeline is read even while it accepts no
// input, so that no fan-out can deadlock the loop.
#ifndef SPINNERET_LOOP_DRIVER_H_
#define SPINNERET_LOOP_DRIVER_H_

#include <cstdint>
#include <functional>
#include <optional>
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
#include "loop/voice.h"
#include "loop/watch.h"

namespace spinneret::loop {

// Gives a driver its shares, and takes them away, while it runs: a machine of a crawl in
// partitions.
class Landlord {
 public:
  virtual ~Landlord() = default;
  // Called at the beginning of each turn. Returns true if a share was removed although the pipeline
  // may have seen some of its links that nobody has stored: the pipeline would take these for
  // repeats, so it is restarted.
  virtual bool look(Shares& shares) = 0;
  // Called where a share cannot go on. The share must be removed by the next look(). The reason has
  // been reported. With `lost` nothing more may be written to its state.
  virtual void give_up(Share& share, bool lost) = 0;
  // Whether no more shares will come.
  virtual bool over() = 0;
};

struct DriverOptions {
  std::int64_t grace_ms = 5000;    // time for URLs in flight after a signal or max_time_ms
  std::int64_t quiet_ms = 10'000;  // silence after which lost URLs are looked for
  std::int64_t max_time_ms = 0;    // nothing is sent after this time; 0: no limit
  // Borrowed. Without a landlord the shares never change, and an error of one share ends the run.
  Landlord* landlord = nullptr;
  // Returns the signal that asks the run to stop, or 0.
  std::function<int()> stop_signal = cli::stop_signal;
};

// The exit status of a run that is complete, but has given hosts up or could not reach a seed.
inline constexpr int kGivenUpStatus = 3;
// The exit status of a run whose partition now belongs to another node, or to none. The next holder
// of the lease continues it.
inline constexpr int kLeaseLostStatus = 5;

class Driver {
 public:
  // All arguments are borrowed.
  Driver(Ends& ends, Shares& shares, Voice& voice, const Clock& clock, StageLedger& stages,
         DriverOptions options);

  // Runs to the end, to a stop signal, or to an error. Returns the exit status; messages have been
  // printed.
  int run();

 private:
  enum class Phase { kRunning, kDraining, kStopping };

  std::int64_t now_ms() const { return clock_.monotonic_ns() / 1'000'000; }
  bool time_is_up(std::int64_t over_ms = 0) const;  // true if it was up `over_ms` ago

  bool turn();  // returns false once the run is over
  bool keep_shares();
  bool bear(Share& share, const Status& done);
  bool finished();
  bool exhausted();
  bool start();

  bool wait();
  bool read_some();
  void heed_signs();
  bool tell_news();
  bool commit();
  bool may_put_off() const { return shares_.size() > 1 && may_send(); }
  bool may_send() const;
  bool send();
  bool write_some();
  bool check_time();
  void look_for_lost(std::int64_t now);

  void drain();
  void stop(std::int64_t grace_ms, const char* why);
  void close_input();
  bool end_of_output();  // called when the pipeline has closed its output
  bool pipeline_died(const std::string& how, std::int64_t died_ms);
  int conclude();
  bool fail(const std::string& message);

  Ends& ends_;
  Shares& shares_;
  Voice& voice_;
  const Clock& clock_;
  StageLedger& stages_;
  DriverOptions options_;
  Watch watch_;
  Lives lives_;
  Outlet outlet_;
  frontier::Dispatch dispatch_;  // reused
  std::vector<Share*> put_off_;  // reused
  std::size_t next_share_ = 0;   // index of the share that sends first
  Phase phase_ = Phase::kRunning;
  bool readable_ = false;
  bool more_ = false;      // whether the last turn has left input unread
  bool was_busy_ = false;  // whether anything was queued in this run
  bool hungry_ = true;     // whether the last send() ran out of URLs before the slots were full
  bool ending_ = false;    // whether a stage has reported that it ends: nothing more is sent then
  bool killed_ = false;
  int status_ = 0;
  std::optional<std::int64_t> begun_ms_;  // when there was a share for the first time
  std::int64_t stop_at_ms_ = 0;           // when the grace ends
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_DRIVER_H_
