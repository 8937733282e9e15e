// SPDX-License-Identifier: Apache-2.0
// Shows the crawl's progress on standard error: on a terminal by one line that is rewritten and
// never wider than the terminal, elsewhere by a line every few seconds; and by one line at the end.
#ifndef SPINNERET_LOOP_PROGRESS_H_
#define SPINNERET_LOOP_PROGRESS_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "frontier/frontier.h"
#include "frontier/slowest_host.h"

namespace spinneret::loop {

class Progress {
 public:
  struct Options {
    std::string name;             // the tool's name, with which plain lines begin
    bool terminal = false;        // whether standard error is a terminal
    bool shared = false;          // whether standard output is the same terminal
    bool quiet = false;           // whether nothing is shown
    std::uint64_t max_pages = 0;  // limit of the run; 0: none
    frontier::Politeness politeness = {};
  };
  Progress(Options options, const Clock& clock);

  // Shows a line if it is time for one.
  void tick(const frontier::Frontier& frontier);
  // due() says whether it is time for a line. show() shows one for several frontiers together,
  // without looking at their hosts.
  bool due() const;
  void show(const frontier::Statistics& now, std::size_t in_flight);
  // Removes the rewritten line, so that a message can take its place.
  void clear();
  // Does the same before a record is shown, if both go to one terminal.
  void clear_for_record() {
    if (options_.shared) clear();
  }
  // Shows the last line of a run.
  void finish(const frontier::Statistics& now);

  // Returns the line, at most `width` columns wide, without measuring the rate: for show() and for
  // tests.
  std::string text(const frontier::Statistics& now, std::size_t in_flight, std::size_t width) const;
  // Returns how long the rest will take at least, by the slowest host (queue times delay) and by
  // the recent rate or the rate of the whole run, whichever is higher. -1: unknown.
  std::int64_t least_left_ms(const frontier::Statistics& now) const;
  void set_rate(double pages_per_second) { rate_ = pages_per_second; }
  void set_slowest_host_ms(std::int64_t ms) { slowest_host_ms_ = ms; }
  // Sets for how long nothing is due, such as when all remaining URLs wait for a retry; INT64_MAX:
  // unknown.
  void set_rest_ms(std::int64_t ms) { rest_ms_ = ms; }

 private:
  void look_at_hosts(const frontier::HostTable& hosts, std::int64_t now_ms);

  Options options_;
  const Clock& clock_;
  bool shown_ = false;
  std::int64_t start_ms_;
  std::int64_t last_ms_;
  std::int64_t looked_ms_ = 0;
  std::int64_t slowest_host_ms_ = 0;
  frontier::SlowestHost slowest_host_;
  std::int64_t rest_ms_ = 0;
  std::uint64_t last_pages_ = 0;
  double rate_ = -1;  // pages a second; -1: not measured yet
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_PROGRESS_H_
