// SPDX-License-Identifier: Apache-2.0
// Who owns a partition, and what only its owner may write.
//
//   Result<lease::Taken> taken = leases.take("p17", floor);      // at now = clock.boot_ns(), taken before the call
//   if (taken.ok() && taken->granted) tenure.take(now, ...);     // tenure.h: quarantine, deadline
//   leases.renew(held, states);                                  // all that a node holds, each TTL/10, by one call
//   leases.write(lease, {{"acks-p3", "17", bytes}});             // false: somebody else owns it, or nobody does
//
// A lease lasts its TTL from the engine's view. An epoch belongs to one tenure of one node and is **never reused**: it is
// above every epoch that the engine's counter, the caller's `floor` (its state, refusals, answers) and the wall clock in
// milliseconds name. An engine that forgets everything so hands out none twice.
//
// Not thread-safe. Renewals want an object (a connection) of their own, so that nothing stands in front of them.
// What a call has granted counts only where as many replicas as were asked for confirmed it: else the call fails, and
// the caller has nothing.
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

// One tenure: what was taken, and by which epoch.
struct Lease {
  std::string name;  // [a-z0-9-]+
  std::uint64_t epoch = 0;
};

struct Taken {
  bool granted = false;
  Lease lease;                    // where granted
  std::string owner;              // else: the node that has it
  std::int64_t remaining_ms = 0;  // and for how long at least
};

enum class Renewed : std::uint8_t {
  kHeld,
  kForgotten,  // the engine knows no such lease: step down, and take it anew (with its quarantine)
  kLost,       // somebody else has it: step down
};

// Rows of a small table of the engine's, by field.
using Rows = std::map<std::string, std::string, std::less<>>;

// 2^52: what claims to be later was made up (an engine counts in doubles).
inline constexpr std::uint64_t kEpochLimit = std::uint64_t{1} << 52;

// The epoch after all of these: the engine's counter, the state's own, the highest that a refusal or an inbox named, the
// wall clock's milliseconds. Those beyond the limit name nothing.
inline std::uint64_t next_epoch(std::initializer_list<std::uint64_t> known) {
  std::uint64_t highest = 0;
  for (const std::uint64_t one : known) {
    if (one < kEpochLimit) highest = std::max(highest, one);
  }
  return highest + 1;
}

// What an engine's counter has to be above: the floor, and the wall clock.
inline std::uint64_t epoch_floor(std::uint64_t floor, std::int64_t unix_ms) {
  return next_epoch({floor, static_cast<std::uint64_t>(std::max<std::int64_t>(unix_ms, 0))}) - 1;
}

class Leases {
 public:
  virtual ~Leases() = default;

  // Takes the lease if nobody has it, not even this node (after a restart its own old lease must run out, too). The
  // epoch is above `floor`.
  virtual Result<Taken> take(std::string_view name, std::uint64_t floor) = 0;
  // One answer for each, in order. Nothing is created: what was forgotten stays so.
  virtual Status renew(std::span<const Lease> held, std::vector<Renewed>& answers) = 0;
  // The same tenure under a new epoch, above the old one and `floor`: for a state or a receiver that turned out to know a
  // higher one. No value: no longer the owner.
  virtual Result<std::optional<std::uint64_t>> raise(const Lease& lease, std::uint64_t floor) = 0;
  // The next one need not wait for the TTL to run out (though for its quarantine). False: no longer the owner.
  virtual Result<bool> release(const Lease& lease) = 0;

  // Fenced: false, and nothing of it is written, where `lease` is not held by this node under this epoch.
  struct Row {
    std::string table, field, value;
    std::int64_t keep_ms = 0;  // the whole table goes so long after its last write; 0: never
  };
  Result<bool> write(const Lease& lease, std::span<const Row> rows) {
    const Writing one = {lease, {rows.begin(), rows.end()}};
    std::vector<bool> written;
    if (const Status done = write_each({&one, 1}, written); !done.ok()) return done.error();
    return bool{written.front()};
  }
  // The same for several leases, an answer for each in order, whatever those of the others are. One round trip for all. Where the
  // call fails, each may be written or not.
  struct Writing {
    Lease lease;
    std::vector<Row> rows;
  };
  virtual Status write_each(std::span<const Writing> all, std::vector<bool>& written) = 0;
  // Fenced, and only where the row is `expected` (no value: where there is none). False: it was not, or not the owner.
  virtual Result<bool> compare_and_set(const Lease& lease, std::string_view table,
                                       std::string_view field,
                                       const std::optional<std::string>& expected,
                                       std::string_view value) = 0;
  // Unfenced: the first one wins. The row's value from now on: ours, or that of whoever was first.
  virtual Result<std::string> claim(std::string_view table, std::string_view field,
                                    std::string_view value) = 0;
  // Unfenced. Every row of the table.
  virtual Result<Rows> read(std::string_view table) = 0;
  // Unfenced; for what a node says about itself.
  virtual Status erase(std::string_view table, std::string_view field) = 0;
  // Who holds what: the leases named, in order; empty names where nobody does.
  struct Holder {
    std::string node;
    std::uint64_t epoch = 0;
    std::int64_t remaining_ms = 0;
  };
  virtual Status holders(std::span<const std::string> names, std::vector<Holder>& holders) = 0;
  // All of that by one answer, where the engine can: renew(), read() of each table, holders().
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

  // The last failure was the engine's own word, which asking again does not change: it refuses the password or what was
  // asked for, has another version's crawl, or another program's things where ours belong.
  virtual bool refused() const { return false; }

  // For Bus::trim.
  virtual std::string fence_key(const Lease& lease) const = 0;
  virtual std::string fence_value(const Lease& lease) const = 0;
};

// Every row of the table, one by one.
inline Status erase_all(Leases& leases, std::string_view table) {
  const Result<Rows> rows = leases.read(table);
  if (!rows.ok()) return rows.error();
  for (const auto& [field, value] : *rows) {
    if (Status erased = leases.erase(table, field); !erased.ok()) return erased;
  }
  return {};
}

// When the owner of a lease may open its state, send, and must have ended: times are Clock::boot_ns().
//
//     asked       granted                  open, send            no answer for 2 beats     deadline
//       |------------|------- TTL ------------|------------ ... ------------|--------------------|
//                    |<- quarantine ->|                                     silent until the next answer
//
// The deadline is 0.9 TTL from *before* the last good request was sent; the quarantine is one TTL from the grant. So the
// old owner's last send is over before the new one's first, with clock rates within 10 % and no common clock.
class Tenure {
 public:
  explicit Tenure(std::int64_t ttl_ms) : ttl_ns_(ttl_ms * 1'000'000) {}
  void granted(std::int64_t asked_ns, std::int64_t answered_ns) {
    asked_ns_ = asked_ns;
    opens_ns_ = answered_ns + ttl_ns_;
    held_ = true;
  }
  // A renewal that was asked for then came back good. Answers that overtook each other never take time away.
  void renewed(std::int64_t asked_ns) {
    if (held_ && asked_ns > asked_ns_) asked_ns_ = asked_ns;
  }
  void end() { held_ = false; }

  bool held(std::int64_t now_ns) const { return held_ && now_ns < deadline_ns(); }
  bool may_open(std::int64_t now_ns) const { return held(now_ns) && now_ns >= opens_ns_; }
  // Nothing new goes out once two beats have brought no answer: the machine may have stood still without its clocks
  // having seen it.
  bool may_send(std::int64_t now_ns) const {
    return may_open(now_ns) && now_ns - asked_ns_ <= 2 * beat_ns() + beat_ns() / 2;
  }
  // No request may begin after this moment; transfers end at deadline + TTL/10.
  std::int64_t deadline_ns() const { return asked_ns_ + ttl_ns_ / 10 * 9; }
  // Renewals are that far apart.
  std::int64_t beat_ns() const { return ttl_ns_ / 10; }
  // When the last good answer was asked for: the engine says that nobody else had the lease until then.
  std::int64_t asked_ns() const { return asked_ns_; }

 private:
  std::int64_t ttl_ns_;
  std::int64_t asked_ns_ = 0;
  std::int64_t opens_ns_ = 0;
  bool held_ = false;
};

}  // namespace spinneret::lease

#endif  // SPINNERET_LEASE_LEASE_H_
