// SPDX-License-Identifier: Apache-2.0
// What politeness-sched does besides crawling: looking into a state, and changing it by hand.
#ifndef SPINNERET_LOOP_ENQUIRY_H_
#define SPINNERET_LOOP_ENQUIRY_H_

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/outcome.h"
#include "cli/tool.h"
#include "frontier/frontier.h"
#include "frontier/store.h"
#include "loop/growing_log.h"
#include "report/page.h"

namespace spinneret::loop {

// A log that the reports of several states tell of, from any threads: it is read once for all.
struct SharedLog {
  explicit SharedLog(std::string path) : log(std::move(path)) {}
  std::mutex mutex;  // guards what follows
  GrowingLog log;
};

struct Enquiry {
  cli::Tool& tool;
  frontier::Store& store;
  const Clock& clock;
  const frontier::Options& options;
  // What a state has beside what the frontier knows of, as a partition's has: looked at by --verify, mended by --repair.
  std::function<Status(const std::function<void(const std::string&)>& problem)> verify_more = {};
  std::function<Status()> repair_more = {};
  SharedLog* log = nullptr;  // in the place of that of --log
};

// Each of these prints its answer and returns the exit status.
int list_urls(const Enquiry& in);       // --list, --export
int show_urls(const Enquiry& in);       // --show
int list_hosts(const Enquiry& in);      // --hosts
int verify_state(const Enquiry& in);    // --verify
int repair_state(const Enquiry& in);    // --verify --repair
int forget_urls(const Enquiry& in);     // --forget
int clear_errors(const Enquiry& in);    // --clear-errors
int clear_outcomes(const Enquiry& in);  // --clear-outcome
int import_urls(const Enquiry& in);     // --import
int print_report(const Enquiry& in);    // --report
int dry_run(const Enquiry& in);         // --dry-run: what would be sent first; changes nothing

// The outcomes of that option, a list of them; a usage error where one of its words is none. Where there is a `failed`,
// the word of that name sets it.
std::vector<Outcome> outcomes_of(const cli::Options& given, const std::string& option,
                                 bool* failed = nullptr);

// Reads how the crawl stands from the state's hosts.
Status read_standing(const Enquiry& in, report::Standing& out);
// Writes the report (report/page.h) of a state and its log to a file, which is replaced.
Status write_report(const Enquiry& in, const std::string& path);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_ENQUIRY_H_
