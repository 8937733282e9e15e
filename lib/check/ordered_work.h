// SPDX-License-Identifier: Apache-2.0
// Work of several threads, whose results one thread takes in the order of the tasks, so that the
// output does not depend on the number of threads.
//
//   OrderedWork<Task> tasks(workers, [](std::size_t worker, Task& task) { ... },
//                           [](Task& task, bool is_done) { ... });
//   Task& task = tasks.begin();   // to be filled; it has the content of an earlier task
//   tasks.commit(true, size);     // may call `take` for earlier tasks
//   tasks.finish();
//
// The owner's thread makes all calls and receives all results; it works as well, instead of
// waiting. Work ahead is bounded in number and in bytes. A task larger than kMaxSize is not done
// ahead, and is given to `take` with is_done false; so are all tasks if there are no workers.
// Threads start only when the work ahead exceeds kWorthThreads bytes. An exception in a worker is
// rethrown where its task is taken.
#ifndef SPINNERET_CHECK_ORDERED_WORK_H_
#define SPINNERET_CHECK_ORDERED_WORK_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace spinneret::check {

template <class Task>
class OrderedWork {
 public:
  static constexpr std::size_t kTasks = 512;
  static constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{2} << 20;  // of all work ahead
  static constexpr std::uint64_t kWorthThreads = std::uint64_t{1} << 17;

  using Work = std::function<void(std::size_t worker, Task& task)>;
  using Take = std::function<void(Task& task, bool is_done)>;

  // `workers` is the number of threads besides the owner. The owner has number 0, the workers count
  // from 1.
  OrderedWork(std::size_t workers, Work work, Take take)
      : workers_(workers), work_(std::move(work)), take_(std::move(take)), slots_(kTasks) {}
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;
  ~OrderedWork() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    given_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  Task& begin() {
    if (end_ - first_ == slots_.size()) take_oldest();
    return at(end_).task;
  }

  // Without `has_work` the task only waits for its turn.
  void commit(bool has_work, std::uint64_t size) {
    Slot& slot = at(end_);
    slot.size = size;
    bytes_ += size;
    const bool is_late = workers_ == 0 || size > kMaxSize;
    const State state = !has_work ? State::kDone : is_late ? State::kLate : State::kWaiting;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      slot.state = state;
      ++end_;
    }
    if (threads_.empty() && workers_ != 0 && bytes_ > kWorthThreads) start();
    if (state == State::kWaiting) given_.notify_one();
    while (bytes_ > kMaxBytes) take_oldest();
  }

  void finish() {
    while (first_ != end_) take_oldest();
  }

 private:
  enum class State : std::uint8_t { kWaiting, kClaimed, kDone, kLate };
  struct Slot {
    Task task;
    State state = State::kDone;
    std::uint64_t size = 0;
    std::exception_ptr fault;
  };
  using Lock = std::unique_lock<std::mutex>;

  Slot& at(std::uint64_t number) { return slots_[number % slots_.size()]; }

  void start() {
    try {
      for (std::size_t worker = 1; worker <= workers_; ++worker)
        threads_.emplace_back([this, worker] { run(worker); });
    } catch (const std::system_error&) {
      // If the system gives fewer threads, the owner does the rest of the work.
      workers_ = threads_.size();
    }
  }

  // Returns the next task that nobody has begun; nullptr if there is none.
  Slot* claim() {
    for (claimed_ = std::max(claimed_, first_); claimed_ != end_; ++claimed_) {
      if (at(claimed_).state != State::kWaiting) continue;
      at(claimed_).state = State::kClaimed;
      return &at(claimed_++);
    }
    return nullptr;
  }

  void work_on(Slot& slot, std::size_t worker, Lock& lock) {
    lock.unlock();
    try {
      work_(worker, slot.task);
    } catch (...) {
      slot.fault = std::current_exception();
    }
    lock.lock();
    slot.state = State::kDone;
  }

  void run(std::size_t worker) {
    Lock lock(mutex_);
    while (!stop_) {
      if (Slot* const slot = claim()) {
        work_on(*slot, worker, lock);
        done_.notify_one();
      } else {
        given_.wait(lock);
      }
    }
  }

  void take_oldest() {
    Slot& slot = at(first_);
    Lock lock(mutex_);
    while (slot.state == State::kWaiting || slot.state == State::kClaimed) {
      if (Slot* const other = claim())
        work_on(*other, 0, lock);
      else
        done_.wait(lock);
    }
    const bool is_done = slot.state == State::kDone;
    ++first_;
    lock.unlock();
    bytes_ -= slot.size;
    if (slot.fault) std::rethrow_exception(std::exchange(slot.fault, nullptr));
    take_(slot.task, is_done);
  }

  std::size_t workers_;
  Work work_;
  Take take_;
  std::vector<Slot> slots_;
  std::vector<std::thread> threads_;
  std::uint64_t bytes_ = 0;  // bytes of all work ahead
  std::mutex mutex_;         // guards the following members, and the states of slots
  std::condition_variable given_;
  std::condition_variable done_;
  std::uint64_t first_ = 0;    // the oldest task that was not taken yet
  std::uint64_t claimed_ = 0;  // all tasks before this one have been begun
  std::uint64_t end_ = 0;
  bool stop_ = false;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_ORDERED_WORK_H_
