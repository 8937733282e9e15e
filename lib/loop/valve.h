// SPDX-License-Identifier: Apache-2.0
// Pauses or slows a running crawl from outside, by a small file in its state that the crawl reads
// five times a second.
//
//   write_valve(path, {.paused = true});               // any process, at any time
//   Valve valve(path);                                 // in the crawl; removes an old setting
//   if (valve.look(now)) tell(valve.setting());
//   while (valve.may_send(now) && next(url)) valve.sent(now);
//
// Only requests are held back: URLs in flight come back as always. Times are milliseconds of the
// monotonic clock.
#ifndef SPINNERET_LOOP_VALVE_H_
#define SPINNERET_LOOP_VALVE_H_

#include <cstdint>
#include <string>

#include "base/result.h"

namespace spinneret::loop {

struct ValveSetting {
  bool paused = false;
  double rate = 0;          // requests a second over all hosts, 0.01 to 100,000; 0: no limit
  bool unreadable = false;  // the file holds no valid setting: see Valve::look()
  bool operator==(const ValveSetting&) const = default;
};

// Returns "paused", "at most 2.5 requests a second" or "no limit".
std::string valve_text(const ValveSetting& setting);
// Replaces the setting in the file.
Status write_valve(const std::string& path, const ValveSetting& setting);
// Reads a setting such as "run 2.5" or "pause 0". Without a file nothing is held back.
ValveSetting read_valve(const std::string& path);

class Valve {
 public:
  // Removes the file, since the setting of an earlier run does not apply to this one. Without a
  // path the valve is always open.
  explicit Valve(std::string path);

  // Reads the file. Returns true if the setting has changed. An unreadable setting changes only
  // `unreadable`, so that it is reported once.
  bool look(std::int64_t now_ms);
  const ValveSetting& setting() const { return setting_; }
  bool may_send(std::int64_t now_ms) const { return !setting_.paused && next_ms_ <= now_ms; }
  void sent(std::int64_t now_ms);
  // Returns how long until a request may be sent, or the file must be read.
  std::int64_t wait_ms(std::int64_t now_ms) const;

 private:
  std::string path_;
  ValveSetting setting_;
  std::int64_t looked_ms_ = 0;
  double debt_ms_ = 0;  // the rest of the last gap, since gaps are rounded down to milliseconds
  std::int64_t next_ms_ = 0;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_VALVE_H_
