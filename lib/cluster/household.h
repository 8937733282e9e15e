// SPDX-License-Identifier: Apache-2.0
// The partitions that one process has at present: links between them take a short cut, past the
// engine.
//
//   household.add(member);  ...  household.remove(member);   // between its open() and its leave()
//
// One partition gives another what the bus would carry (channel.h), a frame and its ack, by a call.
// As ever, a batch enters the sender's outbox in the commit of the page on which it was found, and
// leaves it once it is kept; the receiver has a row in its inbox in the commit that admits the
// batch. So the guarantees are those of the bus, and this is a bus that seldom loses anything:
//
// - The process dies at any moment: what was in its memory is lost like a message. The outbox is
//   sent again under a new epoch, and the inbox tells what was taken.
// - The receiver leaves, or loses its lease, while the sender stays: the frames not committed are
//   lost, no ack comes, and the sender sends them again over the bus.
// - The sender leaves: its next owner renumbers its outbox. What this process still gives bears a
//   lower epoch.
// - The receiver has lost its lease without knowing. The engine would refuse its ack. Here an ack
//   at once says only what is *taken*, which moves the window and deletes nothing. It says what is
//   *kept* only once the engine has confirmed the lease by a renewal that was asked for after the
//   commit. Until then nobody else had the lease, so its next owner opens the state after that
//   commit, and finds the links in it. No clock is involved, so a pause that no clock has seen does
//   no harm.
//
// All members belong to one node, by whose name leases are fenced. The first member that asks the
// engine for news, or tells it something, does so for all: with one call, and one wait where the
// engine hangs.
//
// Not thread-safe: for the thread that drives the partitions.
#ifndef SPINNERET_CLUSTER_HOUSEHOLD_H_
#define SPINNERET_CLUSTER_HOUSEHOLD_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spinneret::cluster {

class Member;

class Household {
 public:
  // Borrows the member.
  void add(Member& member);
  void remove(const Member& member);
  // Returns the owner of that partition here; nullptr: there is none.
  Member* at(std::uint32_t partition) const;
  // The members by partition; nullptr for partitions that are not here.
  std::span<Member* const> members() const { return members_; }
  // A number that changes with each member that comes or goes.
  std::uint64_t generation() const { return generation_; }
  // Like at(), by the name of a source.
  Member* named(std::string_view source) const;

 private:
  std::vector<Member*> members_;  // by partition
  std::uint64_t generation_ = 1;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_HOUSEHOLD_H_
