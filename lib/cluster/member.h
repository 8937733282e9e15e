// SPDX-License-Identifier: Apache-2.0
// The owner of one partition: its lease, its state's outbox and inbox, and its reports to the other
// partitions. Through it a scheduler takes part in a crawl.
//
//   Member member(settings, {bus, leases}, system_clock());
//   member.agree();                 // an Error: the crawl has other terms, or partitions
//   while (!member.take()) ...      // another node has the partition
//   beater.add(member);             // renewals (beater.h)
//   while (!member.may_open()) ...  // the quarantine: the former owner may still send
//   member.open(store);             // a new epoch, above all that anybody has seen
//   Driver(..., {.neighbours = &member}).run();
//   beater.remove(member);
//   member.leave();                 // after the store's end: spares the next owner the TTL
//
// What the engine loses, repeats or forgets costs time only: see channel.h. What other owners can
// see is written only under the lease.
#ifndef SPINNERET_CLUSTER_MEMBER_H_
#define SPINNERET_CLUSTER_MEMBER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "bus/bus.h"
#include "cluster/channel.h"
#include "cluster/copies.h"
#include "cluster/frame.h"
#include "cluster/household.h"
#include "cluster/termination.h"
#include "frontier/neighbours.h"
#include "frontier/store.h"
#include "lease/lease.h"

namespace spinneret::cluster {

struct MemberSettings {
  std::uint32_t partition = 0, partitions = 1;
  std::int64_t ttl_ms = 10'000;
  // The terms on which all owners must agree besides the number of partitions:
  // "suffixes=1797b21d9a80eb80 ...".
  std::string terms = {};
  // The part of the terms that decides which partition has a host: "suffixes=1797b21d9a80eb80".
  std::string map = {};
  // Where copies of the state go; borrowed. With it a link counts as kept once a copy has it,
  // instead of once it is committed.
  CopyPlace* copies = nullptr;
  // Gets messages for the user.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

// Returns the number of partitions with which the crawl was begun, from its table "crawl"; 0: it
// was not begun.
std::uint32_t partitions_of(const lease::Rows& crawl);
// Returns the domains that the crawl spreads over all partitions.
std::vector<std::string> spread_of(const lease::Rows& crawl);

// Checks that a crawl with this number of partitions, on `terms` (MemberSettings), is the one that
// the engine knows; the first caller begins the crawl. `answered`: the engine has answered, and
// would do so again.
Status agree(lease::Leases& leases, std::uint32_t partitions, const std::string& terms,
             bool& answered);

class Member : public frontier::Neighbours {
 public:
  // Borrowed.
  struct Engines {
    bus::Bus& bus;
    lease::Leases& leases;
  };
  Member(MemberSettings settings, Engines engines, const Clock& clock);
  ~Member() override;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  std::uint32_t partition() const { return settings_.partition; }
  Status agree();
  // Whether agree() or open() failed only because of the engine or the lease, so that another
  // attempt may succeed.
  bool may_come_back() const { return may_come_back_; }
  // Takes the lease. False: owner() has it.
  Result<bool> take();
  const std::string& owner() const { return owner_; }
  // lease() returns the lease that was taken. hear() gets the engine's answer to a renewal of it
  // that was asked for at `asked_ns`. Both from any thread.
  lease::Lease lease();
  void hear(const lease::Lease& held, lease::Renewed answer, std::int64_t asked_ns);
  bool may_open();
  // Opens the state; `store` must have the tables of a partition, and is used until the member's
  // end. `replaces` is the state in whose place restore() has made this one the state that the
  // crawl goes by.
  Status open(frontier::Store& store, const std::optional<std::string>& replaces = {});
  // Sets the household, whose members links reach by a short cut; nullptr: none. From the thread
  // that drives it, while a state is open.
  void move_to(Household* household);
  // Get a frame, and an ack, from another member of the household.
  void hear(const Frame& frame);
  void hear(std::uint32_t from, const Ack& ack);
  // Gives the lease back. Links that were not sent yet stay in the state.
  void leave();

  void offer(std::uint32_t partition, std::string_view line) override;
  void exchange() override;
  void stage(const Admit& admit) override;
  void committed() override;
  bool has_come() const override;
  bool may_send() override;
  std::int64_t send_by_ms() override;
  std::int64_t end_by_ms() override;
  std::string_view lost() override;
  bool copy_due(bool by_time) override;
  void copied(const std::string& folder) override;
  // Goes on with the copy that is on its way, after the end of the run. False: there is none.
  bool ship();
  frontier::Traffic traffic() const override;
  bool over(const frontier::Situation& here) override;

 private:
  struct Open;  // what exists while a state is open

  std::int64_t now_ms() const { return clock_.boot_ns() / 1'000'000; }
  void lose(const std::string& why);
  void note_error(const Status& status, bool writing = true);
  bool is_told(const std::string& error, std::int64_t now_ms) const;
  Status raise(std::uint64_t floor);
  Status keep_epoch();
  Status claim(frontier::Store& store, const std::optional<std::string>& replaces);
  std::span<Member* const> household_of(Member* const& self) const;
  void read_bus(std::int64_t now_ms);
  void read_acks(std::int64_t now_ms);
  void note_read(const Status& done, std::int64_t now_ms);
  void send(std::int64_t now_ms);
  void settle_all();
  std::int64_t gap_ms() const;
  void report(const frontier::Situation& here, std::int64_t now_ms);
  void report_all();
  void learn_begun(std::int64_t now_ms);
  void judge();
  bool others_work() const;
  void give_near();
  void confirm();

  MemberSettings settings_;
  Engines engines_;
  const Clock& clock_;
  std::string owner_;
  std::unique_ptr<Open> open_;
  Household* household_ = nullptr;
  bool away_ = false;  // the engine did not answer last time
  bool may_come_back_ = false;
  bool over_ = false;
  std::string lost_text_;

  std::mutex mutex_;  // guards what follows
  lease::Lease lease_;
  lease::Tenure tenure_;
  std::string lost_;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_MEMBER_H_
