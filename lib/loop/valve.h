// SPDX-License-Identifier: Apache-2.0
// How a crawl that runs is paused or slowed down from beside it: a small file in its state, which whoever crawls looks at five
// times a second.
//
//   write_valve(path, {.paused = true});               // anybody, at any time: nothing new goes out
//   Valve valve(path);                                 // who crawls; a run begins without a setting
//   if (valve.look(now)) tell(valve.setting());
//   while (valve.may_send(now) && next(url)) valve.sent(now);
//
// It holds nothing back but requests: what is in flight comes back as ever. Times in milliseconds of the monotonic clock.
#ifndef SPINNERET_LOOP_VALVE_H_
#define SPINNERET_LOOP_VALVE_H_

#include <cstdint>
#include <string>

#include "base/result.h"

namespace spinneret::loop {

struct ValveSetting {
  bool paused = false;
  double rate = 0;  // requests a second over all hosts, 0.01 to 100,000; 0: no limit
  bool operator==(const ValveSetting&) const = default;
};

// "paused", "at most 2.5 requests a second", "no limit"
std::string valve_text(const ValveSetting& setting);
// In the place of what was set before.
Status write_valve(const std::string& path, const ValveSetting& setting);
// Without a file, or with one that says something else, nothing is held back.
ValveSetting read_valve(const std::string& path);

class Valve {
 public:
  // Removes the file: what was set for another run is not for this one. No path: always open.
  explicit Valve(std::string path);

  // True: the setting is another one than it was.
  bool look(std::int64_t now_ms);
  const ValveSetting& setting() const { return setting_; }
  bool may_send(std::int64_t now_ms) const { return !setting_.paused && next_ms_ <= now_ms; }
  void sent(std::int64_t now_ms);
  // Until something may be sent, or the file is to be looked at.
  std::int64_t wait_ms(std::int64_t now_ms) const;

 private:
  std::string path_;
  ValveSetting setting_;
  std::int64_t looked_ms_ = 0;
  double debt_ms_ = 0;  // what is left of the last gap when milliseconds are cut off
  std::int64_t next_ms_ = 0;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_VALVE_H_
