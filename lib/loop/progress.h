// SPDX-License-Identifier: Apache-2.0
// How the crawl goes, on standard error: a line that is rewritten on a terminal, a line every few seconds
// elsewhere, and one at the end.
#ifndef SPINNERET_LOOP_PROGRESS_H_
#define SPINNERET_LOOP_PROGRESS_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "frontier/frontier.h"

namespace spinneret::loop {

class Progress {
 public:
  // `name`: of the tool, in front of plain lines. `terminal`: standard error is one. `quiet`: nothing.
  Progress(std::string name, const Clock& clock, bool terminal, bool quiet);

  // Shows a line where it is time for one.
  void tick(const frontier::Statistics& now, std::size_t in_flight);
  // Takes the rewritten line away, for a message to stand there.
  void clear();
  // The last line of a run.
  void finish(const frontier::Statistics& now);

 private:
  std::string text(const frontier::Statistics& now, std::size_t in_flight) const;

  std::string name_;
  const Clock& clock_;
  bool terminal_;
  bool quiet_;
  bool shown_ = false;
  std::int64_t start_ms_;
  std::int64_t last_ms_;
  std::uint64_t last_pages_ = 0;
  double rate_ = 0;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_PROGRESS_H_
