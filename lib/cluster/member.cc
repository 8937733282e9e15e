// SPDX-License-Identifier: Apache-2.0
#include "cluster/member.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"
#include "cluster/standing.h"
#include "cluster/store_tables.h"
#include "frontier/meta.h"

namespace spinneret::cluster {
namespace {

// How often the engine is asked for links, where there is work without them and where there is none, for acks, and told how things
// stand. Batches wait for two seconds until they are full: with 16 partitions on a machine, each asked every 50 ms, a third of its
// scheduler's CPU time went there, as each answer is acked and trimmed by itself.
constexpr std::int64_t kBusyReadMs = 300, kReadMs = 50;
constexpr std::int64_t kAcksMs = 500;
constexpr std::int64_t kReportMs = 1000;
// After an error.
constexpr std::int64_t kRestMs = 1000;
// What fails again and again with the same words is told so often.
constexpr std::int64_t kSayMs = 60'000;
constexpr std::size_t kReadMessages = 16;

constexpr std::string_view kCrawl = "crawl";
constexpr std::string_view kTerms = "terms", kPartitions = "partitions=";

}  // namespace

std::uint32_t partitions_of(const lease::Rows& crawl) {
  const auto terms = crawl.find(kTerms);
  if (terms == crawl.end()) return 0;
  std::string_view rest = terms->second;
  if (!rest.starts_with(kPartitions)) return 0;
  rest.remove_prefix(kPartitions.size());
  const auto count = parse_unsigned(cut(rest, ' '));
  return count && *count <= UINT32_MAX ? static_cast<std::uint32_t>(*count) : 0;
}

Status agree(lease::Leases& leases, std::uint32_t partitions, const std::string& terms,
             bool& answered) {
  std::string ours(kPartitions);
  append_unsigned(ours, partitions);
  if (!terms.empty()) ours += ' ' + terms;
  const Result<std::string> stands = leases.claim(kCrawl, kTerms, ours);
  answered = stands.ok();
  if (!stands.ok()) return stands.error();
  if (*stands == ours) return {};
  return Error{"this crawl was begun with \"" + *stands + "\", and here it is \"" + ours +
               "\": all nodes must be called with the same options, rules and seeds"};
}

namespace {

// What goes between those of one household.
struct Near {
  struct Batch {
    std::string source;
    std::uint64_t epoch = 0, sequence = 0;
    std::string lines;
  };
  using Acks = std::map<std::string, Ack, std::less<>>;  // by the source
  std::vector<Batch> batches;                            // given to us, and not staged
  Acks to_confirm;  // committed; their senders know what is taken alone
  Acks confirming;  // those of before since_ns
  std::int64_t since_ns = 0;
};

}  // namespace

struct Member::Open {
  Open(frontier::Store& its_store, const MemberSettings& settings,
       std::function<bool(std::uint32_t)> is_near)
      : store(its_store),
        tables(its_store),
        sender(tables,
               {.source = partition_name(settings.partition), .is_near = std::move(is_near)}),
        receiver(tables, {.partition = settings.partition, .copies = settings.copies != nullptr}),
        cursor{partition_name(settings.partition), {}},
        termination(settings.partitions) {
    if (settings.copies != nullptr) shipping.emplace(*settings.copies, settings.partition);
  }

  frontier::Store& store;
  StoreTables tables;
  Sender sender;
  Receiver receiver;
  std::optional<Shipping> shipping;
  bool idle = false;
  bus::Cursor cursor;
  std::vector<bus::Message> messages;  // read, and not staged
  Near near;
  bus::Place untrimmed;  // through which all is staged, and trimmed behind the commit
  bool flush = false;    // open batches go out as they are: nothing more will come into them soon
  bool damaged_told = false;
  std::string error;  // the last one that was told
  std::int64_t error_ms = 0;
  bool error_told = false;                                            // of the present one
  bool worked = false;                                                // it was not idle once
  std::int64_t read_ms = 0, send_ms = 0, acks_ms = 0, report_ms = 0;  // not before
  Report report;
  Standing standing;  // as it was reported last
  Pace pace;
  Termination termination;
};

Member::Member(MemberSettings settings, Engines engines, const Clock& clock)
    : settings_(std::move(settings)), engines_(engines), clock_(clock), tenure_(settings_.ttl_ms) {}

Member::~Member() { move_to(nullptr); }

// --- the lease ------------------------------------------------------------------------------------

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

// The same lease under an epoch that nobody has heard of.
Status Member::raise(std::uint64_t floor) {
  const Result<std::optional<std::uint64_t>> raised = engines_.leases.raise(lease(), floor);
  if (!raised.ok()) return raised.error();
  if (!*raised) {
    lose("another node has the partition now");
    return Error{"another node has the partition now"};
  }
  const std::lock_guard lock(mutex_);
  lease_.epoch = **raised;
  return {};
}

// --- the state ------------------------------------------------------------------------------------

namespace {

// What the engine goes by from now on: whoever is first, or, with `replaces`, this one.
Result<std::string> claim_state(lease::Leases& leases, const lease::Lease& lease,
                                const std::string& id, const std::optional<std::string>& replaces) {
  if (replaces) {
    const Result<bool> done = leases.compare_and_set(lease, kStates, lease.name, replaces, id);
    if (!done.ok()) return done.error();
    if (*done) return id;
  }
  return leases.claim(kStates, lease.name, id);
}

}  // namespace

Status Member::open(frontier::Store& store, const std::optional<std::string>& replaces) {
  // A new state is marked as one of this format, by the commit below.
  if (const Result<frontier::Meta> meta = frontier::read_meta(store); !meta.ok())
    return meta.error();
  open_ = std::make_unique<Open>(store, settings_, [this](std::uint32_t partition) {
    return household_ != nullptr && household_->at(partition) != nullptr;
  });
  // Whoever comes with a state that is not the one which the crawl goes by would begin the partition anew.
  const std::string id = name_state(store);
  const Result<std::string> stands = claim_state(engines_.leases, lease(), id, replaces);
  may_come_back_ = !stands.ok();
  if (!stands.ok()) return stands.error();
  if (*stands != id)
    return Error{"partition " + std::to_string(settings_.partition) + " has its state elsewhere (" +
                 *stands + ", and here is " + id +
                 "): bring its folder here, or let a node that has it go on"};
  if (open_->shipping) {
    const Status known = open_->shipping->open(engines_.leases);
    may_come_back_ = !known.ok();
    if (!known.ok()) return known;
  }
  Sender& sender = open_->sender;
  if (const Status done = sender.open(); !done.ok()) return done;
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
  return {};
}

bool Member::copy_due(bool by_time) {
  const Open& open = *open_;
  if (!open.shipping) return by_time;
  return open.shipping->due(by_time, open.idle && open.receiver.wants_copies(), now_ms());
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
  if (ours.ok() && !*ours) lose("another node has the partition now");
  if (ours.ok()) return *ours && open.shipping->busy();
  if (open.shipping->busy()) {
    note_error(ours.error());  // the engine has not been told
  } else {
    settings_.say(ours.message());
  }
  return false;
}

void Member::offer(std::uint32_t partition, std::string_view line) {
  open_->sender.offer(partition, line, now_ms());
  ++open_->report.activity;
}

// An engine that is away is told once, and asked again a second later, for links.
void Member::note_error(const Status& status) {
  if (status.ok() || std::exchange(away_, true)) return;
  Open& open = *open_;
  const std::int64_t now = now_ms();
  open.read_ms = now + kRestMs;
  open.error_told = status.message() != open.error || now >= open.error_ms + kSayMs;
  if (!open.error_told) return;
  open.error = status.message();
  open.error_ms = now;
  settings_.say(open.error);
}

// Also for the others of the household, so that an engine that does not answer holds nobody up but once.
void Member::read_bus(std::int64_t now) {
  if (now < open_->read_ms) return;
  Member* const self = this;
  std::vector<Member*> readers;
  std::vector<bus::Cursor> cursors;
  for (Member* const one : household_ == nullptr ? std::span(&self, 1) : household_->members()) {
    if (one == nullptr || !one->open_->messages.empty()) continue;
    readers.push_back(one);
    cursors.push_back(one->open_->cursor);
  }
  std::vector<bus::Message> messages;
  const Status done = engines_.bus.read(cursors, kReadMessages, 0, messages);
  for (std::size_t i = 0; i < readers.size(); ++i)
    readers[i]->open_->cursor.place = cursors[i].place;
  for (bus::Message& message : messages)
    readers[message.cursor]->open_->messages.push_back(std::move(message));
  note_error(done);
  for (Member* const reader : readers) reader->note_read(done, now);
}

void Member::note_read(const Status& done, std::int64_t now) {
  Open& open = *open_;
  if (!done.ok()) {
    if (!std::exchange(away_, true)) open.error_told = false;  // another one has told it
  } else if (std::exchange(away_, false) && open.error_told) {
    settings_.say("the engine answers again");
  }
  const bool more = open.messages.size() >= kReadMessages;
  open.read_ms = now + (!done.ok() ? kRestMs : more ? 0 : gap_ms());
}

std::int64_t Member::gap_ms() const { return open_->idle ? kReadMs : kBusyReadMs; }

void Member::exchange() {
  Open& open = *open_;
  const std::int64_t now = now_ms();
  if (now < open.read_ms && now < open.send_ms && now < open.acks_ms) return;
  read_bus(now);
  if (away_) return;
  ship();
  if (now >= open.send_ms) {
    open.send_ms = now + gap_ms();
    Sender* const senders[] = {&open.sender};
    note_error(publish(senders, engines_.bus, now));
  }
  if (away_ || now < open.acks_ms) return;
  open.acks_ms = now + kAcksMs;
  if (!open.sender.far_empty()) note_error(take_acks(open.sender, engines_.leases, now));
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
  if (!open.messages.empty()) open.untrimmed = open.cursor.place;
  open.messages.clear();
  open.sender.stage(now_ms(), open.flush);
}

void Member::committed() {
  Open& open = *open_;
  open.sender.committed();
  open.receiver.committed();
  if (household_ != nullptr) give_near();
  if (away_) return;  // an engine that stands still would hold each turn for its time limit
  const Result<bool> ours = settle(open.receiver, engines_.bus, engines_.leases, lease(),
                                   open.cursor.stream, open.untrimmed);
  if (!ours.ok()) note_error(ours.error());
  if (ours.ok() && !*ours) lose("another node has the partition now");
}

// --- the household ---------------------------------------------------------------------------------

void Member::move_to(Household* household) {
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

// Behind a commit: what is durable here goes on.
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
    // One that has gone since is asked again later, over the bus.
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

// --- the end --------------------------------------------------------------------------------------

void Member::report(const frontier::Situation& here) {
  Open& open = *open_;
  const lease::Lease held = lease();
  open.report.epoch = held.epoch;
  open.report.idle = here.idle;
  open.report.outbox_empty = open.sender.empty();
  ++open.report.beat;
  std::uint64_t outbox = 0;
  for (const Sender::LaneStatus& lane : open.sender.lanes()) outbox += lane.waiting + lane.taken;
  const std::int64_t now = now_ms();
  open.pace.add(here.pages, now);
  open.standing = {open.report,
                   here.pages,
                   here.waiting,
                   here.in_flight,
                   outbox,
                   static_cast<std::uint64_t>(open.sender.lag_ms(now)),
                   open.pace.per_1000_s(),
                   here.given_up};
  const lease::Leases::Row rows[] = {{std::string(kReportsTable),
                                      std::to_string(settings_.partition),
                                      format_standing(open.standing), 0}};
  const Result<bool> written = engines_.leases.write(held, rows);
  if (!written.ok()) note_error(written.error());
  if (written.ok() && !*written) lose("another node has the partition now");
}

frontier::Traffic Member::traffic() const {
  const Standing& last = open_->standing;
  return {last.report.epoch, last.outbox, last.lag_ms};
}

// By what all have reported, or what somebody else has found.
bool Member::judge() {
  const Result<lease::Rows> crawl = engines_.leases.read(kCrawl);
  const Result<lease::Rows> rows = engines_.leases.read(kReportsTable);
  if (!crawl.ok() || !rows.ok()) return false;
  if (crawl->contains("finished")) return true;
  std::vector<Report> reports(settings_.partitions);
  std::vector<std::string> names;
  for (std::uint32_t p = 0; p < settings_.partitions; ++p) names.push_back(partition_name(p));
  std::vector<lease::Leases::Holder> holders;
  if (!engines_.leases.holders(names, holders).ok() || holders.size() != names.size()) return false;
  for (std::uint32_t p = 0; p < settings_.partitions; ++p) {
    const auto row = rows->find(std::to_string(p));
    Standing standing;
    if (row != rows->end() && parse_standing(row->second, standing)) reports[p] = standing.report;
    reports[p].holder = holders[p].node.empty() ? 0 : holders[p].epoch;
  }
  if (!open_->termination.round(reports)) return false;
  return engines_.leases.claim(kCrawl, "finished", "yes").ok();
}

bool Member::over(const frontier::Situation& here) {
  Open& open = *open_;
  frontier::Situation now_here = here;
  const bool idle = now_here.idle = here.idle && open.messages.empty() && !has_come();
  open.flush = open.idle = idle;
  if (!idle) ++open.report.activity;
  if (!idle && !std::exchange(open.worked, true)) {
    // What an earlier run has said is over: there is work again.
    if (const Status erased = engines_.leases.erase(kCrawl, "finished"); !erased.ok())
      note_error(erased);
  }
  const std::int64_t now = now_ms();
  if (over_ || now < open.report_ms) return over_ && idle;
  open.report_ms = now + kReportMs;
  report(now_here);
  over_ = idle && !away_ && judge();
  return over_;
}

}  // namespace spinneret::cluster
