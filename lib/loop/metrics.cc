// SPDX-License-Identifier: Apache-2.0
#include "loop/metrics.h"

#include <fcntl.h>

#include <utility>

#include "base/number.h"
#include "base/outcome.h"

namespace spinneret::loop {
namespace {

using frontier::Statistics;

struct Value {
  const char* name;
  const char* help;
  bool is_counter;
  std::uint64_t (*of)(const Statistics&);
};

constexpr Value kValues[] = {
    {"waiting", "URLs that wait", false, [](const Statistics& s) { return s.all.waiting; }},
    {"done", "URLs that were answered", false, [](const Statistics& s) { return s.all.done; }},
    {"error", "URLs that were given up", false, [](const Statistics& s) { return s.all.error; }},
    {"blocked", "URLs that may not be asked for", false,
     [](const Statistics& s) { return s.all.blocked; }},
    {"hosts", "hosts known", false, [](const Statistics& s) { return s.hosts; }},
    {"pages", "pages fetched in this run", true, [](const Statistics& s) { return s.pages; }},
    {"bytes", "bytes of bodies in this run", true, [](const Statistics& s) { return s.bytes; }},
    {"robots", "robots.txt fetched", true, [](const Statistics& s) { return s.robots; }},
    {"sent", "URLs sent into the pipeline", true, [](const Statistics& s) { return s.sent; }},
    {"admitted", "links that were new", true, [](const Statistics& s) { return s.admitted; }},
    {"known", "links that were not", true, [](const Statistics& s) { return s.known; }},
    {"refused", "links that policy refused", true, [](const Statistics& s) { return s.refused; }},
    {"items", "items that pages held", true, [](const Statistics& s) { return s.items; }},
    {"retries", "tries put off", true, [](const Statistics& s) { return s.retries; }},
    {"recrawled", "pages that fell due again", true,
     [](const Statistics& s) { return s.recrawled; }},
    {"lost", "records that a stage has dropped", true, [](const Statistics& s) { return s.lost; }},
    {"finished-hosts", "hosts given up", true,
     [](const Statistics& s) { return s.hosts_finished; }},
};

}  // namespace

Metrics::Metrics(Options options, const Clock& clock)
    : options_(std::move(options)), clock_(clock), last_ms_(clock.monotonic_ns() / 1'000'000) {}

Status Metrics::tick(const Statistics& statistics, std::size_t in_flight, bool now) {
  const std::int64_t now_ms = clock_.monotonic_ns() / 1'000'000;
  if (!now && now_ms - last_ms_ < options_.every_ms) return {};
  last_ms_ = now_ms;
  if (!options_.records.empty()) {
    if (!records_) {
      Result<Fd> opened = open_file(options_.records, O_WRONLY | O_CREAT | O_APPEND);
      if (!opened.ok()) return opened.error();
      records_ = opened.take();
    }
    const std::string line = statistics_line(statistics, in_flight, clock_.unix_ms()) + "\n";
    if (const int code = write_all(records_.get(), line); code != 0) {
      return system_error("cannot write " + options_.records, code);
    }
  }
  if (options_.prometheus.empty()) return {};
  return write_file_atomic(options_.prometheus,
                           prometheus_text(statistics, in_flight, options_.partition, traffic_));
}

std::string statistics_line(const Statistics& statistics, std::size_t in_flight,
                            std::int64_t wall_ms) {
  std::string out = "statistics\ttime=" + seconds_text(wall_ms);
  out += "\tin-flight=" + std::to_string(in_flight);
  for (const Value& value : kValues) {
    out += '\t';
    out += value.name;
    out += '=' + std::to_string(value.of(statistics));
  }
  return out;
}

std::string prometheus_text(const Statistics& statistics, std::size_t in_flight,
                            const std::string& partition, const frontier::Traffic& traffic) {
  const std::string label = partition.empty() ? "" : "partition=\"" + partition + "\"";
  const std::string labels = label.empty() ? "" : "{" + label + "}";
  std::string out;
  const auto gauge = [&out, &labels](const std::string& name, const char* help,
                                     const std::string& value) {
    out += "# HELP spinneret_" + name + " " + help + "\n# TYPE spinneret_" + name +
           " gauge\nspinneret_" + name + labels + " " + value + "\n";
  };
  gauge("in_flight", "URLs in the pipeline", std::to_string(in_flight));
  if (!partition.empty()) {
    gauge("epoch", "of the lease", std::to_string(traffic.epoch));
    gauge("outbox", "batches of links that no other partition keeps yet",
          std::to_string(traffic.outbox));
    gauge("lag_seconds", "that the oldest link waits to be taken by its partition",
          seconds_text(static_cast<std::int64_t>(traffic.lag_ms)));
  }
  for (const Value& value : kValues) {
    std::string name = std::string("spinneret_") + value.name + (value.is_counter ? "_total" : "");
    for (char& c : name) c = c == '-' ? '_' : c;
    out += "# HELP " + name + " " + value.help + "\n# TYPE " + name;
    out += value.is_counter ? " counter\n" : " gauge\n";
    out += name + labels + " " + std::to_string(value.of(statistics)) + "\n";
  }
  out +=
      "# HELP spinneret_outcomes_total final results of this run\n"
      "# TYPE spinneret_outcomes_total counter\n";
  for (const OutcomeInfo& info : all_outcomes()) {
    const std::uint64_t count = statistics.outcomes[static_cast<std::size_t>(info.outcome)];
    if (count == 0) continue;
    out += "spinneret_outcomes_total{outcome=\"" + std::string(info.name) + "\"" +
           (label.empty() ? "" : "," + label) + "} " + std::to_string(count) + "\n";
  }
  return out;
}

}  // namespace spinneret::loop
