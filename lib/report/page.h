// SPDX-License-Identifier: Apache-2.0
// A crawl as one HTML page. It has no script (except where it is served live), loads nothing from
// elsewhere, follows the reader's light or dark setting, and is readable on a phone. Numbers are
// also given as data-value, for programs.
#ifndef SPINNERET_REPORT_PAGE_H_
#define SPINNERET_REPORT_PAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "report/survey.h"
#include "report/top.h"

namespace spinneret::report {

// The frontier's data on a host.
struct HostFacts {
  std::string origin;
  std::uint64_t waiting = 0;
  std::uint64_t pages = 0;
  std::int64_t delay_ms = 0;         // the present delay
  std::int64_t crawl_delay_ms = -1;  // the delay that robots.txt asks for; -1: none
  std::string finished = {};         // why the host is finished; empty if it is not
  std::string held = {};             // why nothing is requested of it now; empty if it is
  // Of the gaps between an answer and the next request, the one with the least to spare, and the
  // gap that was required then; -1: none was measured.
  std::int64_t least_gap_ms = -1;
  std::int64_t least_gap_owed_ms = 0;
};

// The cost of a stage of the pipeline.
struct StageCost {
  std::string name;
  std::uint64_t cpu_ms = 0;
  std::uint64_t read = 0;  // bytes, from all descriptors
  std::uint64_t written = 0;
};

// The state of the whole crawl, from the frontier.
struct Standing {
  bool is_live = false;  // whether a run may be under way
  std::uint64_t hosts = 0;
  std::uint64_t waiting = 0;
  std::uint64_t finished_hosts = 0;  // hosts given up by the last run
  std::uint64_t full_hosts = 0;      // hosts that have reached --max-host-pages
  Top<HostFacts> given_up{10};       // of finished_hosts, those with the most URLs waiting
  // Text for a shell: the command that retries what failed, the one that lists all hosts, the one
  // that reads records, and the log's name. Empty: unknown.
  std::string again = {};
  std::string all_hosts = {};
  std::string records = "records";
  std::string log = {};
  // The least time that the slowest host will take: the number of URLs waiting there times its
  // delay.
  std::int64_t least_left_ms = 0;
  std::string slowest_host;
  // Number of links that each rule of the policy has refused, greatest first.
  std::vector<std::pair<std::string, std::uint64_t>> refusals;
  Top<HostFacts> listed{100};          // hosts with the most pages and waiting URLs
  std::uint64_t measured_hosts = 0;    // hosts with a gap between two visits
  std::uint64_t early_hosts = 0;       // hosts of these that were visited sooner than allowed
  HostFacts closest = {};              // the host whose least gap was the tightest
  std::vector<StageCost> stages = {};  // the most expensive first
};

std::string page_html(const Survey& survey, const Standing& standing, std::int64_t now_ms);

// The additional content of the page when it is served live.
struct LiveView {
  std::string nonce = {};    // nonce of its script
  std::string token = {};    // authorises its control buttons; empty: no buttons
  std::string setting = {};  // how the crawl is slowed down: "paused", "no limit"
  double recent_rate = 0;    // pages a second in the last ten seconds
  std::int64_t idle_ms = 0;  // time since the last page
};
// Returns the page's Content-Security-Policy: only its own script runs, and connects only to its
// own server.
std::string live_policy(const LiveView& view);
// Returns the whole live page. `main` is the result of live_main().
std::string live_html(const LiveView& view, const std::string& main);
// Returns the part of the page that each event replaces.
std::string live_main(const Survey& survey, const Standing& standing, const LiveView& view,
                      std::int64_t now_ms);

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_PAGE_H_
