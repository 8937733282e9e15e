// SPDX-License-Identifier: Apache-2.0
// The other partitions of a crawl, as a scheduler sees them: where links that are not its own go,
// what comes from them, whether it may send at all, and when all of them are done. cluster/member.h
// implements it; in tests, a twin does.
//
//   each turn: exchange() -> stage(admit) -> frontier.seal(), commit() -> committed() -> may_send()
//
// stage() stages rows that must be in one batch with the links that it gives to `admit`: nothing
// may be committed between it and the commit that holds both.
#ifndef SPINNERET_FRONTIER_NEIGHBOURS_H_
#define SPINNERET_FRONTIER_NEIGHBOURS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret::frontier {

// How a partition stands: to find the end of the crawl, and for monitoring.
struct Situation {
  bool idle = false;  // nothing is queued, due or in flight
  std::uint64_t pages = 0, waiting = 0, in_flight = 0;
  std::uint64_t given_up = 0;  // hosts, and seeds that were not reached
  std::uint64_t done = 0;      // known URLs that were answered
};

// What is between a partition and the others, for monitoring.
struct Traffic {
  std::uint64_t epoch = 0;
  std::uint64_t outbox = 0;  // batches that nobody else has stored yet
  std::uint64_t lag_ms = 0;  // how long the oldest link there has waited to be taken
};

class Neighbours {
 public:
  virtual ~Neighbours() = default;

  // Takes a link of another partition: its line, without a line end. Durable with the commit behind
  // the next stage().
  virtual void offer(std::uint32_t partition, std::string_view line) = 0;

  // Sends what is due and reads what has come. May wait for the engine, and need not be called in
  // every turn.
  virtual void exchange() = 0;
  // Stages all that is to be durable. Gives what was taken from each `source`, as lines with line
  // ends.
  using Admit = std::function<void(std::string_view source, std::string_view lines)>;
  virtual void stage(const Admit& admit) = 0;
  // Notes that what stage() has staged is durable.
  virtual void committed() = 0;

  // Whether links are here that stage() would give: then no turn should wait.
  virtual bool has_come() const { return false; }

  // Whether anything may go out now.
  virtual bool may_send() = 0;
  // No request may begin after send_by_ms(), and none go on after end_by_ms(), by Clock::boot_ns()
  // in milliseconds.
  virtual std::int64_t send_by_ms() = 0;
  virtual std::int64_t end_by_ms() = 0;
  // Why this partition is no longer ours; empty: it is.
  virtual std::string_view lost() = 0;

  // Whether a copy of the state is to be made now; `by_time`: it is time for one.
  virtual bool copy_due(bool by_time) { return by_time; }
  // Takes such a copy, in `folder`, of what is committed at this moment. It stays as it is until
  // another is due.
  virtual void copied(const std::string& folder) { static_cast<void>(folder); }

  // The traffic as it was a moment ago; costs nothing.
  virtual Traffic traffic() const { return {}; }
  // True once all partitions are idle, and nothing is between them.
  virtual bool over(const Situation& here) = 0;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_NEIGHBOURS_H_
