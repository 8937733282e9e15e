// SPDX-License-Identifier: Apache-2.0
#include "cli/runs.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "base/ascii.h"

namespace spinneret::cli {
namespace {

// Writes results, in order, and gives refusals their line numbers.
class Emitter {
 public:
  Emitter(Tool& tool, bool records) : tool_(tool), by_writer_(records && !tool.writer().plain()) {}

  // `before` is the number of the line before the run. Returns false if nothing more is wanted.
  bool emit(const RunResult& result, const std::string& name, std::uint64_t before) {
    if (by_writer_) {
      write_records(result.out);
    } else {
      tool_.out().write(result.out);
    }
    if (result.refused.empty()) return !result.stop && !tool_.stopped();
    tool_.hold_notices();
    std::string_view told = result.told;
    for (const auto& [line, reason, bytes] : result.refused) {
      tool_.refuse_at(name, before + line, told.substr(0, reason), told.substr(reason, bytes));
      told.remove_prefix(reason + bytes);
    }
    tool_.release_notices();
    return !result.stop && !tool_.stopped();
  }

 private:
  void write_records(std::string_view lines) {
    while (!lines.empty()) tool_.writer().write_line(cut(lines, tool_.terminator()));
  }

  Tool& tool_;
  bool by_writer_;
};

void clear(RunResult& result) {
  // One huge line must not hold its memory for the rest of the input.
  if (result.out.capacity() > (std::size_t{4} << 20)) std::string().swap(result.out);
  result.out.clear();
  result.refused.clear();
  result.told.clear();
  result.lines = 0;
  result.stop = false;
}

int run_here(Tool& tool, bool records, const RunWork& work) {
  Emitter emitter(tool, records);
  RunResult result;
  std::string_view run;
  while (tool.next_run(run)) {
    clear(result);
    work(run, result);
    const Inputs& inputs = tool.inputs();
    const std::uint64_t before = inputs.line_number() - (inputs.is_argument() ? 1 : 0);
    if (!emitter.emit(result, inputs.name(), before)) break;
    tool.inputs().add_lines(result.lines);
  }
  return tool.status();
}

// One thing that the reading thread found, in the order of the input: a run, a refused line, or
// trouble.
struct Job {
  enum class Kind { kRun, kRefused, kTrouble };
  Kind kind = Kind::kRun;
  std::string name;
  std::size_t operand = 0;
  std::uint64_t line = 0;  // for a line refused in a table; otherwise write() counts
  std::string bytes;       // the run, or the message
  RunResult result;
  bool done = false;
};

// One thread reads, several work, and the caller's thread writes. Jobs are in one queue, in the
// order of the input.
class Pool {
 public:
  Pool(Tool& tool, unsigned jobs, bool records, const std::function<RunWork()>& make_work)
      : tool_(tool), emitter_(tool, records), most_jobs_(std::size_t{4} * jobs) {
    for (unsigned i = 0; i < jobs; ++i) {
      threads_.emplace_back([this, work = make_work()] { work_on_jobs(work); });
    }
    threads_.emplace_back([this] { read_all(); });
  }

  // Returns false if the reading thread may be blocked in a read. The pool must then stay alive,
  // since that thread uses it when it wakes.
  bool run() {
    bool more = true;
    while (const std::shared_ptr<Job> job = next_done()) {
      more = write(*job);
      if (!more) break;
    }
    end();
    // A read from a pipe that brings nothing more would block the join: it is left to end with the
    // process.
    if (!more) threads_.back().detach();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    return more;
  }

 private:
  // Returns the oldest job, once it is done; nullptr when all are done.
  std::shared_ptr<Job> next_done() {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return jobs_.empty() ? read_all_ : jobs_.front()->done; };
    if (!ready()) {
      // Output that is ready must not wait as well.
      lock.unlock();
      tool_.out().flush();
      lock.lock();
      changed_.wait(lock, ready);
    }
    if (jobs_.empty()) return nullptr;
    std::shared_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    if (next_ > 0) --next_;
    changed_.notify_all();
    return job;
  }

  bool write(const Job& job) {
    if (job.kind == Job::Kind::kTrouble) {
      tool_.trouble(job.bytes);
      return !tool_.stopped();
    }
    if (job.operand != operand_) lines_ = 0;
    operand_ = job.operand;
    if (job.kind == Job::Kind::kRefused) {
      ++lines_;
      tool_.refuse_at(job.name, job.line != 0 ? job.line : lines_, job.bytes, {});
      return !tool_.stopped();
    }
    const bool more = emitter_.emit(job.result, job.name, lines_);
    lines_ += job.result.lines;
    return more;
  }

  void work_on_jobs(const RunWork& work) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ended_ || next_ < jobs_.size(); });
      if (ended_) return;
      const std::shared_ptr<Job> job = jobs_[next_++];
      if (job->kind != Job::Kind::kRun) continue;
      lock.unlock();
      work(job->bytes, job->result);
      lock.lock();
      job->done = true;
      changed_.notify_all();
    }
  }

  void read_all() {
    LineReader::Options reading;
    reading.terminator = tool_.terminator();
    reading.max_line = tool_.options().size("max-line", reading.max_line);
    Inputs inputs(
        tool_.operands(), std::move(reading),
        {[&](const std::string& message) { push(Job::Kind::kTrouble, message, nullptr); },
         [&](const std::string& message) { push(Job::Kind::kRefused, message, &inputs); }},
        tool_.line_test(), tool_.table());
    std::string_view run;
    while (inputs.next_run(run) && push(Job::Kind::kRun, run, &inputs)) {
    }
    const std::lock_guard lock(mutex_);
    read_all_ = true;
    changed_.notify_all();
  }

  // Returns false if nothing more is wanted.
  bool push(Job::Kind kind, std::string_view bytes, const Inputs* inputs) {
    auto job = std::make_shared<Job>();
    job->kind = kind;
    job->bytes = bytes;
    job->done = kind != Job::Kind::kRun;
    if (inputs != nullptr) {
      job->name = inputs->name();
      job->operand = inputs->operand();
      if (tool_.table() != nullptr) job->line = inputs->line_number();
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || jobs_.size() < most_jobs_; });
    if (ended_) return false;
    jobs_.push_back(std::move(job));
    changed_.notify_all();
    return true;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  Tool& tool_;
  Emitter emitter_;
  const std::size_t most_jobs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::size_t next_ = 0;  // index of the first job that no worker has taken
  bool read_all_ = false;
  bool ended_ = false;
  std::size_t operand_ = 0;
  std::uint64_t lines_ = 0;  // lines of the current operand written so far
  std::vector<std::thread> threads_;
};

}  // namespace

int for_each_run(Tool& tool, unsigned jobs, bool records,
                 const std::function<RunWork()>& make_work) {
  if (jobs <= 1) return run_here(tool, records, make_work());
  auto pool = std::make_unique<Pool>(tool, jobs, records, make_work);
  if (!pool->run()) static_cast<void>(pool.release());
  return tool.status();
}

}  // namespace spinneret::cli
