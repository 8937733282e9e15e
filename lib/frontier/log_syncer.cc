// SPDX-License-Identifier: Apache-2.0
#include "frontier/log_syncer.h"

#include <chrono>
#include <utility>

namespace spinneret::frontier {

LogSyncer::LogSyncer(std::int64_t every_ms, std::function<Status()> sync) : sync_(std::move(sync)) {
  if (every_ms > 0) thread_ = std::thread([this, every_ms] { run(every_ms); });
}

void LogSyncer::stop() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LogSyncer::run(std::int64_t every_ms) {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    wake_.wait_for(lock, std::chrono::milliseconds(every_ms), [this] { return closing_; });
    if (!std::exchange(dirty_, false)) continue;
    lock.unlock();
    Status done = sync_();
    lock.lock();
    if (done.ok()) continue;
    status_ = std::move(done);
    return;
  }
}

Status LogSyncer::mark(bool dirty) {
  const std::lock_guard lock(mutex_);
  dirty_ = dirty;
  return status_;
}

}  // namespace spinneret::frontier
