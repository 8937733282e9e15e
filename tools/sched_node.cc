// SPDX-License-Identifier: Apache-2.0
#include "sched_node.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "cli/signals.h"
#include "cluster/household.h"
#include "cluster/quota.h"
#include "cluster/rests.h"
#include "loop/driver.h"
#include "loop/enquiry.h"
#include "loop/seeds.h"
#include "loop/shares.h"
#include "loop/stage_ledger.h"
#include "loop/voice.h"
#include "report/page_log.h"
#include "sched_holding.h"
#include "sched_partition.h"
#include "sched_progress.h"
#include "sched_roster.h"
#include "sched_settings.h"

namespace spinneret {
namespace {

// Beats after which nobody waits any more for somebody else's partition, before which nothing is taken, and after which one has
// run for long.
constexpr std::int64_t kStandbyBeats = 20, kFirstBeats = 3, kLongBeats = 40;
// What a partition that is handed over has in flight comes back by then, or is asked again by its next owner.
constexpr std::int64_t kLeaveMs = 5000;
// Of the blocks of all states: four times that of a crawl which has one.
constexpr std::size_t kCacheBytes = std::size_t{64} << 20;

class Node : public loop::Landlord {
 public:
  Node(const Estate& estate, Mailbox& mailbox, loop::Voice& voice, report::PageLog* log)
      : estate_(estate),
        mailbox_(mailbox),
        voice_(voice),
        log_(log),
        beat_ms_(std::max<std::int64_t>(estate.engine.ttl_ms / 10, 100)),
        roster_(estate.engine, estate.terms.text),
        quota_(estate.frontier.max_pages),
        begun_ms_(now_ms()) {}

  // Why nothing more is done here: a signal, or that this machine is to leave.
  int stop_signal() const { return roster_.draining() ? SIGTERM : cli::stop_signal(); }
  bool over() override { return ended_ && holdings_.empty(); }

  bool look(loop::Shares& shares) override {
    speak();
    const bool restart = move_on(shares);
    const std::int64_t now = now_ms();
    if (now < look_ms_) {
      measure(shares);
      return restart;
    }
    look_ms_ = now + beat_ms_;
    const bool known =
        roster_.look_around([this](const std::string& text) { voice_.notice(text); });
    if (const std::optional<Error>& refused = roster_.refused(); refused && !ended_)
      status_ = estate_.tool.trouble(refused->message);
    // An engine that is away has been told of.
    if (known && quota_.limits()) static_cast<void>(roster_.look_at(quota_, asked(shares)).ok());
    measure(shares);
    heed_what_goes_on();
    const bool hopeless = rests_.hopeless() && holdings_.empty();
    if (hopeless && !ended_)
      status_ = estate_.tool.trouble("no partition could be run: see the messages above");
    ended_ = roster_.refused() || hopeless || (known && roster_.is_over());
    if (ended_ || stop_signal() != 0) {
      for (auto& [p, holding] : holdings_) holding->cancel();
    } else if (known && !rests_.hopeless()) {
      balance();
    }
    return restart;
  }

  std::uint64_t room() override { return room_; }

  void give_up(loop::Share& share, bool lost) override {
    share.give_up();
    given_up_.emplace(share.partition(), lost);
  }

  // Behind the end of the run, which ended with `status`.
  int leave(loop::Shares& shares, int status) {
    for (auto& [p, holding] : holdings_) {
      loop::Share* const share = holding->share();
      if (share == nullptr) {
        holding->cancel();
        continue;
      }
      shares.remove(*share);
      say_last_words(*share);
      holding->go(0, share->goes_on());
    }
    for (auto& [p, holding] : holdings_) {
      while (holding->stage() == Holding::Stage::kComing) poll(nullptr, 0, 10);
      // It came all the same, and nobody has met it.
      if (holding->stage() == Holding::Stage::kHere) holding->go(0, /*closed=*/false);
      while (holding->stage() != Holding::Stage::kGone) poll(nullptr, 0, 10);
      speak();
      if (holding->status() == 2) status = std::max(status, 2);
    }
    holdings_.clear();
    roster_.leave();
    if (cli::stop_signal() != 0) return 128 + cli::stop_signal();
    // What was given up counts, on whichever machine its partition was.
    if (status == 0 && status_ == 0 && !roster_.refused() && !roster_.draining() &&
        roster_.gave_up([this](const std::string& text) { voice_.notice(text); }))
      status = loop::kGivenUpStatus;
    return std::max(status_, roster_.draining() && status > 128 ? 0 : status);
  }

 private:
  std::int64_t now_ms() const { return system_clock().boot_ns() / 1'000'000; }

  void speak() {
    for (const std::string& text : mailbox_.take()) voice_.notice(text);
  }

  // What its partitions have asked for.
  static cluster::Quota::Own asked(const loop::Shares& shares) {
    cluster::Quota::Own own;
    for (loop::Share* const share : shares)
      own[share->partition()] = {share->pages(), share->in_flight()};
    return own;
  }

  void measure(const loop::Shares& shares) {
    if (!quota_.limits()) return;
    room_ = quota_.room(asked(shares));
    const auto hold = quota_.reached() ? loop::Share::Hold::kEnds
                      : room_ == 0     ? loop::Share::Hold::kWaits
                                       : loop::Share::Hold::kNone;
    for (loop::Share* const share : shares) share->hold(hold);
  }

  void say_last_words(const loop::Share& share) {
    const std::string words = share.last_words();
    if (!words.empty()) voice_.notice(words);
  }

  // Who has come is let in, who is to go is let go, and who is gone is counted. True: see Landlord.
  bool move_on(loop::Shares& shares) {
    bool restart = false;
    for (auto at = holdings_.begin(); at != holdings_.end();) {
      Holding& holding = *at->second;
      if (holding.stage() == Holding::Stage::kHere) {
        if (holding.share() == nullptr) {
          loop::Share& share = holding.enter(voice_, log_);
          quota_.enter(at->first, share.pages());
          shares.add(share);
        } else {
          restart = let_go(shares, at->first, holding) || restart;
        }
      }
      if (holding.stage() != Holding::Stage::kGone) {
        ++at;
        continue;
      }
      count(at->first, holding);
      leaving_since_.erase(at->first);
      at = holdings_.erase(at);
    }
    return restart;
  }

  void remove(loop::Shares& shares, loop::Share& share) {
    shares.remove(share);
    quota_.left();
  }

  // True: it goes with links in the pipeline.
  bool let_go(loop::Shares& shares, std::uint32_t p, Holding& holding) {
    loop::Share& share = *holding.share();
    const auto given_up = given_up_.find(p);
    if (given_up != given_up_.end()) {
      const bool lost = given_up->second;
      given_up_.erase(given_up);
      remove(shares, share);
      holding.go(lost ? loop::kLeaseLostStatus : 2, /*closed=*/false);
      return true;
    }
    const auto since = leaving_since_.find(p);
    if (since == leaving_since_.end()) return false;
    const bool late = now_ms() - since->second >= kLeaveMs;
    if (share.in_flight() != 0 && !late) return false;
    const bool restart = share.in_flight() != 0;
    remove(shares, share);
    const Status closed = share.close();
    if (!closed.ok()) voice_.notice(closed.message());
    say_last_words(share);
    // Hosts that were given up its next owner tries again, and reports; seeds it does not.
    if (share.frontier().statistics().seeds_unreached != 0) {
      const Status told = roster_.tell_unreached();
      if (!told.ok()) voice_.notice(told.message());
    }
    holding.go(closed.ok() ? 128 + SIGTERM : 2, closed.ok());
    return restart;
  }

  void balance() {
    const std::int64_t now = now_ms();
    if (now - begun_ms_ < kFirstBeats * beat_ms_) return;
    std::size_t running = 0;
    for (auto& [p, holding] : holdings_) {
      const bool standby =
          roster_.is_elsewhere(p) && now - holding->begun_ms() > kStandbyBeats * beat_ms_;
      if (standby && holding->stage() == Holding::Stage::kComing) holding->cancel();
      const bool ending = holding->stage() >= Holding::Stage::kGoing || leaving_since_.contains(p);
      running += ending || standby ? 0 : 1;
    }
    const std::vector<std::uint32_t> liked = roster_.by_liking();
    const std::size_t fair = roster_.fair_share();
    for (const std::uint32_t p : liked) {
      if (running >= fair && !roster_.is_pinned_here(p)) break;
      if (holdings_.contains(p) || !roster_.is_free(p) || roster_.is_pinned_elsewhere(p) ||
          rests_.rests(p, now))
        continue;
      holdings_[p] = std::make_unique<Holding>(estate_, p, now);
      ++running;
    }
    hand_over(liked, running, fair, now);
  }

  // One after the other: each is away for its quarantine.
  void hand_over(const std::vector<std::uint32_t>& liked, std::size_t running, std::size_t fair,
                 std::int64_t now) {
    if (!leaving_since_.empty()) return;
    for (auto p = liked.rbegin(); p != liked.rend(); ++p) {
      const auto at = holdings_.find(*p);
      if (at == holdings_.end() || at->second->stage() >= Holding::Stage::kGoing ||
          (running <= fair && !roster_.is_pinned_elsewhere(*p)))
        continue;
      voice_.notice("partition " + std::to_string(*p) + " goes to another machine");
      leaving_since_[*p] = now;
      if (at->second->share() != nullptr) {
        at->second->share()->leave();
      } else {
        at->second->cancel();
      }
      return;
    }
  }

  bool has_lived_long(const Holding& holding) const {
    return now_ms() - holding.begun_ms() > kLongBeats * beat_ms_;
  }

  void heed_what_goes_on() {
    const bool well = std::any_of(holdings_.begin(), holdings_.end(), [this](const auto& each) {
      return each.second->stage() == Holding::Stage::kHere && has_lived_long(*each.second);
    });
    if (well) rests_.goes_well();
    if (rests_.any(now_ms())) rests_.heed(roster_.states());
  }

  void count(std::uint32_t p, const Holding& holding) {
    const int status = holding.status();
    const bool lived_long = has_lived_long(holding);
    if (lived_long || (status <= loop::kGivenUpStatus && status != 2)) rests_.goes_well();
    // Or somebody was faster, and holds the lock of a state that both see.
    if (status == loop::kLeaseLostStatus || (status == 2 && roster_.is_elsewhere(p))) {
      rests_.pause(p, now_ms() + beat_ms_);
    } else if (status == 2) {
      const std::int64_t gap = rests_.trouble(p, now_ms(), lived_long);
      voice_.notice("partition " + std::to_string(p) + " rests for " + seconds_text(gap) + " s");
    }
  }

  const Estate& estate_;
  Mailbox& mailbox_;
  loop::Voice& voice_;
  report::PageLog* log_;
  std::int64_t beat_ms_;
  Roster roster_;
  std::map<std::uint32_t, std::unique_ptr<Holding>> holdings_;
  std::map<std::uint32_t, bool> given_up_;  // and whether the lease was lost
  std::map<std::uint32_t, std::int64_t> leaving_since_;
  cluster::Rests rests_;
  cluster::Quota quota_;
  std::uint64_t room_ = UINT64_MAX;
  std::int64_t begun_ms_ = 0, look_ms_ = 0;
  bool ended_ = false;
  int status_ = 0;
};

// Where a machine keeps what is of its pipeline, beside the states of its partitions: `crawl/p{}/frontier` is crawl/node-NAME.
std::string folder_of(const std::string& state, const std::string& node) {
  const std::string before = state.substr(0, state.find("{}"));
  const std::size_t slash = before.rfind('/');
  return (slash == std::string::npos ? "" : before.substr(0, slash + 1)) + "node-" +
         node.substr(0, node.rfind('.'));
}

void check_names(const cli::Options& given) {
  if (given.command().empty())
    given.usage_error("--partitions runs one pipeline for all of them: -- COMMAND");
  if (given.has("partition")) given.usage_error("--partition and --partitions exclude each other");
  for (const char* const name : {"state", "report-file", "metrics", "stats", "checkpoint"}) {
    if ((given.has(name) || std::string_view(name) == "state") &&
        given.get(name).find("{}") == std::string::npos)
      given.usage_error("--" + std::string(name) +
                        " wants {} in its name, where the number of the partition goes");
  }
  // As they were called when each had a scheduler, and a pipeline, of its own.
  for (const std::string& word : given.command()) {
    if (word.starts_with("--partition={}"))
      given.usage_error("one command serves all partitions: {} in " + word +
                        " has no number to stand for");
  }
}

}  // namespace

int run_node(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  check_names(given);
  const CrawlEngine engine = engine_of(given);
  Mailbox mailbox;
  cluster::Household household;
  Estate estate{tool,
                engine,
                terms_of(given, engine),
                frontier_options(given),
                {},
                [&mailbox](const std::string& text) { mailbox.put(text); },
                beater_of(engine),
                frontier::make_block_cache(kCacheBytes),
                household};
  estate.retried = loop::outcomes_of(given, "retry", &estate.retries_failed);
  const std::string folder = folder_of(given.get("state"), engine.node);
  const loop::DriverOptions usual = driver_options(given, folder);
  if (const Status signals = cli::install_stop_signals(); !signals.ok())
    return tool.trouble(signals.message());
  if (const Status made = make_directories(folder); !made.ok()) return tool.trouble(made.message());
  const Result<FileLock> lock = FileLock::acquire(folder + "/node.lock");
  if (!lock.ok()) return tool.trouble(lock.message());
  // Each is looked at once, and offered to all partitions.
  if (!given.operands().empty()) estate.seeds = loop::read_seeds(tool);
  if (tool.stopped()) return 1;
  std::optional<report::PageLog> log;
  if (given.has("log")) {
    Result<report::PageLog> opened = report::PageLog::open(given.get("log"));
    if (!opened.ok()) return tool.trouble(opened.message());
    log = opened.take();
  }
  frontier::Company company(estate.frontier.in_flight);
  estate.frontier.company = &company;
  loop::Progress progress =
      make_progress(tool, estate.frontier.politeness, /*max_pages=*/0);  // which is of a partition
  loop::Voice voice(tool, progress, /*shows_records=*/true);
  loop::StageLedger stages(folder + "/stages");
  loop::Shares shares(voice, &estate.terms.partitions);
  Node node(estate, mailbox, voice, log ? &*log : nullptr);
  loop::DriverOptions driving = usual;
  driving.landlord = &node;
  driving.stop_signal = [&node] { return node.stop_signal(); };
  const std::unique_ptr<loop::Ends> ends = ends_of(tool, folder, nullptr);
  const int status =
      loop::Driver(*ends, shares, voice, system_clock(), stages, std::move(driving)).run();
  return node.leave(shares, status);
}

}  // namespace spinneret
