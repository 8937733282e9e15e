// SPDX-License-Identifier: Apache-2.0
// Leases say who owns a partition, and guard what only its owner may write.
//
//   const auto asked = clock.boot_ns();
//   Result<lease::Taken> taken = leases.take("p17", floor);
//   if (taken.ok() && taken->granted) tenure.granted(asked, clock.boot_ns());  // Tenure, below
//   leases.renew(held, answers);                      // all leases of a node, each TTL/10
//   leases.write(lease, {{"acks-p3", "17", bytes}});  // false: this node does not own it any more
//
// A lease lasts its TTL by the engine's clock. An epoch belongs to one tenure of one node and is
// **never reused**: it is above the engine's counter, the caller's `floor` (the highest epoch in
// its state, in refusals and answers), and the wall clock in milliseconds. So even an engine that
// forgets everything never hands out an epoch twice.
//
// Not thread-safe. Renewals need an object (a connection) of their own, so that no other call
// delays them. What a call has granted counts only where as many replicas confirmed it as the crawl
// asks for; else the call fails, and the caller has nothing.
#ifndef SPINNERET_LEASE_LEASE_H_
#define SPINNERET_LEASE_LEASE_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret::lease {

// One tenure: the name of what was taken, and the epoch under which it was.
struct Lease {
  std::string name;  // [a-z0-9-]+
  std::uint64_t epoch = 0;
};

struct Taken {
  bool granted = false;
  Lease lease;                    // where granted
  std::string owner;              // where not: the node that has it
  std::int64_t remaining_ms = 0;  // where not: the least time for which that node has it
};

enum class Renewed : std::uint8_t {
  kHeld,
  kForgotten,  // the engine knows no such lease: step down, and take it anew (with its quarantine)
  kLost,       // another node has it: step down
};

// Rows of a small table in the engine, by field.
using Rows = std::map<std::string, std::string, std::less<>>;

// 2^52. An epoch at or above this was made up; engines count in doubles.
inline constexpr std::uint64_t kEpochLimit = std::uint64_t{1} << 52;

// Returns the epoch after all of these: the engine's counter, the state's own, the highest that a
// refusal or an inbox named, the wall clock in milliseconds. Numbers at or above the limit are
// ignored.
inline std::uint64_t next_epoch(std::initializer_list<std::uint64_t> known) {
  std::uint64_t highest = 0;
  for (const std::uint64_t one : known) {
    if (one < kEpochLimit) highest = std::max(highest, one);
  }
  return highest + 1;
}

// Returns what the new epoch must exceed besides the engine's counter: the floor, and the wall
// clock.
inline std::uint64_t epoch_floor(std::uint64_t floor, std::int64_t unix_ms) {
  return next_epoch({floor, static_cast<std::uint64_t>(std::max<std::int64_t>(unix_ms, 0))}) - 1;
}

class Leases {
 public:
  virtual ~Leases() = default;

  // Takes the lease if no node has it, not even this one: after a restart its own old lease must
  // run out, too. The epoch is above `floor`.
  virtual Result<Taken> take(std::string_view name, std::uint64_t floor) = 0;
  // Extends the leases, and answers for each in order. Creates none: a lease that was forgotten
  // stays so.
  virtual Status renew(std::span<const Lease> held, std::vector<Renewed>& answers) = 0;
  // Gives the tenure a new epoch, above the old one and `floor`, because a state or a receiver
  // turned out to know a higher one. No value: this node is not the owner any more.
  virtual Result<std::optional<std::uint64_t>> raise(const Lease& lease, std::uint64_t floor) = 0;
  // Gives the lease back: the next owner need not wait until the TTL runs out (only for its
  // quarantine). False: this node is not the owner any more.
  virtual Result<bool> release(const Lease& lease) = 0;

  // Writes rows, fenced: returns false, and writes nothing, where this node does not hold `lease`
  // under this epoch.
  struct Row {
    std::string table, field, value;
    std::int64_t keep_ms = 0;  // the table expires this long after its last write; 0: never
  };
  Result<bool> write(const Lease& lease, std::span<const Row> rows) {
    const Writing one = {lease, {rows.begin(), rows.end()}};
    std::vector<bool> written;
    if (const Status done = write_each({&one, 1}, written); !done.ok()) return done.error();
    return bool{written.front()};
  }
  // Writes the rows of several leases by one round trip, with an answer for each in order. The
  // answers are independent. Where the call fails, each may be written or not.
  struct Writing {
    Lease lease;
    std::vector<Row> rows;
  };
  virtual Status write_each(std::span<const Writing> all, std::vector<bool>& written) = 0;
  // Sets a row, fenced, and only where its value is `expected` (no value: where there is no such
  // row). False: it was another, or this node is not the owner.
  virtual Result<bool> compare_and_set(const Lease& lease, std::string_view table,
                                       std::string_view field,
                                       const std::optional<std::string>& expected,
                                       std::string_view value) = 0;
  // Sets a row unless it exists, unfenced. Returns its value from now on: ours, or that of whoever
  // was first.
  virtual Result<std::string> claim(std::string_view table, std::string_view field,
                                    std::string_view value) = 0;
  // Returns every row of the table. Unfenced.
  virtual Result<Rows> read(std::string_view table) = 0;
  // Erases a row. Unfenced.
  virtual Status erase(std::string_view table, std::string_view field) = 0;
  // Says who holds the leases named, in order; `node` is empty where nobody does.
  struct Holder {
    std::string node;
    std::uint64_t epoch = 0;
    std::int64_t remaining_ms = 0;
  };
  virtual Status holders(std::span<const std::string> names, std::vector<Holder>& holders) = 0;
  // Does renew(), read() of each table, and holders(), by one round trip where the engine can.
  struct View {
    std::vector<Renewed> answers;
    std::vector<Rows> tables;
    std::vector<Holder> holders;
  };
  virtual Status look(std::span<const Lease> held, std::span<const std::string_view> tables,
                      std::span<const std::string> names, View& out) {
    out.tables.clear();
    if (Status done = renew(held, out.answers); !done.ok()) return done;
    for (const std::string_view table : tables) {
      Result<Rows> rows = read(table);
      if (!rows.ok()) return rows.error();
      out.tables.push_back(rows.take());
    }
    return holders(names, out.holders);
  }

  // Whether the engine itself refused the last call, which asking again does not change: it refuses
  // the password or the request, has the crawl of another version, or another program's keys where
  // ours belong.
  virtual bool refused() const { return false; }

  // The fence of a lease, for Bus::trim.
  virtual std::string fence_key(const Lease& lease) const = 0;
  virtual std::string fence_value(const Lease& lease) const = 0;
};

// Erases every row of the table, one by one.
inline Status erase_all(Leases& leases, std::string_view table) {
  const Result<Rows> rows = leases.read(table);
  if (!rows.ok()) return rows.error();
  for (const auto& [field, value] : *rows) {
    if (Status erased = leases.erase(table, field); !erased.ok()) return erased;
  }
  return {};
}

// Says when the owner of a lease may open its state and send, and when it must stop. Times are
// Clock::boot_ns().
//
//   asked       granted              open, send            no answer for 2 beats    deadline
//     |------------|------- TTL --------|----------- ... -------------|---------------|
//                  |<--- quarantine --->|                             silent until an answer
//
// The deadline is 0.9 TTL after the last good request was about to be sent; the quarantine is one
// TTL after the grant. So the old owner's last send is over before the new owner's first, with
// clock rates within 10 % and without a common clock.
class Tenure {
 public:
  explicit Tenure(std::int64_t ttl_ms) : ttl_ns_(ttl_ms * 1'000'000) {}
  void granted(std::int64_t asked_ns, std::int64_t answered_ns) {
    asked_ns_ = asked_ns;
    opens_ns_ = answered_ns + ttl_ns_;
    held_ = true;
  }
  // Notes a good answer to the renewal that was asked for at `asked_ns`. Answers that overtake each
  // other never shorten the tenure.
  void renewed(std::int64_t asked_ns) {
    if (held_ && asked_ns > asked_ns_) asked_ns_ = asked_ns;
  }
  void end() { held_ = false; }

  bool held(std::int64_t now_ns) const { return held_ && now_ns < deadline_ns(); }
  bool may_open(std::int64_t now_ns) const { return held(now_ns) && now_ns >= opens_ns_; }
  // Nothing new is sent once two beats have brought no answer: the machine may have been suspended
  // without its clocks noticing.
  bool may_send(std::int64_t now_ns) const {
    return may_open(now_ns) && now_ns - asked_ns_ <= 2 * beat_ns() + beat_ns() / 2;
  }
  // No request may begin after this time; transfers end by deadline + TTL/10.
  std::int64_t deadline_ns() const { return asked_ns_ + ttl_ns_ / 10 * 9; }
  // Time between renewals.
  std::int64_t beat_ns() const { return ttl_ns_ / 10; }
  // When the last good answer was asked for: nobody else had the lease until then, by the engine.
  std::int64_t asked_ns() const { return asked_ns_; }

 private:
  std::int64_t ttl_ns_;
  std::int64_t asked_ns_ = 0;
  std::int64_t opens_ns_ = 0;
  bool held_ = false;
};

}  // namespace spinneret::lease

#endif  // SPINNERET_LEASE_LEASE_H_
