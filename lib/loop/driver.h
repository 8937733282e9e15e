// SPDX-License-Identifier: Apache-2.0
// The loop: URLs out of the frontier into a pipeline, records out of the pipeline into the frontier, until
// nothing is left to do.
//
// One turn: read what is there, make it durable, send what is due, write what the pipe takes. Nothing in it
// waits but poll(2) and standard output, whose reader may slow everything down as he likes. So no fan-out
// can deadlock the loop: the pipeline is read whether or not it takes what we write.
//
// Records reach standard output before they are committed: a crash in between shows a page twice rather
// than never.
#ifndef SPINNERET_LOOP_DRIVER_H_
#define SPINNERET_LOOP_DRIVER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cli/tool.h"
#include "frontier/frontier.h"
#include "frontier/neighbours.h"
#include "frontier/store.h"
#include "io/reader.h"
#include "loop/ending.h"
#include "loop/metrics.h"
#include "loop/outlet.h"
#include "loop/pipeline.h"
#include "loop/progress.h"
#include "loop/rejected.h"
#include "loop/stage_ledger.h"
#include "loop/valve.h"
#include "loop/wire.h"
#include "report/page_log.h"

namespace spinneret::loop {

struct DriverOptions {
  std::vector<std::string> command;  // empty: the pipeline is wired to standard input and output
  std::string lock_path;             // see Pipeline::start
  std::size_t max_line = std::size_t{64} << 20;
  std::int64_t grace_ms = 5000;          // for what is in flight when a signal has come
  std::int64_t quiet_ms = 10'000;        // silence after which a record in flight is searched for
  std::int64_t max_time_ms = 0;          // after which nothing more goes out; 0: no limit
  std::string checkpoint;                // folder of the copies of the state
  std::int64_t checkpoint_every_ms = 0;  // 0: no copies
  std::string again;                     // the command that goes on with what was given up
  bool continuous = false;               // there is no end but a limit
  std::string inbox;                     // see inbox.h; empty: none
  std::string valve;                     // see valve.h; empty: none
  frontier::Neighbours* neighbours = nullptr;  // of a crawl in partitions; borrowed
};

// A run that is done, but has given hosts up or has never reached a seed.
inline constexpr int kGivenUpStatus = 3;
// A partition that somebody else has now, or nobody: whoever has the lease next goes on.
inline constexpr int kLeaseLostStatus = 5;

// All borrowed.
struct Observers {
  Progress& progress;
  Metrics& metrics;
  report::PageLog* log;  // or none
  Rejected& rejected;
  StageLedger& stages;
};

class Driver {
 public:
  // All borrowed.
  Driver(cli::Tool& tool, frontier::Frontier& frontier, frontier::Store& store, const Clock& clock,
         Observers observers, DriverOptions options);

  // Until the end, a stop signal or trouble. Returns the exit status; messages have been given.
  // `begun`: a pipeline of the same command and lock that starts already.
  int run(std::unique_ptr<Pipeline> begun = nullptr);
  // After run(): what was given up and which command goes on; empty where nothing was.
  const std::string& last_words() const { return last_words_; }

 private:
  enum class Phase { kRunning, kDraining, kStopping };

  bool plain() const { return options_.command.empty(); }
  std::int64_t now_ms() const { return clock_.monotonic_ns() / 1'000'000; }
  int input() const;
  int output() const;

  bool may_copy();
  bool turn();  // false: the run is over
  bool start();
  bool finished();
  bool wait();
  bool read_some();
  void forgive_stall(std::int64_t since_ms);
  void read_from(int fd);
  void take_lines(std::string_view run);
  void take_line(std::string_view line);
  void take_settled(std::string_view line);
  void show(std::string_view line, std::string_view via);
  bool commit();
  bool may_send() const;
  bool send();
  bool write_some();
  bool check_time();
  bool time_is_up() const;
  bool exhausted();
  void drain();
  void let_end();
  void close_pipe();
  void stop();
  void refuse_link(std::string_view line);
  bool end_of_output();  // the pipeline has closed its side
  bool pipeline_died();
  void deliver_given_up();
  void notify();
  int conclude();
  void tell(const std::vector<std::string>& lines);
  void tell_end();
  void tell_given_up();
  bool take_mail();
  void admit_from(std::string_view source, std::string_view lines);
  bool keep_partition();
  bool fail(const std::string& message);

  cli::Tool& tool_;
  frontier::Frontier& frontier_;
  frontier::Store& store_;
  const Clock& clock_;
  Progress& progress_;
  Metrics& metrics_;
  report::PageLog* log_;
  Rejected& rejected_;
  StageLedger& stages_;
  DriverOptions options_;
  Valve valve_;
  Wire wire_;
  std::optional<LineReader> reader_;  // of output(), where there is one
  std::uint64_t lines_ = 0;           // that it has read
  std::string shown_, unasked_;       // reused
  Ending end_;
  std::string last_words_;
  Outlet outlet_;
  std::unique_ptr<Pipeline> pipeline_;
  Phase phase_ = Phase::kRunning;
  frontier::Settled settled_;
  frontier::Dispatch dispatch_;
  bool readable_ = false;
  bool more_ = false;               // the last turn has not read all that was there
  bool input_open_ = true;          // plain form: our standard output
  bool at_end_ = false;             // plain form: our standard input
  bool was_busy_ = false;           // plain form: something has been queued in this run
  std::int64_t heard_ms_ = 0;       // of the last line
  std::int64_t leases_ms_ = 0;      // when leases were checked last
  std::int64_t start_at_ms_ = 0;    // not before: a pipeline that keeps dying
  std::int64_t begun_ms_ = 0;       // the run
  std::int64_t checkpoint_ms_ = 0;  // the last copy
  std::int64_t stop_at_ms_ = 0;     // end of the grace
  std::int64_t started_ms_ = 0;
  int quick_deaths_ = 0;  // in a row, each after a short life
  int deaths_ = 0;        // in a row, without a result between them
  int blames_ = 0;        // likewise: those for which a URL was found guilty
  bool passed_ = false;   // this pipeline has given a result
  bool ending_ = false;   // by itself, as it has said: it gets nothing more
  bool killed_ = false;
  int status_ = 0;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_DRIVER_H_
