// SPDX-License-Identifier: Apache-2.0
#include "sched_node.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "base/number.h"
#include "cli/signals.h"
#include "cluster/channel.h"
#include "lease/resp_leases.h"
#include "loop/driver.h"
#include "sched_partition.h"

namespace spinneret {
namespace {

constexpr std::uint32_t kMostNodes = 64;  // leases of machines, by which they count each other
// A partition whose command ends in trouble rests, from the first of these up to the second.
constexpr std::int64_t kFirstRestMs = 10'000, kLongestRestMs = 600'000;
// So many in a row, and nothing that went well: it is the machine.
constexpr int kMostTroubles = 3;
// Beats after which a command that waits for somebody else's partition is ended, and before which nothing is taken.
constexpr std::int64_t kStandbyBeats = 20, kFirstBeats = 3;

std::string node_name(std::uint32_t slot) { return "node-" + std::to_string(slot); }

std::string replaced(std::string word, const std::string& number) {
  for (std::size_t at = 0; (at = word.find("{}", at)) != std::string::npos; at += number.size())
    word.replace(at, 2, number);
  return word;
}

class Node {
 public:
  Node(cli::Tool& tool, const CrawlEngine& engine)
      : tool_(tool),
        name_(engine.node),
        count_(engine.part.count),
        beat_ms_(std::max<std::int64_t>(engine.ttl_ms / 10, 100)),
        leases_(engine.address, system_clock(), engine.node, engine.ttl_ms) {
    for (std::uint32_t p = 0; p < count_; ++p) names_.push_back(cluster::partition_name(p));
    for (std::uint32_t k = 0; k < kMostNodes; ++k) names_.push_back(node_name(k));
  }

  int run() {
    begun_ms_ = now_ms();
    while (true) {
      const bool known = cli::stop_signal() == 0 && look();
      reap();
      if (cli::stop_signal() != 0) {
        if (children_.empty()) break;
        end_all();
      } else if (known) {
        if (over_ && children_.empty()) break;
        if (troubles_ >= kMostTroubles && children_.empty())
          return tool_.trouble("no partition could be run: see the messages above");
        if (!over_ && troubles_ < kMostTroubles) balance();
      }
      cli::wait_for_stop(static_cast<int>(beat_ms_));
    }
    if (slot_) static_cast<void>(leases_.release(*slot_).ok());  // else it runs out
    return cli::stop_signal() != 0 ? 128 + cli::stop_signal() : status_;
  }

 private:
  struct Child {
    pid_t pid = 0;
    std::int64_t begun_ms = 0;
    bool ending = false;
  };
  struct Rest {
    std::int64_t until_ms = 0, gap_ms = 0;
  };
  std::int64_t now_ms() const { return system_clock().boot_ns() / 1'000'000; }

  // How things stand. False: the engine has not said.
  bool look() {
    Status done = leases_.holders(names_, holders_);
    if (done.ok()) done = keep_slot();
    Result<lease::Rows> crawl =
        done.ok() ? leases_.read("crawl") : Result<lease::Rows>(done.error());
    if (!crawl.ok()) {
      if (!std::exchange(away_, true)) tool_.notice(crawl.message());
      return false;
    }
    away_ = false;
    over_ = crawl->contains("finished");
    const auto owned = std::find_if(holders_.begin(), holders_.begin() + count_,
                                    [](const auto& holder) { return !holder.node.empty(); });
    // Of an earlier run: whoever comes first takes that back.
    if (!std::exchange(looked_, true) && over_ && owned == holders_.begin() + count_) {
      over_ = false;
      return leases_.erase("crawl", "finished").ok();
    }
    return true;
  }

  Status keep_slot() {
    if (slot_) {
      std::vector<lease::Renewed> answers;
      if (const Status done = leases_.renew({&*slot_, 1}, answers); !done.ok()) return done;
      if (answers.front() == lease::Renewed::kHeld) return {};
      slot_.reset();
    }
    for (std::uint32_t k = 0; k < kMostNodes; ++k) {
      if (!holders_[count_ + k].node.empty()) continue;
      const Result<lease::Taken> taken = leases_.take(node_name(k), 0);
      if (!taken.ok()) return taken.error();
      if (!taken->granted) continue;
      slot_ = taken->lease;
      rank_slot_ = k;
      holders_[count_ + k].node = name_;
      return {};
    }
    return Error{"there are " + std::to_string(kMostNodes) + " machines already"};
  }

  // As many for each machine as for any other, give or take one; the first have the one more.
  std::size_t share() const {
    std::uint32_t live = 0, before = 0;
    for (std::uint32_t k = 0; k < kMostNodes; ++k) {
      if (holders_[count_ + k].node.empty()) continue;
      ++live;
      before += k < rank_slot_ ? 1 : 0;
    }
    live = std::max(live, 1U);
    return count_ / live + (before < count_ % live ? 1 : 0);
  }

  bool is_ours(const std::string& node) const {
    const std::string host = name_.substr(0, name_.rfind('.'));
    return node.size() > host.size() && node.starts_with(host) && node[host.size()] == '.';
  }

  void balance() {
    const std::int64_t now = now_ms();
    if (now - begun_ms_ < kFirstBeats * beat_ms_) return;
    std::size_t running = 0;
    bool ending = false;
    for (auto& [p, child] : children_) {
      const bool standby = !holders_[p].node.empty() && !is_ours(holders_[p].node) &&
                           now - child.begun_ms > kStandbyBeats * beat_ms_;
      if (standby) end(child, SIGTERM);
      running += child.ending ? 0 : 1;
      ending = ending || child.ending;
    }
    const std::size_t fair = share();
    for (const std::uint32_t p : by_liking()) {
      if (running >= fair) break;
      const auto rest = rests_.find(p);
      if (children_.contains(p) || !holders_[p].node.empty() ||
          (rest != rests_.end() && rest->second.until_ms > now))
        continue;
      start(p);
      ++running;
    }
    // One after the other: each is away for its quarantine.
    const std::vector<std::uint32_t> liked = by_liking();
    for (auto p = liked.rbegin(); running > fair && !ending && p != liked.rend(); ++p) {
      const auto child = children_.find(*p);
      if (child == children_.end() || child->second.ending) continue;
      tool_.notice("partition " + std::to_string(*p) + " goes to another machine");
      end(child->second, SIGTERM);
      ending = true;
    }
  }

  // Machines begin with different ones, so that they seldom ask for the same.
  std::vector<std::uint32_t> by_liking() const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    for (std::uint32_t p = 0; p < count_; ++p) order.emplace_back(hash64(name_, p), p);
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> out;
    for (const auto& [hash, p] : order) out.push_back(p);
    return out;
  }

  void start(std::uint32_t p) {
    std::vector<std::string> words;
    for (const std::string& word : tool_.options().command())
      words.push_back(replaced(word, std::to_string(p)));
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) {
      tool_.trouble("cannot start a process");
      return;
    }
    if (pid > 0) {
      setpgid(pid, pid);
      children_[p] = {pid, now_ms(), false};
      return;
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

  static void end(Child& child, int signal) {
    if (!std::exchange(child.ending, true) || signal == SIGKILL) kill(-child.pid, signal);
  }
  void end_all() {
    for (auto& [p, child] : children_) end(child, SIGTERM);
  }

  void reap() {
    int how = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
      const auto at = std::find_if(children_.begin(), children_.end(),
                                   [pid](const auto& each) { return each.second.pid == pid; });
      if (at == children_.end()) continue;
      const std::uint32_t p = at->first;
      const bool long_lived = now_ms() - at->second.begun_ms > kStandbyBeats * 2 * beat_ms_;
      const bool asked = at->second.ending;
      children_.erase(at);
      const int status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
      if (status <= loop::kGivenUpStatus && status != 2) {
        status_ = std::max(status_, status);
        troubles_ = 0;
      }
      if (long_lived) troubles_ = 0;
      if (status == 2 || status == 127)
        rest(p, long_lived);
      else if (!asked && status > loop::kGivenUpStatus)
        rests_[p] = {now_ms() + beat_ms_, 0};
    }
  }

  void rest(std::uint32_t p, bool long_lived) {
    // Somebody was faster, and holds the lock of a state that both see.
    const bool taken = !holders_.empty() && !holders_[p].node.empty() && !is_ours(holders_[p].node);
    if (taken) {
      rests_[p] = {now_ms() + beat_ms_, 0};
      return;
    }
    ++troubles_;
    Rest& rest = rests_[p];
    rest.gap_ms =
        long_lived || rest.gap_ms == 0 ? kFirstRestMs : std::min(rest.gap_ms * 2, kLongestRestMs);
    rest.until_ms = now_ms() + rest.gap_ms;
    tool_.notice("partition " + std::to_string(p) + " rests for " + seconds_text(rest.gap_ms) +
                 " s");
  }

  cli::Tool& tool_;
  std::string name_;
  std::uint32_t count_;
  std::int64_t beat_ms_;
  lease::RespLeases leases_;
  std::vector<std::string> names_;
  std::vector<lease::Leases::Holder> holders_;
  std::map<std::uint32_t, Child> children_;
  std::map<std::uint32_t, Rest> rests_;
  std::optional<lease::Lease> slot_;
  std::uint32_t rank_slot_ = 0;
  std::int64_t begun_ms_ = 0;
  bool away_ = false, over_ = false, looked_ = false;
  int troubles_ = 0;
  int status_ = 0;
};

}  // namespace

int run_node(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  if (given.command().empty())
    given.usage_error(
        "--partitions runs a command for each: -- COMMAND, in which {} is its number");
  if (given.has("partition")) given.usage_error("--partition and --partitions exclude each other");
  const CrawlEngine engine = engine_of(given);
  if (const Status signals = cli::install_stop_signals(); !signals.ok())
    return tool.trouble(signals.message());
  return Node(tool, engine).run();
}

}  // namespace spinneret
