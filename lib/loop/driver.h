// SPDX-License-Identifier: Apache-2.0
// The loop: takes URLs from the frontiers to the pipeline, and records from the pipeline to the frontiers, until
// nothing is left to do.
//
//   Shares shares(voice);  shares.add(share);
//   return Driver(*ends, shares, voice, clock, stages, options).run();
//
// In one turn it reads what is there, makes it durable, sends what is due, and writes what the pipe takes. It waits
// for nothing but the pipeline's ends and standard output, whose reader may slow everything down. The pipeline is
// read whether or not it takes what is written, so that no fan-out can deadlock the loop.
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

// Gives a driver its shares, and takes them away while it runs: a machine of a crawl in partitions.
class Landlord {
 public:
  virtual ~Landlord() = default;
  // Called at the beginning of each turn. Returns true if a share has gone some of whose links the pipeline may have
  // seen and nobody has kept: the pipeline would take them for repeats, and is started anew.
  virtual bool look(Shares& shares) = 0;
  // Says that a share cannot go on; it is to be removed by the next look(). The reason has been reported. With `lost`
  // nothing more may be written to it.
  virtual void give_up(Share& share, bool lost) = 0;
  // Whether no more shares will come.
  virtual bool over() = 0;
};

struct DriverOptions {
  std::int64_t grace_ms = 5000;    // for what is in flight after a signal, or max_time_ms
  std::int64_t quiet_ms = 10'000;  // after so much silence a record in flight is searched for
  std::int64_t max_time_ms = 0;    // nothing more is sent after this time; 0: no limit
  // Borrowed. Without a landlord the shares never change, and trouble of one is trouble of all.
  Landlord* landlord = nullptr;
  // The signal that asks to stop, or 0.
  std::function<int()> stop_signal = cli::stop_signal;
};

// The exit status of a run that is done, but has given hosts up or could not reach a seed.
inline constexpr int kGivenUpStatus = 3;
// The exit status where another node, or none, has the partition now: whoever has the lease next continues.
inline constexpr int kLeaseLostStatus = 5;

class Driver {
 public:
  // All borrowed.
  Driver(Ends& ends, Shares& shares, Voice& voice, const Clock& clock, StageLedger& stages,
         DriverOptions options);

  // Runs to the end, a stop signal, or trouble. Returns the exit status; messages have been printed.
  int run();

 private:
  enum class Phase { kRunning, kDraining, kStopping };

  std::int64_t now_ms() const { return clock_.monotonic_ns() / 1'000'000; }
  bool time_is_up(std::int64_t over_ms = 0) const;  // so long ago

  bool turn();  // false: the run is over
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
  bool end_of_output();  // the pipeline has closed its side
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
  std::size_t next_share_ = 0;   // that is the first to send
  Phase phase_ = Phase::kRunning;
  bool readable_ = false;
  bool more_ = false;      // the last turn has not read everything that was there
  bool was_busy_ = false;  // something has been queued in this run
  bool hungry_ = true;     // more could be in flight than there was to send the last time
  bool ending_ = false;    // the pipeline has said that it ends: it gets nothing more
  bool killed_ = false;
  int status_ = 0;
  std::optional<std::int64_t> begun_ms_;  // when there first was something to run
  std::int64_t stop_at_ms_ = 0;           // end of the grace
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_DRIVER_H_
