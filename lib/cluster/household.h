// SPDX-License-Identifier: Apache-2.0
// The partitions that one process has at a time: links between them take a short cut, and never see the engine.
//
//   household.add(member);  ...  household.remove(member);      // between its open() and its leave()
//
// What is given from one to another is what the bus would carry (channel.h), by a call: a frame, and its ack. A batch goes into the
// sender's outbox in the commit of the page that it was found on, as ever, and out of there once it is kept; the receiver has a row
// of its inbox in the commit that admits it. So the guarantees are those of the bus, and this is a bus that seldom loses:
//
//   - The process dies, at any moment: what it had in memory is as lost as a message. The outbox is sent again, under a new epoch,
//     and the inbox tells what was taken.
//   - The receiver goes, or its lease is lost, while the sender stays: the frames that it had not committed are lost, no ack comes,
//     and the sender asks again, over the bus.
//   - The sender goes: whoever has it next stamps its outbox anew. What this process still gives bears a lower epoch.
//   - The receiver has lost its lease and does not know it. Over the engine its ack would be refused. Here an ack says at once what
//     is *taken*, which moves the window and deletes nothing; what is *kept* it says only once the engine has confirmed the lease
//     by a renewal that was asked for after the commit. Until then nobody else had the lease, so whoever has it next opens the
//     state after that commit, and finds the links in it. No clock is asked, so a pause that no clock has seen costs nothing.
//
// All are of one node, by whose name leases are fenced. Whoever is the first to ask the engine for what has come from elsewhere, or to
// tell it something, does so for all: one call, and one wait where it hangs.
//
// Not thread-safe: of the thread that drives the partitions.
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
  // Borrowed.
  void add(Member& member);
  void remove(const Member& member);
  // Who has that partition here; nullptr: nobody.
  Member* at(std::uint32_t partition) const;
  // All of them; nullptr where a partition is not here.
  std::span<Member* const> members() const { return members_; }
  // Another one with each that comes or goes.
  std::uint64_t generation() const { return generation_; }
  // The same as at() by the name of a source.
  Member* named(std::string_view source) const;

 private:
  std::vector<Member*> members_;  // by partition
  std::uint64_t generation_ = 1;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_HOUSEHOLD_H_
