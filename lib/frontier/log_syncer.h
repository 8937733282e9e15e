// SPDX-License-Identifier: Apache-2.0
// A thread that syncs a store's log at intervals while there is something to sync.
//
//   LogSyncer syncer(1000, [&] { return sync_log(); });
//   syncer.written();            // after each write
//   syncer.none_unsynced();      // before a sync of one's own, and after a write that has failed
//   syncer.stop();               // before what sync_log() uses goes
//
// No later sync brings back what a failed one has dropped: so the first error ends the thread, and
// both calls return it from then on. Thread-safe.
#ifndef SPINNERET_FRONTIER_LOG_SYNCER_H_
#define SPINNERET_FRONTIER_LOG_SYNCER_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "base/result.h"

namespace spinneret::frontier {

class LogSyncer {
 public:
  // `every_ms` 0: no thread.
  LogSyncer(std::int64_t every_ms, std::function<Status()> sync);
  ~LogSyncer() { stop(); }
  LogSyncer(const LogSyncer&) = delete;
  LogSyncer& operator=(const LogSyncer&) = delete;

  Status written() { return mark(true); }
  Status none_unsynced() { return mark(false); }
  void stop();

 private:
  void run(std::int64_t every_ms);
  Status mark(bool dirty);

  std::function<Status()> sync_;
  std::mutex mutex_;  // guards the members below, except the thread
  std::condition_variable wake_;
  bool dirty_ = false;
  bool closing_ = false;
  Status status_;
  std::thread thread_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_LOG_SYNCER_H_
