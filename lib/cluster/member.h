// SPDX-License-Identifier: Apache-2.0
// One partition's owner: its lease, its state's outbox and inbox, and what it tells the other partitions. A scheduler takes
// part in a crawl by it.
//
//   Member member(settings, {bus, leases}, system_clock());
//   member.agree();                       // an Error: the crawl was begun with another policy, list, number of partitions
//   while (!member.take()) ...            // somebody else has it
//   beater.add(member);                   // renewals (beater.h)
//   while (!member.may_open()) ...        // the quarantine: the owner before may still send
//   member.open(store);                   // a new epoch, above all that anybody has heard of
//   Driver(..., {.neighbours = &member}).run();
//   beater.remove(member);
//   member.leave();                       // behind the store's end: the next one need not wait for the TTL
//
// What may be lost, repeated or forgotten by the engine costs time only: see channel.h. What another owner could see is written
// under the lease alone.
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
  // What all owners must agree on besides the number of partitions: "suffixes=1797b21d9a80eb80 ...".
  std::string terms = {};
  // Those of them that say which partition has a host: "suffixes=1797b21d9a80eb80".
  std::string map = {};
  // Where copies of the state go; borrowed. Then a link counts as kept once a copy has it, and not once it is committed.
  CopyPlace* copies = nullptr;
  // Sentences for the user.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

// How many partitions the crawl was begun with, by its table "crawl"; 0: it was not.
std::uint32_t partitions_of(const lease::Rows& crawl);
// Its domains that are spread over all of them.
std::vector<std::string> spread_of(const lease::Rows& crawl);

// Whether a crawl in so many partitions, on `terms` (MemberSettings), is the one which the engine knows by now; the first that asks
// begins it. `answered`: the engine has said so, and would again.
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
  // Whether agree() or open() failed for want of the engine or of the lease alone, and may go well later.
  bool may_come_back() const { return may_come_back_; }
  // True: the lease is ours. False: owner() has it.
  Result<bool> take();
  const std::string& owner() const { return owner_; }
  // What was taken; the engine's answer to a renewal of that, which was asked for then. From any thread.
  lease::Lease lease();
  void hear(const lease::Lease& held, lease::Renewed answer, std::int64_t asked_ns);
  bool may_open();
  // The state, whose store has the tables of a partition, from now on until its end. `replaces`: restore() has made it what the
  // crawl goes by in the place of that one.
  Status open(frontier::Store& store, const std::optional<std::string>& replaces = {});
  // Whom links may reach by a short cut; nullptr: nobody. From the thread that drives it, while a state is open.
  void move_to(Household* household);
  // What another one of the household gives.
  void hear(const Frame& frame);
  void hear(std::uint32_t from, const Ack& ack);
  // The lease is given back. Links that were not sent yet stay in the state.
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
  // How the copy that is on its way gets on, behind the end of the run. False: none is.
  bool ship();
  frontier::Traffic traffic() const override;
  bool over(const frontier::Situation& here) override;

 private:
  struct Open;  // what there is once a state is open

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
  bool away_ = false;  // the engine has not answered
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
