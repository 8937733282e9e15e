// SPDX-License-Identifier: Apache-2.0
// Statistics for machines: every few seconds a record is appended to one file, and another, in Prometheus's text
// format, is replaced (for the textfile collector of its node exporter, or any web server).
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
    // number of the partition, as a label of all values; empty: there is none
    std::string partition = {};
  };
  Metrics(Options options, const Clock& clock);

  // Notes what is between a partition and the others, as of now.
  void note(const frontier::Traffic& traffic) { traffic_ = traffic; }
  // Writes if it is time to, or with `now` in any case.
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
// `partition`: its number, a label of all values; then `traffic` goes along.
std::string prometheus_text(const frontier::Statistics& statistics, std::size_t in_flight,
                            const std::string& partition = {},
                            const frontier::Traffic& traffic = {});

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_METRICS_H_
