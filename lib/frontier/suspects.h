// SPDX-License-Identifier: Apache-2.0
// Which URL the pipeline dies of. One death can have any cause. A URL in flight at two in a row is
// a suspect, and goes out alone from then on, to be cleared by its result or convicted by a death
// of its own.
//
//   it died with            alone   passed  fresh   then
//   a stage that had ended  -       -       -       nobody is blamed: other URLs go first
//   anything                -       no      -       one death more for each: other URLs go first
//   several, or no suspect  no      yes     -       one death more for each: all are sent again
//   a suspect               yes     yes     yes     it is guilty
//   a suspect               yes     yes     no      guilty from its 4th death on; before that one
//                                                   death more, and it goes next, alone
//
// alone: a suspect was in flight, and nothing else. passed: something has passed a pipeline of this
// run. fresh: this pipeline had started, and nothing had passed it.
//
// Before anything has passed a pipeline of this run, perhaps nothing can. A pipeline that had given
// results may have died of those, and one that has hardly been started, of its start. Keys name
// flights; what they are made of is up to the caller. Pure, in memory only: a run begins without
// suspects. Cost: O(log suspects), none while there are none.
#ifndef SPINNERET_FRONTIER_SUSPECTS_H_
#define SPINNERET_FRONTIER_SUSPECTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spinneret::frontier {

class Suspects {
 public:
  using Slot = std::uint32_t;  // slot of a host
  struct Flight {
    std::string_view key;
    Slot host = 0;
    std::uint32_t frontier = 0;  // number of the frontier, of several behind one pipeline
  };
  // What is known of a pipeline that has died.
  enum class Death : std::uint8_t {
    kFresh,  // nothing had passed it, and it had started
    kUsed,   // something had, or it may not have started
    kEnded,  // a stage had said that it ends
  };
  enum class Blame : std::uint8_t {
    kOthersFirst,  // nobody; other URLs of the same hosts go first, to find out
    kAgain,        // nobody yet: all are sent again
    kGuilty,       // the only one
  };

  // Notes that a result has come back, of whatever flight.
  void note_life() { alive_ = true; }
  // Notes that this flight has come back.
  void clear(std::string_view key);
  bool is_suspect(std::string_view key) const;

  // Whether a flight must wait until nothing is in flight. It is then the first to go out: see
  // take_next().
  bool must_go_alone(const Flight& next, bool any_in_flight);
  bool has_next() const { return next_.has_value(); }
  // The host whose next URL is to go out alone, if it is one of that frontier.
  std::optional<Slot> take_next(std::uint32_t frontier = 0);
  // Notes what goes out. A suspect goes alone, and nothing beside it.
  void note_sent(std::string_view key) { alone_ = is_suspect(key); }
  // Whether nothing may go out beside what is in flight.
  bool hold_all(std::size_t in_flight) const { return in_flight != 0 && (next_ || alone_); }
  // Forgets a frontier that is gone: nobody waits for it.
  void forget(std::uint32_t frontier) { static_cast<void>(take_next(frontier)); }

  // Judges the death of a pipeline with these in flight, of all frontiers behind it.
  Blame blame(const std::vector<Flight>& in_flight, Death death);
  // Puts a guilty URL under suspicion for when it is tried again: settling its failure has cleared
  // it.
  void convict(std::string_view key, int deaths) { deaths_.emplace(key, deaths); }
  int deaths(std::string_view key) const;

 private:
  // Of how many deaths a flight may have been the cause since it last came back.
  std::map<std::string, int, std::less<>> deaths_;
  struct Next {
    Slot host;
    std::uint32_t frontier;
  };
  std::optional<Next> next_;
  bool alone_ = false;  // what was sent last is a suspect
  bool alive_ = false;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_SUSPECTS_H_
