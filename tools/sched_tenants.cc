// SPDX-License-Identifier: Apache-2.0
#include "sched_tenants.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/number.h"
#include "cli/signals.h"

namespace spinneret {
namespace {

// Beats: after kStandbyBeats nobody waits for another's partition; before kFirstBeats none is
// taken; after kLongBeats one has run long; after kOrphanBeats a free one is anybody's.
constexpr std::int64_t kStandbyBeats = 20, kFirstBeats = 3, kLongBeats = 40, kOrphanBeats = 40;
// By then the URLs in flight of a departing partition have come back, or its next owner asks again.
constexpr std::int64_t kLeaveMs = 5000;

std::int64_t now_ms() { return system_clock().boot_ns() / 1'000'000; }

}  // namespace

Tenants::Tenants(const Estate& estate, Mailbox& mailbox, loop::Voice& voice, report::PageLog* log,
                 AddedSeeds& added)
    : estate_(estate),
      mailbox_(mailbox),
      voice_(voice),
      log_(log),
      added_(added),
      beat_ms_(std::max<std::int64_t>(estate.engine.ttl_ms / 10, 100)),
      roster_(estate.engine, estate.terms.text),
      quota_(estate.frontier.max_pages),
      begun_ms_(now_ms()) {}

int Tenants::stop_signal() const {
  return roster_.draining() || alone_ ? SIGTERM : cli::stop_signal();
}

bool Tenants::look(loop::Shares& shares) {
  speak();
  const bool restart = move_on(shares);
  const std::int64_t now = now_ms();
  if (now < look_ms_) {
    measure(shares, /*anew=*/false);
    return restart;
  }
  look_ms_ = now + beat_ms_;
  const bool known = roster_.look_around([this](const std::string& text) { voice_.notice(text); });
  if (const std::optional<Error>& refused = roster_.refused(); refused && !ended_)
    status_ = estate_.tool.trouble(refused->message);
  measure(shares, known);
  if (known) share_visits(shares);
  if (known) roster_.attend(added_, shares, estate_.say);
  heed_what_goes_on();
  const bool hopeless = rests_.hopeless() && holdings_.empty();
  if (hopeless && !ended_)
    status_ = estate_.tool.trouble("no partition could be run: see the messages above");
  if (known && !alone_ && (alone_ = lacks_others(shares)))
    status_ = estate_.tool.trouble(
        "this machine can have " + std::to_string(estate_.most) + " of " +
        std::to_string(estate_.engine.part.count) +
        " partitions, and there is no other: raise ulimit -n, or start others");
  ended_ = roster_.refused() || hopeless || (known && roster_.is_over());
  if (ended_ || stop_signal() != 0) {
    for (auto& [p, holding] : holdings_) holding->cancel();
  } else if (known && !rests_.hopeless()) {
    balance();
  }
  return restart;
}

void Tenants::give_up(loop::Share& share, bool lost) {
  share.give_up();
  given_up_.emplace(share.partition(), lost);
}

int Tenants::leave(loop::Shares& shares, int status) {
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
    // It came all the same, and was not given a share.
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
  return std::max(status_, (roster_.draining() || alone_) && status > 128 ? 0 : status);
}

void Tenants::speak() {
  for (const std::string& text : mailbox_.take()) voice_.notice(text);
}

cluster::Quota::Own Tenants::asked(const loop::Shares& shares) const {
  cluster::Quota::Own own;
  for (loop::Share* const share : shares)
    own[share->partition()] = {holdings_.at(share->partition())->epoch(), share->pages(),
                               share->pages_in_flight(), share->wants()};
  return own;
}

void Tenants::measure(const loop::Shares& shares, bool anew) {
  if (!quota_.limits()) return;
  const cluster::Quota::Own own = asked(shares);
  // An engine that is away has been reported.
  if (anew || quota_.due(own)) static_cast<void>(roster_.look_at(quota_, own).ok());
  for (loop::Share* const share : shares) {
    const std::uint32_t p = share->partition();
    share->limit(quota_.most(p, own.at(p).epoch), quota_.reached());
  }
}

// Divides a budget of visits by the pages of each partition, which grow.
void Tenants::share_visits(const loop::Shares& shares) {
  const frontier::Recrawl& whole = estate_.frontier.recrawl;
  if (!whole.best()) return;
  const lease::Rows reports = roster_.reports();
  if (reports.empty()) return;
  for (loop::Share* const share : shares)
    share->frontier().set_budget(part_of_budget(
        whole, cluster::part_of_pages(reports, share->partition(), estate_.engine.part.count)));
}

void Tenants::say_last_words(const loop::Share& share) {
  const std::string words = share.last_words();
  if (!words.empty()) voice_.notice(words);
}

// Admits partitions that have come, lets others go, and counts those gone. True: see Landlord.
bool Tenants::move_on(loop::Shares& shares) {
  bool restart = false;
  for (auto at = holdings_.begin(); at != holdings_.end();) {
    Holding& holding = *at->second;
    if (holding.share() != nullptr && holding.share()->in_flight() != 0)
      roster_.worked(holding.epoch());
    if (holding.stage() == Holding::Stage::kHere) {
      if (holding.share() == nullptr) {
        loop::Share& share = holding.enter(voice_, log_);
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

// Lets a partition go, if it is time. True: links of it are in the pipeline, or were not written.
bool Tenants::let_go(loop::Shares& shares, std::uint32_t p, Holding& holding) {
  loop::Share& share = *holding.share();
  const auto given_up = given_up_.find(p);
  if (given_up != given_up_.end()) {
    const bool lost = given_up->second;
    given_up_.erase(given_up);
    shares.remove(share);
    holding.go(lost ? loop::kLeaseLostStatus : 2, /*closed=*/false);
    return true;
  }
  const auto since = leaving_since_.find(p);
  if (since == leaving_since_.end()) return false;
  const bool late = now_ms() - since->second >= kLeaveMs;
  if (share.in_flight() != 0 && !late) return false;
  const bool in_flight = share.in_flight() != 0;
  shares.remove(share);
  const Status closed = share.close();
  if (!closed.ok()) voice_.notice(closed.message());
  say_last_words(share);
  // Its next owner tries hosts that were given up again, and reports them; but not seeds.
  if (share.frontier().statistics().seeds_unreached != 0) {
    const Status told = roster_.tell_unreached();
    if (!told.ok()) voice_.notice(told.message());
  }
  holding.go(closed.ok() ? 128 + SIGTERM : 2, closed.ok());
  return in_flight || !closed.ok();
}

void Tenants::balance() {
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
  std::size_t fair = fair_part();
  for (const std::uint32_t p : liked) {
    const bool orphan = is_orphan(p, now), beyond = running >= fair && !roster_.is_pinned_here(p);
    if (holdings_.contains(p) || !roster_.is_free(p) || roster_.is_pinned_elsewhere(p) ||
        rests_.rests(p, now) || running >= estate_.most || (beyond && !orphan))
      continue;
    if (beyond) ++extra_, ++fair;
    holdings_[p] = std::make_unique<Holding>(estate_, p, now);
    ++running;
  }
  hand_over(liked, running, fair, now);
}

// A machine that comes or goes changes the shares.
std::size_t Tenants::fair_part() {
  if (std::exchange(machines_, roster_.machines()) != roster_.machines()) extra_ = 0;
  return std::min(roster_.fair_share() + extra_, estate_.most);
}

// Whether nobody takes the partition: the machine it would go to cannot have it, or is too slow.
bool Tenants::is_orphan(std::uint32_t p, std::int64_t now) {
  if (!roster_.is_free(p) || holdings_.contains(p)) return free_since_.erase(p), false;
  return now - free_since_.try_emplace(p, now).first->second > kOrphanBeats * beat_ms_;
}

// Whether all is done here, and no other machine could have the rest.
bool Tenants::lacks_others(const loop::Shares& shares) {
  const bool idle = estate_.most < estate_.engine.part.count && roster_.machines() == 1 &&
                    !shares.empty() &&
                    std::all_of(shares.begin(), shares.end(), [](loop::Share* share) {
                      return share->in_flight() == 0 && share->frontier().exhausted();
                    });
  idle_looks_ = idle ? idle_looks_ + 1 : 0;
  return idle_looks_ > kStandbyBeats;
}

// Hands over one partition at a time: each is away for its quarantine.
void Tenants::hand_over(const std::vector<std::uint32_t>& liked, std::size_t running,
                        std::size_t fair, std::int64_t now) {
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

bool Tenants::has_lived_long(const Holding& holding) const {
  return now_ms() - holding.begun_ms() > kLongBeats * beat_ms_;
}

void Tenants::heed_what_goes_on() {
  const bool well = std::any_of(holdings_.begin(), holdings_.end(), [this](const auto& each) {
    return each.second->stage() == Holding::Stage::kHere && has_lived_long(*each.second);
  });
  if (well) rests_.goes_well();
  if (rests_.any(now_ms())) rests_.heed(roster_.states());
}

void Tenants::count(std::uint32_t p, const Holding& holding) {
  const int status = holding.status();
  const bool lived_long = has_lived_long(holding);
  if (lived_long || (status <= loop::kGivenUpStatus && status != 2)) rests_.goes_well();
  // 2 is also the status where another machine was faster, and has locked a state that both see.
  if (status == loop::kLeaseLostStatus || (status == 2 && roster_.is_elsewhere(p))) {
    rests_.pause(p, now_ms() + beat_ms_);
  } else if (status == 2) {
    const std::int64_t gap = rests_.trouble(p, now_ms(), lived_long);
    voice_.notice("partition " + std::to_string(p) + " rests for " + seconds_text(gap) + " s");
  }
}

}  // namespace spinneret
