// SPDX-License-Identifier: Apache-2.0
#include "loop/pipeline.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/number.h"

#ifndef F_SETPIPE_SZ
#define F_SETPIPE_SZ 1031
#endif

namespace spinneret::loop {
namespace {

constexpr int kPipeBytes = 1 << 20;
constexpr int kLeftoverMs = 10'000;  // for its end
constexpr int kLowestLockFd = 64;    // above the numbers that shells use
constexpr int kLowestFreeFd = 20;    // above those that shells commonly use

struct Pipe {
  Fd read_end;
  Fd write_end;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot make a pipe", errno);
  // A larger pipe halves the cost of passing data on; where that is not allowed the pipe works as
  // it is.
  fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

void sleep_ms(int milliseconds) { poll(nullptr, 0, milliseconds); }

// The lock is held by the stages of a pipeline whose scheduler is dead: kills them. The held lock
// proves that the process group is still theirs.
void kill_leftover(int fd) {
  char text[32] = {};
  const ssize_t got = pread(fd, text, sizeof text - 1, 0);
  std::string_view digits(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  digits = digits.substr(0, digits.find('\n'));
  const std::optional<std::uint64_t> group = parse_unsigned(digits);
  if (group && *group > 1 && *group < (1U << 30)) kill(-static_cast<pid_t>(*group), SIGKILL);
}

Result<Fd> take_lock(const std::string& path) {
  if (path.empty()) return Fd();
  Result<Fd> file = open_file(path, O_RDWR | O_CREAT);
  if (!file.ok()) return file;
  Result<bool> locked = lock_file(file->get(), path, /*wait_ms=*/0);
  if (locked.ok() && !*locked) {
    kill_leftover(file->get());
    locked = lock_file(file->get(), path, kLeftoverMs);
  }
  if (!locked.ok()) return locked.error();
  if (!*locked) {
    return Error{"a pipeline of an earlier run still holds " + path + ": end it (fuser " + path +
                 " names it)"};
  }
  Fd high(fcntl(file->get(), F_DUPFD_CLOEXEC, kLowestLockFd));
  // Where the limit allows no number so high (ulimit -n 64), the lowest free number above 20 will
  // do.
  if (!high && errno == EINVAL) high = Fd(fcntl(file->get(), F_DUPFD_CLOEXEC, kLowestFreeFd));
  // Where even that number is too high, fcntl(2) reports EINVAL; EMFILE names the real cause, the
  // limit.
  if (!high) return system_error("cannot lock " + path, errno == EINVAL ? EMFILE : errno);
  return high;
}

// Writes the id of this process, which is its group's id, into the lock file. Returns 0 or an
// errno.
int sign(int lock) {
  char text[16];
  char* at = text + sizeof text;
  *--at = '\n';
  for (pid_t rest = getpid(); rest != 0; rest /= 10) *--at = static_cast<char>('0' + rest % 10);
  const auto size = static_cast<std::size_t>(text + sizeof text - at);
  if (ftruncate(lock, 0) != 0) return errno;
  const ssize_t put = pwrite(lock, at, size, 0);
  if (put == static_cast<ssize_t>(size)) return 0;
  return put < 0 ? errno : ENOSPC;
}

// Runs in the child, so it makes only async-signal-safe calls. The child signs the lock, since the
// parent may be killed at any moment. A failure is reported as an errno, negative if it concerns
// the lock.
[[noreturn]] void become(char* const* argv, int in, int out, int lock, int report) {
  setpgid(0, 0);
  int code = lock >= 0 ? -sign(lock) : 0;
  // The stages inherit the lock. Programs that other threads start meanwhile do not, as it is
  // close-on-exec there.
  if (lock >= 0 && code == 0 && fcntl(lock, F_SETFD, 0) != 0) code = errno;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_DFL);
  if (code == 0) {
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) execvp(argv[0], argv);
    code = errno;
  }
  [[maybe_unused]] const ssize_t put = ::write(report, &code, sizeof code);
  _exit(127);
}

// Returns the error that become() has reported, or 0.
int start_error(int fd) {
  int code = 0;
  ssize_t got = 0;
  do {
    got = ::read(fd, &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof code) ? code : 0;
}

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::start(const std::vector<std::string>& command,
                                                  const std::string& lock_path) {
  Result<Fd> lock = take_lock(lock_path);
  if (!lock.ok()) return lock.error();
  Result<Pipe> to = make_pipe();
  if (!to.ok()) return to.error();
  Result<Pipe> from = make_pipe();
  if (!from.ok()) return from.error();
  Result<Pipe> report = make_pipe();
  if (!report.ok()) return report.error();
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) return system_error("cannot start " + command[0], errno);
  if (child == 0) {
    become(argv.data(), to->read_end.get(), from->write_end.get(), lock->get(),
           report->write_end.get());
  }
  setpgid(child, child);  // parent and child both do this: either may be first
  std::unique_ptr<Pipeline> made(new Pipeline);
  made->child_ = child;
  report->write_end = Fd();
  if (const int code = start_error(report->read_end.get()); code != 0) {
    if (code < 0) return system_error("cannot write " + lock_path, -code);
    return system_error("cannot run " + command[0], code);
  }
  made->input_ = std::move(to->write_end);
  made->output_ = std::move(from->read_end);
  for (const int fd : {made->input(), made->output()}) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  return made;
}

Pipeline::~Pipeline() {
  input_ = Fd();
  output_ = Fd();
  if (child_ <= 0) return;
  // A stage may have outlived the child, which was its shell.
  signal(SIGKILL);
  if (!reaped_) waitpid(child_, &status_, 0);
}

void Pipeline::signal(int number) const { kill(-child_, number); }

bool Pipeline::ended() {
  if (reaped_) return true;
  const pid_t got = waitpid(child_, &status_, WNOHANG);
  reaped_ = got == child_ || (got < 0 && errno == ECHILD);
  return reaped_;
}

bool Pipeline::wait_for_end(std::int64_t milliseconds) {
  for (std::int64_t waited = 0; !ended(); waited += 5) {
    if (waited >= milliseconds) return false;
    sleep_ms(5);
  }
  return true;
}

std::string Pipeline::how_it_ended() const {
  if (WIFSIGNALED(status_)) return "was killed by signal " + std::to_string(WTERMSIG(status_));
  return "ended with status " + std::to_string(WEXITSTATUS(status_));
}

bool Pipeline::failed() const { return WIFEXITED(status_) && WEXITSTATUS(status_) > 1; }

bool Pipeline::ended_well() const { return WIFEXITED(status_) && WEXITSTATUS(status_) <= 1; }

}  // namespace spinneret::loop
