// SPDX-License-Identifier: Apache-2.0
#include "loop/ends.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "cli/signals.h"

namespace spinneret::loop {
namespace {

constexpr std::int64_t kSliceMs = 100;

LineReader::Options reading(const EndsOptions& options) {
  LineReader::Options out;
  out.terminator = options.terminator;
  out.max_line = options.max_line;
  out.wait = false;
  out.unterminated = false;
  return out;
}

Result<bool> wait_for(int output, int input, bool stoppable, std::int64_t timeout_ms) {
  pollfd fds[3] = {
      {output, POLLIN, 0}, {input, POLLOUT, 0}, {stoppable ? cli::stop_fd() : -1, POLLIN, 0}};
  const int ready = poll(fds, 3, static_cast<int>(timeout_ms));
  if (ready < 0 && errno != EINTR) return system_error("cannot wait", errno);
  return ready > 0 && (fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
}

class ChildEnds : public Ends {
 public:
  ChildEnds(std::vector<std::string> command, std::string lock_path, const EndsOptions& options,
            std::unique_ptr<Pipeline> begun)
      : command_(std::move(command)),
        lock_path_(std::move(lock_path)),
        options_(options),
        pipeline_(std::move(begun)) {}

  bool renewable() const override { return true; }
  Status start() override {
    if (!pipeline_) {
      Result<std::unique_ptr<Pipeline>> started = Pipeline::start(command_, lock_path_);
      if (!started.ok()) return started.error();
      pipeline_ = started.take();
    }
    reader_.emplace(pipeline_->output(), reading(options_));
    return {};
  }
  bool running() const override { return pipeline_ != nullptr; }
  bool takes() const override { return input() >= 0; }
  Result<bool> wait(bool wanted, bool stoppable, std::int64_t timeout_ms) override {
    return wait_for(pipeline_ ? pipeline_->output() : -1, wanted ? input() : -1, stoppable,
                    timeout_ms);
  }
  LineReader::Event read(std::string_view& run) override { return reader_->next_run(run); }
  int read_error() const override { return reader_->error_code(); }
  int write(Outlet& lines) override { return lines.write_some(input(), /*shared=*/false); }
  void close_input() override {
    if (pipeline_) pipeline_->close_input();
  }
  void signal(int number) override {
    if (pipeline_) pipeline_->signal(number);
  }
  pid_t group() const override { return pipeline_ ? pipeline_->group() : -1; }
  End end(std::int64_t patience_ms) override {
    if (!pipeline_) return {};
    pipeline_->close_input();
    // Waits up to kEndMs in one piece; any longer wait is cut short by a stop signal.
    std::int64_t waited = std::min(patience_ms, kEndMs);
    bool ended = pipeline_->wait_for_end(waited);
    for (; !ended && waited < patience_ms && cli::stop_signal() == 0; waited += kSliceMs)
      ended = pipeline_->wait_for_end(kSliceMs);
    if (!ended) {
      pipeline_->signal(SIGKILL);
      pipeline_->wait_for_end(kEndMs);
    }
    End out{pipeline_->ended_well(), pipeline_->how_it_ended(), pipeline_->failed()};
    pipeline_.reset();
    return out;
  }

 private:
  int input() const { return pipeline_ ? pipeline_->input() : -1; }

  std::vector<std::string> command_;
  std::string lock_path_;
  EndsOptions options_;
  std::unique_ptr<Pipeline> pipeline_;
  std::optional<LineReader> reader_;
};

class StandardEnds : public Ends {
 public:
  explicit StandardEnds(const EndsOptions& options) : reader_(STDIN_FILENO, reading(options)) {}

  bool renewable() const override { return false; }
  Status start() override { return {}; }
  bool running() const override { return !ended_; }
  bool takes() const override { return open_; }
  Result<bool> wait(bool wanted, bool stoppable, std::int64_t timeout_ms) override {
    return wait_for(ended_ ? -1 : STDIN_FILENO, wanted && open_ ? STDOUT_FILENO : -1, stoppable,
                    timeout_ms);
  }
  LineReader::Event read(std::string_view& run) override { return reader_.next_run(run); }
  int read_error() const override { return reader_.error_code(); }
  int write(Outlet& lines) override { return lines.write_some(STDOUT_FILENO, /*shared=*/true); }
  // Closing standard output tells the other end; /dev/null takes the place of the descriptor.
  void close_input() override {
    if (!std::exchange(open_, false)) return;
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null, STDOUT_FILENO);
    ::close(null);
  }
  // There is no child to signal. Results that are not back yet are not waited for.
  void signal(int number) override {
    static_cast<void>(number);
    ended_ = true;
  }
  pid_t group() const override { return -1; }
  End end(std::int64_t patience_ms) override {
    static_cast<void>(patience_ms);
    ended_ = true;
    return {};
  }

 private:
  LineReader reader_;
  bool open_ = true;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Ends> child_ends(std::vector<std::string> command, std::string lock_path,
                                 const EndsOptions& options, std::unique_ptr<Pipeline> begun) {
  return std::make_unique<ChildEnds>(std::move(command), std::move(lock_path), options,
                                     std::move(begun));
}

std::unique_ptr<Ends> standard_ends(const EndsOptions& options) {
  return std::make_unique<StandardEnds>(options);
}

}  // namespace spinneret::loop
