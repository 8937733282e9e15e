// SPDX-License-Identifier: Apache-2.0
// How many URLs may be in flight, so that no host starves another.
//
//   heard    its host has given a page the last time, within a fifth of a second  --in-flight of them
//   unheard  not yet in this run; a robots.txt alone proves nothing of pages      four times as many
//   silent   either, after patience_ms(); at once where the last time was slow    eight times as many, 1024 at least
//
// A flight holds a slot of one of the first two kinds, and gives it back when it has come back or become silent. So hosts
// that never answer take no slot of those that do, and k of them are through after k / (4 * --in-flight) times the patience:
// eight times what first answers take of late, 200 ms at most, and 50 ms while nobody has answered and so nobody waits.
//
// Pure: it is told the time, in milliseconds of the monotonic clock. Cost: O(1); memory: 60 bytes a flight.
#ifndef SPINNERET_FRONTIER_SLOTS_H_
#define SPINNERET_FRONTIER_SLOTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_set>

namespace spinneret::frontier {

class Slots {
 public:
  enum class Kind : std::uint8_t { kHeard, kUnheard };
  static constexpr std::int64_t kSilentMs = 200;
  static constexpr std::int64_t kLeastSilentMs = 25;
  static constexpr std::int64_t kFirstSilentMs = 50;
  static constexpr std::uint64_t kUnheardForEach = 4;

  explicit Slots(std::uint32_t in_flight);

  // The most that may be in flight at all.
  std::uint64_t most() const { return pools_[0].most + pools_[1].most + most_silent_; }
  // How many of a kind.
  std::uint64_t most(Kind kind) const { return pool(kind).most; }
  // All that have begun and not ended.
  std::size_t in_flight() const {
    return pools_[0].holding.size() + pools_[1].holding.size() + silent_;
  }
  // A flight begins. Returns its number, for end().
  std::uint64_t begin(Kind kind, std::int64_t now_ms);
  // The same of one that is silent from the beginning; may_be_silent() must hold.
  std::uint64_t begin_silent();
  bool may_be_silent() const { return silent_ < most_silent_; }
  bool any_silent() const { return silent_ != 0; }
  // A host's first answer took so long.
  void learn(std::int64_t answer_ms);
  std::int64_t patience_ms() const { return patience_ms_; }
  // It has come back. Each number once.
  void end(std::uint64_t number);
  // What has been out for long enough by now gives its slot back.
  void age(std::int64_t now_ms);
  bool full(Kind kind) const { return pool(kind).holding.size() >= pool(kind).most; }
  // When a slot of that kind is given back at the latest; INT64_MAX: not before something has come back.
  std::int64_t free_ms(Kind kind) const;

 private:
  struct Flight {
    std::int64_t sent_ms;
    std::uint64_t number;
  };
  struct Pool {
    std::uint64_t most;
    std::unordered_set<std::uint64_t> holding;
    std::deque<Flight>
        by_age;  // in front one that holds a slot; behind it also such as have given it back
  };
  const Pool& pool(Kind kind) const { return pools_[static_cast<std::size_t>(kind)]; }
  static void drop_gone(Pool& pool);

  std::uint64_t most_silent_;
  std::uint64_t silent_ = 0;
  std::uint64_t last_ = 0;  // number given
  std::int64_t patience_ms_ = kFirstSilentMs;
  bool learned_ = false;
  std::array<Pool, 2> pools_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_SLOTS_H_
