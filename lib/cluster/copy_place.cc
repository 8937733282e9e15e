// SPDX-License-Identifier: Apache-2.0
#include "cluster/copy_place.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"

namespace spinneret::cluster {
namespace {

namespace fs = std::filesystem;

constexpr int kOutput = 1, kErrors = 2;  // descriptors of a child process
constexpr int kLost = 127 << 8;          // the status of a child that cannot be waited for

// The program for a folder. A copy gets its name once it is whole and on disk.
constexpr const char* kFolderProgram = R"(set -e
case $2 in
put) rm -rf -- "$1/$4.part"; cp -R -- "$3" "$1/$4.part"; sync -f -- "$1/$4.part"; mv -T -- "$1/$4.part" "$1/$4" ;;
get) cp -R -- "$1/$3" "$4" ;;
list) ls -- "$1" ;;
drop) rm -rf -- "$1/$3" ;;
esac)";

std::string how(const std::string& what, int status) {
  if (WIFEXITED(status)) {
    const int code = WEXITSTATUS(status);
    return what + (code == 127 ? " cannot be run" : " ended with status " + std::to_string(code));
  }
  return what + " was killed by signal " + std::to_string(WTERMSIG(status));
}

// Starts a program, and returns its process id. `out` is its standard output.
Result<pid_t> start(const std::vector<std::string>& words, int out = kErrors) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how_to;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how_to);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, kOutput);
  // It gets no locks of the state: the next owner would find them held for as long as a copy takes.
  posix_spawn_file_actions_addclosefrom_np(&files, kErrors + 1);
  sigset_t defaults, none;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&how_to, &defaults);
  posix_spawnattr_setsigmask(&how_to, &none);
  posix_spawnattr_setpgroup(&how_to, 0);
  posix_spawnattr_setflags(&how_to,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int code = posix_spawnp(&pid, argv[0], &files, &how_to, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how_to);
  if (code != 0) return system_error("cannot run " + words.front(), code);
  return pid;
}

// Returns the status of a child; no value while it runs.
std::optional<int> status_of(pid_t pid, int options = WNOHANG) {
  int status = 0;
  pid_t ended = 0;
  do ended = waitpid(pid, &status, options);
  while (ended < 0 && errno == EINTR);
  if (ended == 0) return {};
  return ended > 0 ? status : kLost;
}

// Ends a child. Most end by themselves; SIGTERM lets the others clean up before SIGKILL.
int end(pid_t pid) {
  constexpr int kPollMs = 10, kByItselfMs = 5000, kToCleanUpMs = 1000;
  for (int ms = 0; ms < kByItselfMs + kToCleanUpMs; ms += kPollMs) {
    if (ms == kByItselfMs) kill(-pid, SIGTERM);
    if (const std::optional<int> status = status_of(pid)) return *status;
    poll(nullptr, 0, kPollMs);
  }
  kill(-pid, SIGKILL);
  return status_of(pid, 0).value_or(kLost);
}

}  // namespace

Result<ProgramPlace> ProgramPlace::at(const std::string& where, std::function<bool(int ms)> wait) {
  std::error_code code;
  if (fs::is_directory(where, code)) {
    const fs::path whole = fs::absolute(where, code);
    if (access(where.c_str(), W_OK) != 0) return system_error("cannot write " + where, errno);
    return ProgramPlace({"/bin/sh", "-c", kFolderProgram, "copies", whole.string()},
                        std::move(wait));
  }
  if (where.find('/') == std::string::npos || access(where.c_str(), X_OK) != 0)
    return Error{"takes a folder that all machines see, or the path of a program, and " + where +
                 " is neither"};
  return ProgramPlace({where}, std::move(wait));
}

int ProgramPlace::wait_for(pid_t pid) const {
  constexpr int kMostPollMs = 50;
  for (int ms = 1;; ms = std::min(2 * ms, kMostPollMs)) {
    if (const std::optional<int> status = status_of(pid)) return *status;
    if (!wait_(ms)) return end(pid);
  }
}

Status ProgramPlace::run(std::vector<std::string> words, int out) const {
  const std::string what = words_.front() + " " + words.front();
  words.insert(words.begin(), words_.begin(), words_.end());
  const Result<pid_t> pid = start(words, out);
  if (!pid.ok()) return pid.error();
  const int status = wait_for(*pid);
  if (status != 0) return Error{how(what, status)};
  return {};
}

Status ProgramPlace::begin_put(const std::string& folder, const std::string& name) {
  std::vector<std::string> words = words_;
  words.insert(words.end(), {"put", folder, name});
  const Result<pid_t> pid = start(words);
  if (!pid.ok()) return pid.error();
  putting_ = *pid;
  name_ = name;
  return {};
}

std::optional<Status> ProgramPlace::put_ended() {
  if (putting_ == 0) return Status(Error{"no copy is on its way"});
  const std::optional<int> status = status_of(putting_);
  if (!status) return {};
  putting_ = 0;
  if (*status == 0) return Status();
  return Status(
      Error{how("the copy " + name_ + " did not get there: " + words_.front() + " put", *status)});
}

Status ProgramPlace::get(const std::string& name, const std::string& folder) {
  return run({"get", name, folder}, kErrors);
}

Status ProgramPlace::drop(const std::string& name) { return run({"drop", name}, kErrors); }

Status ProgramPlace::list(std::vector<std::string>& names) {
  names.clear();
  // A pipe might stay open in a program that the child has left behind.
  const Fd file(memfd_create("copies", MFD_CLOEXEC));
  if (!file) return system_error("cannot make a file in memory", errno);
  if (const Status ran = run({"list"}, file.get()); !ran.ok()) return ran;
  lseek(file.get(), 0, SEEK_SET);
  const Result<std::string> said = read_descriptor(file.get(), "the list of copies", 64 << 20);
  if (!said.ok()) return said.error();
  std::string_view rest = *said;
  while (!rest.empty()) names.emplace_back(cut(rest, '\n'));
  return {};
}

}  // namespace spinneret::cluster
