// SPDX-License-Identifier: Apache-2.0
// One partition at a machine, from the wait for its lease until the lease is given back. A thread
// of its own does whatever waits (for the lease, the quarantine, a copy of the state, the state
// itself), so that the other partitions crawl on. The thread that drives all partitions does the
// rest.
//
//   Holding holding(estate, 3);
//   if (holding.stage() == Holding::Stage::kHere) shares.add(holding.enter(voice, log));
//   ...
//   shares.remove(*holding.share());  holding.go(status, lost);      // until stage() is kGone
#ifndef SPINNERET_TOOLS_SCHED_HOLDING_H_
#define SPINNERET_TOOLS_SCHED_HOLDING_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "cli/tool.h"
#include "cluster/beater.h"
#include "cluster/household.h"
#include "frontier/frontier.h"
#include "frontier/rocks_store.h"
#include "frontier/store.h"
#include "loop/enquiry.h"
#include "loop/metrics.h"
#include "loop/rejected.h"
#include "loop/share.h"
#include "loop/voice.h"
#include "report/page_log.h"
#include "sched_partition.h"

namespace spinneret {

// Returns the text with the number of a partition in the place of {}.
std::string of_partition(std::string words, std::uint32_t partition);

// Messages of other threads, until the main thread prints them.
class Mailbox {
 public:
  void put(const std::string& text) {
    const std::lock_guard lock(mutex_);
    texts_.push_back(text);
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

// What all partitions of a machine have in common; outlives them.
struct Estate {
  cli::Tool& tool;
  CrawlEngine engine;
  CrawlTerms terms;
  frontier::Options frontier;
  std::string seeds;                            // one a line
  std::function<void(const std::string&)> say;  // may be called from any thread
  std::shared_ptr<cluster::Beater> beater;
  std::shared_ptr<frontier::BlockCache> cache;
  cluster::Household& household;  // for the thread that drives the partitions
  loop::SharedLog& log;
  // Whether each partition's failures are tried again, once in a run; so are the outcomes of
  // `retried`.
  bool retries_failed = false;
  std::vector<Outcome> retried = {};
  int open_files = 512;                // limit for each state
  std::size_t most = kMostPartitions;  // partitions for which there are file descriptors
};

class Holding {
 public:
  enum class Stage { kComing, kHere, kGoing, kGone };

  Holding(const Estate& estate, std::uint32_t partition, std::int64_t now_ms);
  ~Holding();
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

  Stage stage() const { return stage_; }
  std::int64_t begun_ms() const { return begun_ms_; }
  // The exit status that a scheduler for this partition alone would have; valid once the stage is
  // kGone.
  int status() const { return status_; }

  // Tells the partition, while it is kComing, that it is not wanted any more.
  void cancel();
  // Creates the share of a partition that is kHere, which it has from then on.
  loop::Share& enter(loop::Voice& voice, report::PageLog* log);
  std::uint64_t epoch() const { return its_->epoch(); }
  loop::Share* share() { return share_ ? &*share_ : nullptr; }
  // Lets the partition go, with its share, which nobody else may know any more. `closed`: the share
  // was closed; otherwise it was lost or broke, and the state is left as it is.
  void go(int status, bool closed);

 private:
  std::optional<int> come();
  std::optional<int> open_state();
  Status admit_seeds();
  Status retry(frontier::Options options);
  void leave(bool closed);
  bool wait(int ms);
  int trouble(const std::string& why);
  std::string path_of(const char* option) const;

  const Estate& estate_;
  const std::uint32_t partition_;
  const std::int64_t begun_ms_;
  const std::string state_;
  loop::ShareOptions sharing_;
  std::atomic<Stage> stage_ = Stage::kComing;
  int status_ = 0;
  std::mutex mutex_;  // for cancelled_
  std::condition_variable wake_;
  bool cancelled_ = false;
  std::unique_ptr<SchedPartition> its_;
  std::optional<FileLock> lock_;
  std::unique_ptr<frontier::Store> store_;
  std::unique_ptr<frontier::Frontier> frontier_;
  std::optional<loop::Metrics> metrics_;
  loop::Rejected rejected_;
  std::optional<loop::Share> share_;
  std::thread work_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_HOLDING_H_
