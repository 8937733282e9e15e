// SPDX-License-Identifier: Apache-2.0
#include "sched_children.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace spinneret {
namespace {

std::string replaced(std::string word, const std::string& number) {
  for (std::size_t at = 0; (at = word.find("{}", at)) != std::string::npos; at += number.size())
    word.replace(at, 2, number);
  return word;
}

}  // namespace

bool Children::start(std::uint32_t partition, std::int64_t now_ms) {
  std::vector<std::string> words;
  for (const std::string& word : words_) words.push_back(replaced(word, std::to_string(partition)));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return false;
  if (pid > 0) {
    setpgid(pid, pid);
    running_[partition] = {pid, now_ms, false};
    return true;
  }
  // A group of its own, as Ctrl-C is ours to pass on; and it does not outlive us.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(2);
  const int null = ::open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  ::close(null);
  execvp(argv[0], argv.data());
  _exit(127);
}

void Children::end(Child& child) {
  if (!std::exchange(child.ending, true)) kill(-child.pid, SIGTERM);
}

void Children::end_all() {
  for (auto& [partition, child] : running_) end(child);
}

void Children::reap(
    const std::function<void(std::uint32_t partition, const Child& child, int status)>& each) {
  int how = 0;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
    const auto at = std::find_if(running_.begin(), running_.end(),
                                 [pid](const auto& one) { return one.second.pid == pid; });
    if (at == running_.end()) continue;
    const auto [partition, child] = *at;
    running_.erase(at);
    each(partition, child, WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how));
  }
}

}  // namespace spinneret
