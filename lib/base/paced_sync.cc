// SPDX-License-Identifier: Apache-2.0
#include "base/paced_sync.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace spinneret {

class PacedSync::Core {
 public:
  Core(Call call, std::chrono::milliseconds period) : call_(call), period_(period) {}
  ~Core() { end(); }

  int written(int fd) {
    std::unique_lock lock(mutex_);
    if (fd != exempt_fd_) {
      dirty_fd_ = fd;
      // The sync of a whole file system takes as long as all writes of others need: only the thread
      // waits for it.
      const bool due = Clock::now() >= due_;
      const bool at_once = due && call_ != sync_file_system;
      if (!running_ && (at_once || !begin_thread()) && due) sync(lock);
    }
    return std::exchange(failure_, 0);
  }

  int end() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
    std::unique_lock lock(mutex_);
    ending_ = false;
    exempt_fd_ = -1;
    if (dirty_fd_ >= 0) sync(lock);
    return std::exchange(failure_, 0);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Unlocks for the length of the call, so that no write waits for a slow disk. end() joins the
  // thread before the caller closes the descriptor.
  void sync(std::unique_lock<std::mutex>& lock) {
    const int fd = std::exchange(dirty_fd_, -1);
    int code = 0;
    lock.unlock();
    do {
      code = call_(fd) == 0 ? 0 : errno;
    } while (code == EINTR);
    lock.lock();
    // Counted from the end of the call: a disk that takes seconds for it would do nothing else
    // otherwise.
    due_ = Clock::now() + period_;
    if (code == EINVAL || code == ENOSYS || code == ENOTSUP) {
      exempt_fd_ = fd;
    } else if (failure_ == 0) {
      failure_ = code;
    }
  }

  // Returns false if the system has no thread to give. The thread blocks all signals: they are
  // for the tool's own threads.
  bool begin_thread() {
    if (thread_.joinable()) thread_.join();  // it has set running_ to false, and is ending
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { run(); });
      running_ = true;
    } catch (const std::exception&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return running_;
  }

  // Runs as long as there is something to sync: without writes there is no thread.
  void run() {
    std::unique_lock lock(mutex_);
    while (dirty_fd_ >= 0 && !wake_.wait_until(lock, due_, [this] { return ending_; })) sync(lock);
    running_ = false;
  }

  const Call call_;
  const std::chrono::milliseconds period_;
  std::mutex mutex_;  // guards the fields below, except thread_
  std::condition_variable wake_;
  int dirty_fd_ = -1;   // -1: all is on disk, or being synced
  int exempt_fd_ = -1;  // a descriptor that cannot be synced
  int failure_ = 0;     // an errno not yet returned to the caller
  bool running_ = false;
  bool ending_ = false;
  Clock::time_point due_;
  std::thread thread_;
};

PacedSync::PacedSync(Call call, std::chrono::milliseconds period) : call_(call), period_(period) {}
PacedSync::PacedSync(PacedSync&&) noexcept = default;
PacedSync& PacedSync::operator=(PacedSync&&) noexcept = default;
PacedSync::~PacedSync() = default;

int PacedSync::written(int fd) {
  if (!core_) core_ = std::make_unique<Core>(call_, period_);
  return core_->written(fd);
}

int PacedSync::end() { return core_ ? core_->end() : 0; }

int PacedSync::sync_file(int fd) { return ::fdatasync(fd); }

int PacedSync::sync_file_system(int fd) { return ::syncfs(fd); }

}  // namespace spinneret
