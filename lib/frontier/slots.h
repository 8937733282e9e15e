// SPDX-License-Identifier: Apache-2.0
// How many URLs may be in flight, so that no host starves another.
//
//   heard    hosts that gave a page the last time, within        --in-flight of them
//            a fifth of a second
//   unheard  others; a robots.txt alone proves nothing of pages  four times as many, or fewer
//   silent   either, after patience_ms(); at once where the      eight times as many, 1024 at least
//            last time was slow
//
// A flight holds a slot of one of the first two kinds, and gives it back when it has come back or
// becomes silent. So hosts that never answer take no slot of those that do, and k of them are
// through after k / (4 * --in-flight) times the patience. That is eight times what first answers
// take of late, 200 ms at most, and 50 ms while nobody has answered, and so nobody waits.
//
// An overloaded pipeline is no silence of hosts. What comes out of it late shows up to when all
// answers have come out: a flight is silent if it has none by then, or if nothing at all has come
// out for the patience and for as long as answers took to come out of late. And what waits in the
// pipeline delays whoever is behind it, at no gain: where even the quickest flights spend more than
// kLagMs there, fewer unheard ones go out, at least a sixteenth of the most.
//
// Pure: it is told the time, in milliseconds of the monotonic clock. Cost: O(1); memory: 60 bytes a
// flight.
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
  static constexpr std::int64_t kLagMs = 100;

  explicit Slots(std::uint32_t in_flight);

  // The most flights of all kinds together.
  std::uint64_t most() const { return pools_[0].most + most_unheard_ + most_silent_; }
  // The most flights of one kind.
  std::uint64_t most(Kind kind) const { return pool(kind).most; }
  // Number of flights that have begun and not ended.
  std::size_t in_flight() const {
    return pools_[0].holding.size() + pools_[1].holding.size() + silent_;
  }
  // Begins a flight, and returns its number, for end().
  std::uint64_t begin(Kind kind, std::int64_t now_ms);
  // The same for one that is silent from the beginning; may_be_silent() must hold.
  std::uint64_t begin_silent();
  bool may_be_silent() const { return silent_ < most_silent_; }
  bool any_silent() const { return silent_ != 0; }
  // Learns how long a host's first answer took.
  void learn(std::int64_t answer_ms);
  std::int64_t patience_ms() const { return patience_ms_; }
  // Notes that a flight sent at `sent_ms` has come back. Its host had done with it at
  // `answered_ms`; it spent the rest in the pipeline. Where that is not `is_known`, it is the least
  // that it can be, and nothing is learned of the pipeline.
  void note_return(std::int64_t sent_ms, std::int64_t answered_ms, bool is_known,
                   std::int64_t now_ms);
  // Notes that something else has come out of the pipeline.
  void note_output(std::int64_t now_ms) { output_ms_ = now_ms; }
  // Ends a flight. Each number once.
  void end(std::uint64_t number);
  // Frees the slots of flights that have been out for long enough by now.
  void age(std::int64_t now_ms);
  bool full(Kind kind) const { return pool(kind).holding.size() >= pool(kind).most; }
  // When a slot of that kind becomes free at the latest, if nothing comes out until then;
  // INT64_MAX: not before something has.
  std::int64_t free_ms(Kind kind) const;

 private:
  struct Flight {
    std::int64_t sent_ms;
    std::uint64_t number;
  };
  struct Pool {
    std::uint64_t most;
    std::unordered_set<std::uint64_t> holding;
    // The first one holds a slot; those behind it may have given theirs back.
    std::deque<Flight> by_age;
  };
  const Pool& pool(Kind kind) const { return pools_[static_cast<std::size_t>(kind)]; }
  static void drop_gone(Pool& pool);
  std::int64_t quiet_ms() const { return output_ms_ + late_ms_ + patience_ms_; }

  std::uint64_t most_silent_;
  std::uint64_t most_unheard_;
  std::uint64_t silent_ = 0;
  std::uint64_t last_ = 0;  // the last number given
  std::int64_t patience_ms_ = kFirstSilentMs;
  bool learned_ = false;
  std::int64_t output_ms_ = INT64_MIN / 2;    // when something last came out of the pipeline
  std::int64_t late_ms_ = 0;                  // how late answers came out of it
  std::int64_t answered_ms_ = INT64_MIN / 2;  // up to when all answers have come out of it
  // The least time that flights sent since round_ms_ have spent in the pipeline.
  std::int64_t round_ms_ = INT64_MIN / 2, least_lag_ms_ = INT64_MAX;
  std::array<Pool, 2> pools_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_SLOTS_H_
