// SPDX-License-Identifier: Apache-2.0
// Statistics for machines. Every few seconds a record is appended to one file, and another file, in
// Prometheus's text format, is replaced (for the textfile collector of its node exporter, or for
// any web server).
#ifndef SPINNERET_LOOP_METRICS_H_
#define SPINNERET_LOOP_METRICS_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "frontier/frontier.h"
#include "frontier/neighbours.h"

namespace spinneret::loop {

class Metrics {
 public:
  struct Options {
    std::string records;     // path of the file of records; empty: none
    std::string prometheus;  // path of the metrics file; empty: none
    std::int64_t every_ms = 5000;
    // Number of the partition, a label of all values; empty: no partitions.
    std::string partition = {};
  };
  Metrics(Options options, const Clock& clock);

  // Notes the present traffic between this partition and the others.
  void note(const frontier::Traffic& traffic) { traffic_ = traffic; }
  // Writes the files if it is time to, or if `now` is set.
  Status tick(const frontier::Statistics& statistics, std::size_t in_flight, bool now = false);

 private:
  Options options_;
  const Clock& clock_;
  std::int64_t last_ms_;
  frontier::Traffic traffic_;
  Fd records_;
};

std::string statistics_line(const frontier::Statistics& statistics, std::size_t in_flight,
                            std::int64_t wall_ms);
// With `partition`, a number, each value has it as a label, and the values of `traffic` are
// included.
std::string prometheus_text(const frontier::Statistics& statistics, std::size_t in_flight,
                            const std::string& partition = {},
                            const frontier::Traffic& traffic = {});

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_METRICS_H_
