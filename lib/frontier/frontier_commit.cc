// SPDX-License-Identifier: Apache-2.0
// Making links, results and marks durable, and what is read of them at the start.
#include <utility>
#include <vector>

#include "frontier/frontier.h"
#include "frontier/meta.h"

namespace spinneret::frontier {

bool Frontier::pending() const {
  return admission_.sealed() != 0 || store_.staged() != 0 || lanes_.any_wanted() ||
         later_.is_due(now());
}

Status Frontier::commit() {
  if (admission_.sealed() != 0) admit_sealed();
  Status done = commit_staged();
  backlog_.committed();
  // Only over what is committed: the walk does not see what is staged.
  if (done.ok()) done = promote_due();
  if (done.ok()) done = hosts_.status();
  // A host that rests forgets what its window has passed.
  if (done.ok() && !flights_.any_passed_over()) hosts_.rest();
  statistics_.hosts = hosts_.size();
  lanes_.arrange();
  return done;
}

// Of all hosts and runs, as their rows count.
HostCounts Frontier::sums() const {
  HostCounts all = statistics_.all;
  all.pages = pages_before_ + statistics_.pages;
  return all;
}

Status Frontier::commit_staged() {
  hosts_.stage(now(), sums());
  later_.stage();
  return store_.commit();
}

void Frontier::admit_sealed() {
  const std::int64_t wall_ms = now().wall_ms;
  admission_.take_sealed(
      hosts_, store_, [&](Admission::Entry& entry) { backlog_.admit(entry, wall_ms); },
      [&](const Admission::Entry& entry, std::string_view row) {
        ++statistics_.known;
        known_urls_.improve(entry, row, wall_ms);
      },
      [&](const Admission::Entry& entry, std::string_view key) {
        backlog_.store(entry, key, wall_ms);
      });
  statistics_.known += admission_.repeats();
}

// What falls due goes to the end of its host's queue.
Status Frontier::promote_due() {
  const Moment at = now();
  if (!later_.is_due(at)) return {};
  later_.take_due(at, [this](const LaterKey& later) { return visits_.fall_due(later); });
  return commit_staged();
}

// After a run that did not end.
Status Frontier::recount_waiting() {
  std::vector<std::uint64_t> later(hosts_.size());
  later_.for_each_retry([&](const LaterKey& key) {
    HostSlot slot = 0;
    if (hosts_.lookup(key.host, slot)) ++later[slot];
    return false;
  });
  return backlog_.recount(std::move(later));
}

Status Frontier::commit_flights() { return flights_.stage_marks() ? store_.commit() : Status(); }

Status Frontier::close() {
  recall_flights();
  if (const Status done = commit(); !done.ok()) return done;
  if (const Status done = hosts_.commit_counts(now(), sums()); !done.ok()) return done;
  // Next-allowed times of the rows say all there is to say about the gaps.
  flights_.clear_marks();
  store_.put(Table::kMeta, kCleanKey, encode_number(1));
  if (const Status done = store_.commit(); !done.ok()) return done;
  return store_.sync();
}

}  // namespace spinneret::frontier
