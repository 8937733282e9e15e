// SPDX-License-Identifier: Apache-2.0
#include "sched_partition.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cli/signals.h"
#include "cluster/begun.h"
#include "cluster/channel.h"
#include "cluster/takes.h"
#include "frontier/rocks_store.h"
#include "loop/checkpoint.h"
#include "loop/driver.h"
#include "sched_node.h"
#include "url/public_suffix.h"

namespace spinneret {
namespace {

constexpr int kPollMs = 100, kAskMs = 500;

std::int64_t now_ms() { return system_clock().boot_ns() / 1'000'000; }

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "node";
}

}  // namespace

CrawlEngine engine_of(const cli::Options& given) {
  CrawlEngine out;
  Result<engine::Address> address = engine::parse_address(given.get("cluster"));
  if (!address.ok()) given.usage_error("--cluster: " + address.message());
  out.address = address.take();
  if (given.has("partition")) {
    const Result<PartOf> part = parse_part_of(given.get("partition"));
    if (!part.ok()) given.usage_error("--partition: " + part.message());
    out.part = *part;
  } else {
    out.part.count =
        static_cast<std::uint32_t>(given.unsigned_value("partitions", 1, 1, kMostPartitions));
  }
  if (out.part.count > kMostPartitions)
    given.usage_error("--partition: there may be 1 to " + std::to_string(kMostPartitions) +
                      " partitions");
  out.node = given.get("node", host_name());
  if (out.node.empty() || out.node.find_first_of(" \t\n/") != std::string::npos)
    given.usage_error("--node takes a name without spaces and slashes");
  out.node += '.' + std::to_string(getpid());
  out.ttl_ms = given.duration_ms("partition-lease", 10'000);
  if (out.ttl_ms < 1000) given.usage_error("--partition-lease is a second at least");
  return out;
}

std::unique_ptr<SchedPartition> SchedPartition::of(cli::Tool& tool) {
  const cli::Options& given = tool.options();
  for (const char* const name : {"partition", "partitions", "spread", "partition-lease", "node",
                                 "terms", "takes", "copies"}) {
    if (given.has(name) && !given.has("cluster"))
      given.usage_error("--" + std::string(name) + " goes with --cluster");
  }
  if (!given.has("cluster")) return nullptr;
  if (!given.has("partition"))
    given.usage_error("--cluster wants --partition=I/P, --partitions=P or --status");
  const CrawlEngine engine = engine_of(given);
  return std::make_unique<SchedPartition>(
      Surroundings{[&tool](const std::string& text) { tool.notice(text); },
                   [](int ms) { return cli::wait_for_stop(ms); }, beater_of(tool, engine)},
      engine, terms_of(given, engine), given.duration_ms("delay", frontier::Politeness().delay_ms));
}

CrawlTerms terms_of(const cli::Options& given, const CrawlEngine& engine) {
  Result<Partitions> partitions = Partitions::with_spread(engine.part.count, given.all("spread"));
  if (!partitions.ok()) given.usage_error("--spread: " + partitions.message());
  if (given.get("politeness-key") == "ip")
    given.usage_error(
        "--politeness-key=ip needs all hosts of an address in one place: with --cluster it is "
        "host or domain");
  if (given.get("politeness-key") == "domain" && given.has("spread"))
    given.usage_error("--spread cuts a domain, which --politeness-key=domain holds together");
  std::string map = "suffixes=" + public_suffix_list_digest(), spread;
  for (const std::string& domain : partitions->spread()) spread += " spread=" + domain;
  std::string terms = map + " lease=" + std::to_string(engine.ttl_ms) + "ms" + spread;
  map += spread;
  if (engine.address.bus) terms += " bus=kafka";
  if (given.has("terms")) terms += " terms=" + given.get("terms");
  if (given.has("copies")) {
    const Result<cluster::ProgramPlace> place = cluster::ProgramPlace::at(given.get("copies"), {});
    if (!place.ok()) given.usage_error("--copies " + place.message());
    terms += " copies";
  }
  return {partitions.take(), terms, map, given.get("copies"), given.get("takes")};
}

namespace {

std::optional<cluster::ProgramPlace> place_of(const std::string& copies,
                                              const std::function<bool(int ms)>& wait) {
  if (copies.empty()) return std::nullopt;
  Result<cluster::ProgramPlace> place = cluster::ProgramPlace::at(copies, wait);
  return place.ok() ? std::optional(place.take()) : std::nullopt;
}

}  // namespace

std::shared_ptr<cluster::Beater> beater_of(cli::Tool& tool, const CrawlEngine& engine) {
  std::unique_ptr<Deadlines> deadlines;
  Result<Deadlines> made = Deadlines::make(engine.part.count);
  if (made.ok()) {
    setenv("SPINNERET_LEASES", std::to_string(made->fd()).c_str(), /*replace=*/1);
    deadlines = std::make_unique<Deadlines>(made.take());
  } else {
    tool.notice("no page is had that takes longer than --partition-lease: " + made.message());
  }
  return std::make_shared<cluster::Beater>(
      engine::leases_of(engine.address, system_clock(), engine.node, engine.ttl_ms), system_clock(),
      engine.ttl_ms, std::move(deadlines));
}

SchedPartition::SchedPartition(Surroundings around, const CrawlEngine& engine, CrawlTerms terms,
                               std::int64_t delay_ms)
    : around_(std::move(around)),
      delay_ms_(delay_ms),
      node_(engine.node.substr(0, engine.node.rfind('.'))),
      terms_(std::move(terms)),
      part_(engine.part),
      bus_(engine::bus_of(engine.address, bus::stream_budget(engine.part.count))),
      leases_(engine::leases_of(engine.address, system_clock(), engine.node, engine.ttl_ms)),
      copies_(place_of(terms_.copies, around_.wait)),
      member_({.partition = part_.index,
               .partitions = part_.count,
               .ttl_ms = engine.ttl_ms,
               .terms = terms_.text,
               .map = terms_.map,
               .copies = copies_ ? &*copies_ : nullptr,
               .say = around_.say},
              {*bus_, *leases_}, system_clock()) {}

frontier::Recrawl part_of_budget(frontier::Recrawl whole, const cluster::PartOfPages& part) {
  if (!whole.best() || part.own == part.all) return whole;
  const double visits = static_cast<double>(whole.visits) * static_cast<double>(part.own) /
                        static_cast<double>(part.all);
  whole.visits = std::max<std::uint64_t>(static_cast<std::uint64_t>(visits), 1);
  const double span =
      static_cast<double>(whole.span_ms) * static_cast<double>(whole.visits) / visits;
  whole.span_ms = static_cast<std::int64_t>(std::min(span, 1e15));
  return whole;
}

void SchedPartition::share(frontier::Store& store, frontier::Options& options) {
  if (options.recrawl.best()) {
    const Result<lease::Rows> reports = leases_->read(cluster::kReportsTable);
    options.recrawl = part_of_budget(
        options.recrawl,
        cluster::part_of_pages(reports.ok() ? *reports : lease::Rows(), part_.index, part_.count));
  }
  if (!terms_.takes.empty())
    options.whole_before_ms =
        std::max(options.whole_before_ms,
                 cluster::taken_since(store, terms_.takes, system_clock().unix_ms()));
  options.partitions = &terms_.partitions;
  options.partition = part_.index;
}

int SchedPartition::refuse(const Status& why) {
  around_.say(why.message());
  return member_.may_come_back() ? loop::kLeaseLostStatus : 2;
}

// Tells an engine that has forgotten it which partitions have begun, before anybody opens an empty
// state.
Status SchedPartition::tell_begun(const std::string& folder) {
  const Result<lease::Rows> states = leases_->read(cluster::kStates);
  if (!states.ok()) return states.error();
  cluster::Begun begun(part_.count);
  begun.add(*states);
  std::error_code code;
  if (begun.all() || !std::filesystem::exists(folder + "/db", code)) return {};
  const Result<std::unique_ptr<frontier::Store>> store =
      frontier::open_rocks_store(folder + "/db", {.read_only = true, .partition = true});
  // What is wrong with the store is reported when it is opened for the crawl.
  if (!store.ok()) return {};
  begun.add(**store);
  return begun.tell(*leases_, *states);
}

std::optional<int> SchedPartition::join(const std::string& folder) {
  if (const Status agreed = member_.agree(); !agreed.ok()) return refuse(agreed);
  const std::string name = "partition " + std::to_string(part_.index);
  bool knows_begun = false, told = false, away = false;
  while (true) {
    // Agreeing has reached the engine: if it is away now, it comes back.
    const Status known = knows_begun ? Status() : tell_begun(folder);
    knows_begun = known.ok();
    const Result<bool> taken = known.ok() ? member_.take() : Result<bool>(known.error());
    if (taken.ok() && *taken) break;
    if (!taken.ok() && !std::exchange(away, true))
      around_.say(taken.message() + ": asking again until the engine answers");
    if (taken.ok() && !std::exchange(told, true))
      around_.say(name + " is held by " + member_.owner() + ": waiting until it is free");
    if (!around_.wait(kAskMs)) return 128 + cli::stop_signal();
  }
  around_.beater->add(member_);
  const std::optional<int> left = wait_until([this] { return member_.may_open(); });
  if (left) leave();
  return left;
}

std::optional<int> SchedPartition::wait_until(const std::function<bool()>& done) {
  while (!done()) {
    if (const std::string_view lost = member_.lost(); !lost.empty()) {
      around_.say(std::string(lost));
      return loop::kLeaseLostStatus;
    }
    if (!around_.wait(kPollMs)) return 128 + cli::stop_signal();
  }
  return std::nullopt;
}

std::optional<int> SchedPartition::lock(const std::string& folder, std::optional<FileLock>& lock) {
  Status trouble;
  bool told = false;
  const std::optional<int> left = wait_until([&] {
    bool is_held = false;
    Result<FileLock> tried = FileLock::acquire(folder + "/lock", node_, &is_held);
    if (tried.ok()) lock = tried.take();
    if (!tried.ok() && !is_held) trouble = tried.error();
    if (is_held && !std::exchange(told, true))
      around_.say(tried.message() + ", which has not let go: partition " +
                  std::to_string(part_.index) + " waits until it does, or is ended");
    return !is_held;
  });
  if (left || trouble.ok()) return left;
  around_.say(trouble.message());
  return 2;
}

std::optional<int> SchedPartition::restore(const std::string& folder) {
  if (!copies_) {
    const Result<lease::Rows> states = leases_->read(cluster::kStates);
    if (!states.ok()) {
      around_.say(states.message());
      return loop::kLeaseLostStatus;
    }
    const auto row = states->find(cluster::partition_name(part_.index));
    return row != states->end() && row->second == cluster::kAnew ? wait_for_delay() : std::nullopt;
  }
  Result<cluster::Restored> restored =
      cluster::restore(*copies_, *leases_, part_.index, folder, around_.say);
  if (!restored.ok()) {
    // A stop ended the search for the copy, too.
    if (!around_.wait(0)) return 128 + cli::stop_signal();
    around_.say(restored.message());
    return 2;
  }
  restored_ = restored.take();
  return restored_.elsewhere ? wait_for_delay() : std::nullopt;
}

// Waits, since hosts that the state does not know may have been visited.
std::optional<int> SchedPartition::wait_for_delay() {
  const std::int64_t until = now_ms() + delay_ms_;
  return wait_until([until] { return now_ms() >= until; });
}

Result<bool> SchedPartition::was_retried() {
  const Result<lease::Rows> rows = leases_->read(kRetried);
  if (!rows.ok()) return rows.error();
  return rows->contains(std::to_string(part_.index));
}

Status SchedPartition::tell_retried() {
  const Result<std::string> told = leases_->claim(kRetried, std::to_string(part_.index), "yes");
  return told.ok() ? Status() : Status(told.error());
}

Status SchedPartition::ship_last(frontier::Store& store, const std::string& checkpoint) {
  if (!copies_ || !member_.lost().empty() || !store.status().ok()) return {};
  const auto shipped = [this] {
    while (member_.ship() && member_.lost().empty()) poll(nullptr, 0, kPollMs);
  };
  shipped();
  if (Status copied = loop::write_checkpoint(store, checkpoint); !copied.ok()) return copied;
  member_.copied(checkpoint);
  shipped();
  return {};
}

}  // namespace spinneret
