// SPDX-License-Identifier: Apache-2.0
// Renews the leases of all partitions of a process, each tenth of the TTL, by one call in a thread
// of its own: nothing delays it, and sixteen partitions cost as much as one.
//
//   Beater beater(leases, system_clock(), ttl_ms);     // `leases`: a connection of its own
//   beater.add(member);  ...  beater.remove(member);   // from any thread
#ifndef SPINNERET_CLUSTER_BEATER_H_
#define SPINNERET_CLUSTER_BEATER_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/deadlines.h"
#include "lease/lease.h"

namespace spinneret::cluster {

class Member;

// Renews the leases of all members once. `deadlines`, if given, are extended for their partitions.
void renew(std::span<Member* const> members, lease::Leases& leases, const Clock& clock,
           Deadlines* deadlines = nullptr);

class Beater {
 public:
  Beater(std::unique_ptr<lease::Leases> leases, const Clock& clock, std::int64_t ttl_ms,
         std::unique_ptr<Deadlines> deadlines = nullptr);
  ~Beater();
  Beater(const Beater&) = delete;
  Beater& operator=(const Beater&) = delete;

  // Borrows the member. Both calls wait for a renewal that is under way; after remove() the member
  // hears of no other.
  void add(Member& member);
  void remove(const Member& member);
  // The deadlines by partition number; nullptr: none.
  Deadlines* deadlines() const { return deadlines_.get(); }

 private:
  void run();

  const std::unique_ptr<lease::Leases> leases_;
  const Clock& clock_;
  const std::int64_t gap_ns_;
  const std::unique_ptr<Deadlines> deadlines_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::vector<Member*> members_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_BEATER_H_
