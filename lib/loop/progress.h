// SPDX-License-Identifier: Apache-2.0
// How the crawl goes, on standard error: a line that is rewritten on a terminal and never wider than it is,
// a line every few seconds elsewhere, and one at the end.
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
    std::string name;             // of the tool, in front of plain lines
    bool terminal = false;        // standard error is one
    bool shared = false;          // and standard output is the same one
    bool quiet = false;           // nothing is shown
    std::uint64_t max_pages = 0;  // of the run; 0: no limit
    frontier::Politeness politeness = {};
  };
  Progress(Options options, const Clock& clock);

  // Shows a line where it is time for one.
  void tick(const frontier::Frontier& frontier);
  // Whether it is; and a line of what several frontiers have come to together, whose hosts nobody looks at.
  bool due() const;
  void show(const frontier::Statistics& now, std::size_t in_flight);
  // Takes the rewritten line away, for a message to stand there.
  void clear();
  // Likewise for a record, which needs the place where both go to one terminal.
  void clear_for_record() {
    if (options_.shared) clear();
  }
  // The last line of a run.
  void finish(const frontier::Statistics& now);

  // The line, without the rate measured: for tick(), and for tests. At most `width` columns.
  std::string text(const frontier::Statistics& now, std::size_t in_flight, std::size_t width) const;
  // What is left takes so long at least: by the host whose queue and delay are the longest, and by the
  // rate of late, or that of the run where it is better. -1: nothing can be said.
  std::int64_t least_left_ms(const frontier::Statistics& now) const;
  void set_rate(double pages_per_second) { rate_ = pages_per_second; }
  void set_slowest_host_ms(std::int64_t ms) { slowest_host_ms_ = ms; }
  // Nothing is due for so long, say because all that is left waits for another try; INT64_MAX: it is not known.
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
