// SPDX-License-Identifier: Apache-2.0
// The commands of politeness-sched besides crawling: they inspect a state, or change it by hand.
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

// A log shared by the reports on several states, from any threads, so that it is read only once.
struct SharedLog {
  explicit SharedLog(std::string path) : log(std::move(path)) {}
  std::mutex mutex;  // guards `log`
  GrowingLog log;
};

struct Enquiry {
  cli::Tool& tool;
  frontier::Store& store;
  const Clock& clock;
  const frontier::Options& options;
  // The parts of a state that the frontier does not know, such as a partition's: checked by
  // --verify, repaired by --repair.
  std::function<Status(const std::function<void(const std::string&)>& problem)> verify_more = {};
  std::function<Status()> repair_more = {};
  SharedLog* log = nullptr;  // replaces the log of --log
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

// Returns the outcomes in the lists of that option. A word that is not an outcome is a usage error,
// except that "failed" sets `*failed` if `failed` is given.
std::vector<Outcome> outcomes_of(const cli::Options& given, const std::string& option,
                                 bool* failed = nullptr);

// Sums up the state of the crawl from its hosts.
Status read_standing(const Enquiry& in, report::Standing& out);
// Writes the report (report/page.h) of a state and its log to a file, which is replaced.
Status write_report(const Enquiry& in, const std::string& path);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_ENQUIRY_H_
