// SPDX-License-Identifier: Apache-2.0
// Statistics for machines: a record every few seconds appended to a file, and a file in the text format of
// Prometheus that is replaced as often (for its node exporter's textfile collector, or any web server).
#ifndef SPINNERET_LOOP_METRICS_H_
#define SPINNERET_LOOP_METRICS_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "frontier/frontier.h"

namespace spinneret::loop {

class Metrics {
 public:
  struct Options {
    std::string records;     // path of the file of records; empty: none
    std::string prometheus;  // path of the metrics file; empty: none
    std::int64_t every_ms = 5000;
    std::string partition = {};  // number of the partition, as a label of all values; empty: none
  };
  Metrics(Options options, const Clock& clock);

  // Writes where it is time to. `now`: regardless of the time.
  Status tick(const frontier::Statistics& statistics, std::size_t in_flight, bool now = false);

 private:
  Options options_;
  const Clock& clock_;
  std::int64_t last_ms_;
  Fd records_;
};

std::string statistics_line(const frontier::Statistics& statistics, std::size_t in_flight,
                            std::int64_t wall_ms);
std::string prometheus_text(const frontier::Statistics& statistics, std::size_t in_flight,
                            const std::string& partition = {});

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_METRICS_H_
