// SPDX-License-Identifier: Apache-2.0
// A crawl as one HTML page: no script (but where it is served live), nothing loaded from elsewhere, light or dark as the reader has it,
// readable on a phone. Numbers stand as data-value beside their text, for whoever reads it by program.
#ifndef SPINNERET_REPORT_PAGE_H_
#define SPINNERET_REPORT_PAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "report/survey.h"
#include "report/top.h"

namespace spinneret::report {

// What the frontier knows of a host.
struct HostFacts {
  std::string origin;
  std::uint64_t waiting = 0;
  std::uint64_t pages = 0;
  std::uint64_t bytes = 0;
  std::int64_t delay_ms = 0;         // as it is now
  std::int64_t crawl_delay_ms = -1;  // what its robots.txt asks for; -1: nothing
  std::string finished = {};         // why nothing more is asked of it, or nothing
  std::string held = {};             // why nothing is asked of it for now, or nothing
  // The gap between an answer and the next request that had the least to spare, and what was owed then; -1: none measured.
  std::int64_t least_gap_ms = -1;
  std::int64_t least_gap_owed_ms = 0;
};

// What a stage of the pipeline has cost.
struct StageCost {
  std::string name;
  std::uint64_t cpu_ms = 0;
  std::uint64_t read = 0;  // bytes, from whatever descriptor
  std::uint64_t written = 0;
};

// What the frontier knows of the whole.
struct Standing {
  bool is_live = false;  // a run may be under way
  std::uint64_t hosts = 0;
  std::uint64_t waiting = 0;
  std::uint64_t finished_hosts = 0;  // given up by the last run
  std::uint64_t full_hosts = 0;      // that have had their --max-host-pages
  Top<HostFacts> given_up{10};       // of the former, those at which most waits
  // The command that gives what failed another chance, the one that lists all hosts, the one that reads records, and the
  // log's name, all as a shell reads them; empty: not known.
  std::string again = {};
  std::string all_hosts = {};
  std::string records = "records";
  std::string log = {};
  // How long the slowest host will take at least: what waits there, times its delay.
  std::int64_t least_left_ms = 0;
  std::string slowest_host;
  // How many links each rule of the policy has refused, greatest first.
  std::vector<std::pair<std::string, std::uint64_t>> refusals;
  Top<HostFacts> listed{100};          // those with most pages and URLs that wait
  std::uint64_t measured_hosts = 0;    // with a gap between two visits
  std::uint64_t early_hosts = 0;       // of them, asked sooner than they were owed
  HostFacts closest = {};              // the one with the least to spare
  std::vector<StageCost> stages = {};  // the costliest first
};

std::string page_html(const Survey& survey, const Standing& standing, std::int64_t now_ms);

// The same page, served while the crawl goes on.
struct LiveView {
  std::string nonce = {};    // of its script
  std::string token = {};    // that steers, for the buttons; empty: there are none
  std::string setting = {};  // how the crawl is held back: "paused", "no limit"
  double recent_rate = 0;    // pages a second in the last ten
  std::int64_t idle_ms = 0;  // since the last page
};
// Its Content-Security-Policy: its own script alone runs, and hears its own server alone.
std::string live_policy(const LiveView& view);
// `main`: live_main().
std::string live_html(const LiveView& view, const std::string& main);
// What each event puts in the place of what was shown.
std::string live_main(const Survey& survey, const Standing& standing, const LiveView& view,
                      std::int64_t now_ms);

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_PAGE_H_
