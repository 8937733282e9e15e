// SPDX-License-Identifier: Apache-2.0
// How a member's state is opened, and how copies of it are made.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "cluster/begun.h"
#include "cluster/member.h"
#include "cluster/member_open.h"
#include "frontier/meta.h"

namespace spinneret::cluster {
namespace {

// Claims that the crawl goes by this state: the first claim wins, unless the state is in the place
// of `replaces`. A state that `has_begun` takes its place again where the engine has forgotten all
// except that there was one. Sets `anew` where an order lets any state do.
Result<std::string> claim_state(lease::Leases& leases, const lease::Lease& lease,
                                const std::string& id, bool has_begun,
                                std::optional<std::string> replaces, bool& anew) {
  if (!replaces) {
    Result<std::string> stands = leases.claim(kStates, lease.name, id);
    anew = stands.ok() && *stands == kAnew;
    if (!stands.ok() || (*stands != kAnew && (*stands != kBegun || !has_begun))) return stands;
    replaces = stands.take();
  }
  const Result<bool> done = leases.compare_and_set(lease, kStates, lease.name, replaces, id);
  if (!done.ok()) return done.error();
  return *done ? Result<std::string>(id) : leases.claim(kStates, lease.name, id);
}

Error is_elsewhere(std::uint32_t partition, const std::string& stands, const std::string& here) {
  return Error{"partition " + std::to_string(partition) + " has its state elsewhere (" +
               (stands == kBegun ? "the engine has forgotten which, and here is none"
                                 : stands + ", and here is " + here) +
               "): bring its folder here, or let a node that has it go on" + anew_words(partition)};
}

// Refuses an older copy of the state, which has the same name. What its later owners were given is
// kept nowhere else.
Status is_newest(const lease::Rows& reports, std::uint32_t partition, std::uint64_t state_epoch) {
  const auto row = reports.find(std::to_string(partition));
  Standing last;
  if (row == reports.end() || !parse_standing(row->second, last) ||
      last.report.epoch <= state_epoch)
    return {};
  return Error{
      "partition " + std::to_string(partition) +
      " has a state here that is older than the one that the crawl goes by (epoch " +
      std::to_string(state_epoch) + ", and there was " + std::to_string(last.report.epoch) +
      "): bring that folder here, or let a node that has it go on; if it is gone for good, "
      "--begin-anew=" +
      std::to_string(partition) +
      " lets this one go on: links that others gave the later one are lost; where all "
      "partitions are of one moment, another name in --cluster will do"};
}

// Whether the state is that of a crawl on one machine: it has hosts, and no name.
bool is_of_one_machine(frontier::Store& store) {
  std::string id;
  const std::unique_ptr<frontier::Cursor> at = store.scan(frontier::Table::kHosts);
  at->seek({});
  return at->valid() && !store.get(frontier::Table::kMeta, kStateKey, id);
}

// Refuses a state that was begun as another partition's. It has hosts that are others' now: two
// machines would ask them at once, and what came back would be given to the wrong one, so that the
// crawl never ended.
Status is_placed(frontier::Store& store, const std::string& was, const MemberSettings& settings) {
  const std::string here =
      std::to_string(settings.partition) + '/' + std::to_string(settings.partitions);
  const bool elsewhere =
      was.empty() ? settings.partitions != 1 && is_of_one_machine(store) : was != here;
  if (elsewhere)
    return Error{"the state is that of " +
                 (was.empty() ? "a crawl on one machine" : "partition " + was) +
                 ", and here it is to be " + here +
                 ": name another --state, or split it (spinneret-cluster(7), Twice as many "
                 "partitions)"};
  std::string map;
  if (!store.get(frontier::Table::kMeta, kMapKey, map)) {
    store.put(frontier::Table::kMeta, kMapKey, settings.map);
  } else if (map != settings.map) {
    return Error{"partition " + here + " was begun with \"" + map + "\", and here it is \"" +
                 settings.map +
                 "\": hosts would be in other partitions; give it the list that it had (--psl)"};
  }
  return {};
}

}  // namespace

// Claims the partition for the state. Another state than the one that the crawl goes by would begin
// the partition anew.
Status Member::claim(frontier::Store& store, const std::optional<std::string>& replaces) {
  std::string id;
  const bool has_begun = store.get(frontier::Table::kMeta, kStateKey, id);
  if (!has_begun) {
    id = name_state(store, kClaimKey);
    if (const Status done = store.commit(); !done.ok()) return done;
  }
  lease::Leases& leases = engines_.leases;
  bool anew = false;
  const Result<std::string> stands = claim_state(leases, lease(), id, has_begun, replaces, anew);
  may_come_back_ = !stands.ok();
  if (!stands.ok()) return stands.error();
  if (*stands != id) return is_elsewhere(settings_.partition, *stands, id);
  if (!has_begun) {
    store.put(frontier::Table::kMeta, kStateKey, id);
    store.erase(frontier::Table::kMeta, kClaimKey);
  }
  open_->begun.add(store);
  if (const Status done = open_->sender.open(); !done.ok()) return done;
  // (Where copies are made, restore() has chosen the newest state there is.)
  if (anew || !has_begun || open_->shipping) return {};
  const Result<lease::Rows> reports = leases.read(kReportsTable);
  may_come_back_ = !reports.ok();
  if (!reports.ok()) return reports.error();
  return is_newest(*reports, settings_.partition, open_->sender.state_epoch());
}

Status Member::open(frontier::Store& store, const std::optional<std::string>& replaces) {
  // Marks a new state as one of this format, by the next commit.
  const Result<frontier::Meta> meta = frontier::read_meta(store);
  if (!meta.ok()) return meta.error();
  if (const Status placed = is_placed(store, meta->partition, settings_); !placed.ok())
    return placed;
  open_ = std::make_unique<Open>(store, settings_, [this](std::uint32_t partition) {
    return household_ != nullptr && household_->at(partition) != nullptr;
  });
  if (const Status claimed = claim(store, replaces); !claimed.ok()) return claimed;
  if (open_->shipping) {
    const Status known = open_->shipping->open(engines_.leases);
    may_come_back_ = !known.ok();
    if (!known.ok()) return known;
  }
  Sender& sender = open_->sender;
  if (const Status done = open_->receiver.open(lease().epoch); !done.ok()) return done;
  const std::uint64_t floor = std::max(sender.state_epoch(), open_->receiver.highest_epoch());
  if (floor >= lease().epoch) {
    const Status done = raise(floor);
    may_come_back_ = !done.ok();
    if (!done.ok()) return done;
  }
  sender.stamp(lease().epoch);
  open_->receiver.set_epoch(lease().epoch);
  open_->receiver.expire(clock_.unix_ms());
  if (const Status done = store.commit(); !done.ok()) return done;
  sender.committed();
  return keep_epoch();
}

// Makes the state's epoch durable: a reported epoch is in the state, however the machine ends.
Status Member::keep_epoch() {
  if (open_->kept_epoch == open_->sender.epoch()) return {};
  const Status done = open_->store.sync();
  if (done.ok()) open_->kept_epoch = open_->sender.epoch();
  return done;
}

bool Member::copy_due(bool by_time) {
  const Open& open = *open_;
  if (!open.shipping) return by_time;
  const bool wanted = open.idle && open.receiver.wants_copies();
  const auto call = by_time  ? Shipping::Call::kByTime
                    : wanted ? Shipping::Call::kWanted
                             : Shipping::Call::kNone;
  return open.shipping->due(call, now_ms());
}

void Member::copied(const std::string& folder) {
  Open& open = *open_;
  if (!open.shipping) return;
  const Status begun = open.shipping->begin(folder, lease().epoch, open.receiver, now_ms());
  if (!begun.ok()) settings_.say(begun.message());
}

bool Member::ship() {
  Open& open = *open_;
  if (!open.shipping || !open.shipping->busy()) return false;
  const Result<bool> ours = open.shipping->go_on(open.receiver, engines_.leases, lease(), now_ms());
  if (ours.ok() && !*ours) lose(kNotOurs);
  if (ours.ok()) return *ours && open.shipping->busy();
  if (open.shipping->busy()) {
    note_error(ours.error());  // the engine has not been told
  } else {
    settings_.say(ours.message());
  }
  return false;
}

}  // namespace spinneret::cluster
