// SPDX-License-Identifier: Apache-2.0
#include "cluster/member.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "cluster/member_open.h"

namespace spinneret::cluster {
namespace {

// How often the engine is asked for links, while there is other work and while there is none, and
// for acks. Batches wait two seconds to be filled. With 16 partitions on a machine, each asking
// every 50 ms, that took a third of the scheduler's CPU time, as each answer is acked and trimmed
// by itself.
constexpr std::int64_t kBusyReadMs = 300, kReadMs = 50;
constexpr std::int64_t kAcksMs = 500;
// An engine that is far away is asked less often: the gap is at least this many times what its
// answer takes. The scheduler stands still for each of some five calls.
constexpr std::int64_t kTrips = 6;
// The pause after an error.
constexpr std::int64_t kRestMs = 1000;
// How often a repeated error with the same text is reported.
constexpr std::int64_t kSayMs = 60'000;
constexpr std::size_t kReadMessages = 16;

}  // namespace

Member::Member(MemberSettings settings, Engines engines, const Clock& clock)
    : settings_(std::move(settings)), engines_(engines), clock_(clock), tenure_(settings_.ttl_ms) {}

Member::~Member() { move_to(nullptr); }

// --- the lease -----------------------------------------------------------------------------------

Status Member::agree() {
  bool answered = false;
  const Status agreed =
      cluster::agree(engines_.leases, settings_.partitions, settings_.terms, answered);
  may_come_back_ = !answered;
  return agreed;
}

Result<bool> Member::take() {
  const std::int64_t asked_ns = clock_.boot_ns();
  Result<lease::Taken> taken =
      engines_.leases.take(partition_name(settings_.partition), /*floor=*/0);
  if (!taken.ok()) return taken.error();
  owner_ = taken->owner;
  if (!taken->granted) return false;
  const std::lock_guard lock(mutex_);
  lease_ = taken->lease;
  lost_.clear();
  tenure_.granted(asked_ns, clock_.boot_ns());
  return true;
}

lease::Lease Member::lease() {
  const std::lock_guard lock(mutex_);
  return lease_;
}

void Member::hear(const lease::Lease& held, lease::Renewed answer, std::int64_t asked_ns) {
  const std::lock_guard lock(mutex_);
  if (held.epoch != lease_.epoch) return;
  if (answer == lease::Renewed::kHeld) return tenure_.renewed(asked_ns);
  tenure_.end();
  lost_ = answer == lease::Renewed::kLost ? "another node has the partition now"
                                          : "the engine has forgotten the lease";
}

bool Member::may_open() {
  const std::lock_guard lock(mutex_);
  return tenure_.may_open(clock_.boot_ns());
}

bool Member::may_send() {
  const std::lock_guard lock(mutex_);
  return tenure_.may_send(clock_.boot_ns());
}

std::int64_t Member::send_by_ms() {
  const std::lock_guard lock(mutex_);
  return tenure_.deadline_ns() / 1'000'000;
}

std::int64_t Member::end_by_ms() { return send_by_ms() + settings_.ttl_ms / 10; }

std::string_view Member::lost() {
  const std::lock_guard lock(mutex_);
  if (lost_.empty() && !tenure_.held(clock_.boot_ns()))
    lost_ = "the engine has not renewed the lease in time";
  if (lost_.empty()) return {};
  lost_text_ = "partition " + std::to_string(settings_.partition) + " is given up: " + lost_;
  return lost_text_;
}

void Member::lose(const std::string& why) {
  const std::lock_guard lock(mutex_);
  tenure_.end();
  if (lost_.empty()) lost_ = why;
}

void Member::leave() {
  {
    const std::lock_guard lock(mutex_);
    if (!lost_.empty()) return;
  }
  const Result<bool> released = engines_.leases.release(lease());
  if (!released.ok()) settings_.say("the lease runs out by itself: " + released.message());
}

// Gives the lease an epoch that nobody has seen.
Status Member::raise(std::uint64_t floor) {
  const Result<std::optional<std::uint64_t>> raised = engines_.leases.raise(lease(), floor);
  if (!raised.ok()) return raised.error();
  if (!*raised) {
    lose(kNotOurs);
    return Error{kNotOurs};
  }
  const std::lock_guard lock(mutex_);
  lease_.epoch = **raised;
  return {};
}

void Member::offer(std::uint32_t partition, std::string_view line) {
  open_->sender.offer(partition, line, now_ms());
  ++open_->report.activity;
}

// Whether a member of the household has reported the error lately.
bool Member::is_told(const std::string& error, std::int64_t now) const {
  const Member* const self = this;
  const auto told = [&](const Member* one) {
    return one != nullptr && one->open_ != nullptr && one->open_->error == error &&
           now < one->open_->error_ms + kSayMs;
  };
  if (household_ == nullptr) return told(self);
  const auto& all = household_->members();
  return std::any_of(all.begin(), all.end(), told);
}

// Reports once that the engine is away. A second later it is asked for links again; that it gives
// links does not show that it takes any.
void Member::note_error(const Status& status, bool writing) {
  if (status.ok()) return;
  Open& open = *open_;
  open.unwritten = open.unwritten || writing;
  if (std::exchange(away_, true)) return;
  const std::int64_t now = now_ms();
  open.read_ms = now + kRestMs;
  open.error_told = !is_told(status.message(), now);
  if (!open.error_told) return;
  open.unwritten_told = writing;
  open.error = status.message();
  open.error_ms = now;
  settings_.say(open.error);
}

// Returns the members for whom one of them asks.
std::span<Member* const> Member::household_of(Member* const& self) const {
  return household_ == nullptr ? std::span(&self, 1) : household_->members();
}

// Reads the links for all members of the household, so that an engine that does not answer delays
// them only once.
void Member::read_bus(std::int64_t now) {
  if (now < open_->read_ms) return;
  Member* const self = this;
  std::vector<Member*> readers;
  std::vector<bus::Cursor> cursors;
  for (Member* const one : household_of(self)) {
    if (one == nullptr || !one->open_->messages.empty()) continue;
    readers.push_back(one);
    cursors.push_back(one->open_->cursor);
  }
  std::vector<bus::Message> messages;
  const std::int64_t asked = now_ms();
  const Status done = engines_.bus.read(cursors, kReadMessages, 0, messages);
  const std::int64_t took = now_ms() - asked;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    readers[i]->open_->cursor.place = cursors[i].place;
    readers[i]->open_->trip_ms = took;
  }
  for (bus::Message& message : messages)
    readers[message.cursor]->open_->messages.push_back(std::move(message));
  note_error(done, /*writing=*/false);
  for (Member* const reader : readers) reader->note_read(done, now);
}

void Member::note_read(const Status& done, std::int64_t now) {
  Open& open = *open_;
  if (!done.ok()) {
    if (!std::exchange(away_, true)) open.error_told = false;  // another member has reported it
  } else if (std::exchange(away_, false) && open.error_told && !open.unwritten_told) {
    settings_.say("the engine answers again");
  }
  const bool more = open.messages.size() >= kReadMessages;
  // An engine that hangs has taken longer than that already.
  open.read_ms = !done.ok() ? now_ms() + kRestMs : now + (more ? 0 : gap_ms());
}

std::int64_t Member::gap_ms() const {
  return std::max(open_->idle ? kReadMs : kBusyReadMs, kTrips * open_->trip_ms);
}

// Reads the acks for all members of the household.
void Member::read_acks(std::int64_t now) {
  Member* const self = this;
  std::vector<Sender*> senders;
  for (Member* const one : household_of(self)) {
    if (one == nullptr) continue;
    one->open_->acks_ms = now + std::max(kAcksMs, one->gap_ms());
    if (!one->open_->sender.far_empty()) senders.push_back(&one->open_->sender);
  }
  note_error(take_acks(senders, engines_.leases, now), /*writing=*/false);
}

// Publishes for all members of the household: one message for each destination, whichever member it
// is from.
void Member::send(std::int64_t now) {
  Member* const self = this;
  std::vector<Sender*> senders;
  for (Member* const one : household_of(self)) {
    if (one == nullptr || now < one->open_->send_ms) continue;
    one->open_->send_ms = now + one->gap_ms();
    if (!one->open_->sender.far_empty()) senders.push_back(&one->open_->sender);
  }
  if (!senders.empty()) note_error(publish(senders, engines_.bus, now));
}

// Acknowledges, after the commits of all members of the household, what they have taken, and then
// trims it.
void Member::settle_all() {
  Member* const self = this;
  std::vector<Member*> settling;
  std::vector<Settling> all;
  for (Member* const one : household_of(self)) {
    if (one == nullptr || !std::exchange(one->open_->to_settle, false)) continue;
    settling.push_back(one);
    Open& its = *one->open_;
    all.push_back({its.receiver, one->lease(), its.cursor.stream, its.untrimmed});
  }
  if (all.empty()) return;
  std::vector<bool> ours;
  const Status done = settle(all, engines_.bus, engines_.leases, ours);
  note_error(done);
  for (std::size_t i = 0; done.ok() && i < settling.size(); ++i) {
    if (!ours[i]) settling[i]->lose(kNotOurs);
  }
}

void Member::exchange() {
  Open& open = *open_;
  const std::int64_t now = now_ms();
  if (now < open.due_ms() && !open.to_settle && open.unreported.empty()) return;
  // Copies and epochs are each member's own: no other member looks after them.
  open.own_ms = now + gap_ms();
  read_bus(now);
  if (away_) return;
  settle_all();
  ship();
  if (!away_ && now >= open.send_ms) send(now);
  if (!away_ && now >= open.acks_ms) read_acks(now);
  if (!away_ && !open.unreported.empty()) report_all();
  const std::optional<std::uint64_t> wanted = open.sender.wants_epoch();
  if (away_ || !wanted) return;
  const Status raised = raise(*wanted);
  note_error(raised);
  if (!raised.ok()) return;
  open.sender.stamp(lease().epoch);
  open.receiver.set_epoch(lease().epoch);
}

void Member::stage(const Admit& admit) {
  Open& open = *open_;
  const std::int64_t unix_ms = clock_.unix_ms();
  const auto take = [&](const Frame& frame) {
    if (open.receiver.take(frame, unix_ms) != Take::kAdmit) return;
    ++open.report.activity;
    admit(frame.source, frame.lines);
  };
  for (const Near::Batch& batch : open.near.batches)
    take({batch.source, settings_.partition, batch.epoch, batch.sequence, batch.lines});
  open.near.batches.clear();
  for (const bus::Message& message : open.messages) {
    std::string_view rest = message.bytes;
    Frame frame;
    FrameEvent event = FrameEvent::kEnd;
    while ((event = next_frame(rest, frame)) == FrameEvent::kFrame) take(frame);
    if (event == FrameEvent::kEnd || std::exchange(open.damaged_told, true)) continue;
    settings_.say(
        event == FrameEvent::kNewer
            ? "links come in the form of a newer version, and are left until this node has it"
            : "a batch of links came damaged, and will come again");
  }
  if (!open.messages.empty()) open.staged_through = open.cursor.place;
  open.messages.clear();
  const std::uint64_t generation = household_ == nullptr ? 0 : household_->generation();
  if (std::exchange(open.generation, generation) != generation) open.sender.neighbours_changed();
  open.receiver.stage();
  open.sender.stage(now_ms(), open.flush);
  // This alone is worth no commit.
  if (open.store.staged() != 0) open.clock.stage(open.store, unix_ms);
}

void Member::committed() {
  Open& open = *open_;
  open.sender.committed();
  open.receiver.committed();
  if (const Status kept = keep_epoch(); !kept.ok()) note_error(kept);
  if (!open.staged_through.id.empty()) open.untrimmed = std::exchange(open.staged_through, {});
  if (household_ != nullptr) give_near();
  // (After give_near(): acks that near members got are not for the engine.)
  open.to_settle = open.receiver.owes_acks() || !open.untrimmed.id.empty();
  // An engine that hangs would delay each turn for its time limit. With a household the next
  // exchange() settles.
  if (!away_ && household_ == nullptr) settle_all();
}

// --- the household -------------------------------------------------------------------------------

void Member::move_to(Household* household) {
  if (household_ != nullptr && open_ != nullptr && !away_) settle_all();
  if (household_ != nullptr) household_->remove(*this);
  household_ = household;
  if (household_ != nullptr) household_->add(*this);
}

bool Member::has_come() const { return open_ != nullptr && !open_->near.batches.empty(); }

void Member::hear(const Frame& frame) {
  open_->near.batches.push_back(
      {std::string(frame.source), frame.epoch, frame.sequence, std::string(frame.lines)});
}

void Member::hear(std::uint32_t from, const Ack& ack) {
  open_->sender.take_ack(from, ack, now_ms());
}

// Gives near members what is durable here; called after a commit.
void Member::give_near() {
  Open& open = *open_;
  const auto is_near = [this](std::string_view source) {
    return household_->named(source) != nullptr;
  };
  for (const auto& [source, ack] : open.receiver.changed_acks(is_near)) {
    Ack taken = ack;
    taken.kept = 0;
    household_->named(source)->hear(settings_.partition, taken);
    open.near.to_confirm[source] = ack;
  }
  confirm();
  open.sender.collect_near(now_ms(), [this](std::uint32_t to, const Frame& frame) {
    // A member that has gone since is served later, over the bus.
    if (Member* const member = household_->at(to); member != nullptr) member->hear(frame);
  });
}

void Member::confirm() {
  Near& near = open_->near;
  if (near.confirming.empty() && near.to_confirm.empty()) return;
  std::int64_t asked_ns = 0;
  {
    const std::lock_guard lock(mutex_);
    asked_ns = tenure_.asked_ns();
  }
  if (!near.confirming.empty() && asked_ns > near.since_ns) {
    for (const auto& [source, ack] : near.confirming) {
      if (Member* const member = household_->named(source); member != nullptr)
        member->hear(settings_.partition, ack);
    }
    near.confirming.clear();
  }
  if (!near.confirming.empty()) return;
  near.confirming.swap(near.to_confirm);
  near.since_ns = clock_.boot_ns();
}

}  // namespace spinneret::cluster
