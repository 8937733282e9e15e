// SPDX-License-Identifier: Apache-2.0
// The options of politeness-sched, and which of them go together.
#include <string>

#include "loop/enquiry.h"
#include "sched_settings.h"

namespace spinneret {
namespace {

constexpr cli::Option kOptions[] = {
    {0, "state", "DIR", "where the crawl is kept, to be resumed"},
    {0, "delay", "TIME", "least time between two requests to a host (1s)"},
    {0, "min-delay", "TIME", "least time where robots.txt asks for less (0)"},
    {0, "delay-factor", "N", "delay at least N times the response time (2)"},
    {0, "crawl-delay-cap", "TIME", "most that a Crawl-delay may ask for (180s)"},
    {0, "throttle", "N/TIME", "at most N requests to a host in TIME"},
    {0, "hours", "FROM-TO", "hours of the day to crawl in: 22:00-06:00"},
    {0, "per-host", "N", "requests to one host at once (1)"},
    {0, "politeness-key", "KEY", "what shares a delay: host, domain or ip (host)",
     "host|domain|ip"},
    {0, "psl", "FILE", "public suffix list to use, for domains"},
    {0, "in-flight", "N", "URLs in the pipeline at once (64)"},
    {0, "tries", "N", "try a URL that fails this often (3)"},
    {0, "retry-delay", "TIME", "wait before the second try; then double it (30s)"},
    {0, "patience", "N", "give a host up after N requests unanswered (5)"},
    {0, "give-up-after", "TIME", "but only after so long without an answer (0)"},
    {0, "lease", "TIME", "a URL in flight for longer is lost (10m)"},
    {0, "quiet-time", "TIME", "look for lost URLs after such a silence (10s)"},
    {0, "grace", "TIME", "wait for URLs in flight when interrupted (5s)"},
    {0, "max-pages", "N", "stop after N pages in this run"},
    {0, "max-total-pages", "N", "stop after N pages in all runs"},
    {0, "max-host-pages", "N", "at most N pages of a host in all runs"},
    {0, "max-bytes", "SIZE", "stop after SIZE bytes of bodies"},
    {0, "max-time", "TIME", "stop after TIME"},
    {0, "max-depth", "N", "links to follow from a seed"},
    {0, "order", "ORDER", "which go first: breadth, inlinks, opic (priority)",
     "priority|breadth|inlinks|opic"},
    {0, "recrawl", "TIME", "revisit after 4w, adaptive:1d..90d, best:5000/d"},
    {0, "whole-before", "TIME", "fetch pages last visited before then whole, no 304"},
    {0, "continuous", nullptr, "go on with what falls due; never end"},
    {0, "forget-gone", "N", "stop visiting a page not found N times (3)"},
    {0, "log", "FILE", "append the last record of each page, for --report"},
    {0, "rejected", "FILE", "append the links that policy refuses"},
    {0, "add", nullptr, "add SEEDs, also to a crawl that runs"},
    {0, "report", nullptr, "print a report of the state and --log, as HTML"},
    {0, "report-file", "FILE", "write the report to FILE when the run ends"},
    {0, "live", "PORT", "show the crawl as it runs, on 127.0.0.1:PORT"},
    {0, "stats", "FILE", "append statistics as records"},
    {0, "metrics", "FILE", "keep statistics for Prometheus"},
    {0, "again", "COMMAND", "command to name when hosts were given up"},
    {0, "checkpoint", "DIR", "copy the state to DIR (hard links)"},
    {0, "checkpoint-every", "TIME", "copy every TIME while crawling, too"},
    {0, "cluster", "URL", "engine of a crawl in partitions: redis://h/NAME"},
    {0, "partition", "I/P", "run partition I (from 0) of P: 3/16"},
    {0, "partitions", "P", "run COMMAND for this machine's share of P"},
    {0, "status", nullptr, "with --cluster: print who has which partition"},
    {0, "drain", "NODE", "with --cluster: have that machine leave"},
    {0, "pin", "PART=NODE", "with --cluster: give that part to that machine"},
    {0, "begin-anew", "PART", "with --cluster: begin that part with a new state"},
    {0, "split", "FOLDER", "split the partition of --state in two: p{}"},
    {0, "spread", "DOMAIN", "spread the hosts of a domain over all partitions"},
    {0, "partition-lease", "TIME", "keep a partition so long without renewal (10s)"},
    {0, "copies", "WHERE", "put copies of states there, in case a disk dies"},
    {0, "retry", "LIST", "with --partitions: failed, or outcomes to retry"},
    {0, "node", "NAME", "the name of this machine (its host name)"},
    {0, "terms", "TEXT", "text that must be the same on all machines"},
    {0, "takes", "TEXT", "what is taken of pages; if it changes, no 304"},
    {'q', "quiet", nullptr, "no statistics on standard error"},
    {0, "dry-run", nullptr, "print what would be sent first; change nothing"},
    {0, "list", nullptr, "print every URL, sorted"},
    {0, "with-state", "STATE", "with --list: waiting, done, error or blocked",
     "waiting|done|error|blocked"},
    {0, "host", "HOST", "with --list: one host only"},
    {0, "form", "FORM", "with --list: record, or classic: URL realm state", "record|classic"},
    {0, "show", "URL", "print all that is known of URL, and why it waits"},
    {0, "judged", "RECORD", "with --show: what policy and robots.txt say"},
    {0, "hosts", nullptr, "print every host"},
    {0, "verify", nullptr, "check the state"},
    {0, "repair", nullptr, "with --verify: mend what is wrong, too"},
    {0, "export", nullptr, "print every URL, for --import"},
    {0, "import", nullptr, "add the records that --export has printed"},
    {0, "forget", "GLOB", "remove URLs, and print what is to be deleted"},
    {0, "clear-errors", nullptr, "give failed URLs and hosts another chance"},
    {0, "clear-outcome", "LIST", "ask again for URLs with these outcomes",
     "too-large,unsupported-type,forbidden,payment-required,challenged,not-found,gone,"
     "client-error,duplicate,blocked-by-robots,blocked-by-policy,refused-address,"},
};

// A mode that is asked for instead of a crawl, and which words behind the options it reads.
struct Mode {
  const char* name;
  bool takes_operands = false;
  bool takes_command = false;
  bool of_cluster = false;
};

// At most one of these may be given.
constexpr Mode kActions[] = {
    {"add", true},
    {"list"},
    {"export"},
    {"show"},
    {"hosts"},
    {"verify"},
    {"report"},
    {"live"},
    {"import", true},
    {"forget"},
    {"clear-errors"},
    {"clear-outcome"},
    {"split"},
    // A crawl's whole command line is tried by adding this one word.
    {"dry-run", true, true},
    // These ask the engine, and need no state.
    {"status", true, false, true},
    {"drain", false, false, true},
    {"pin", false, false, true},
    {"begin-anew", false, false, true},
};

// An option that is a part of another one, or of either of two.
struct Part {
  const char* name;
  const char* whole;
  const char* other = nullptr;
};
constexpr Part kParts[] = {{"with-state", "list", "export"},
                           {"host", "list", "export"},
                           {"form", "list", "export"},
                           {"judged", "show"},
                           {"retry", "partitions"}};

// Refuses words that would be ignored: whoever gave them means another mode, or none.
void expect_no_more(const cli::Options& given, const Mode& mode) {
  const std::string name = "--" + std::string(mode.name);
  if (!mode.takes_operands && !given.operands().empty())
    given.usage_error(name + " takes no seeds and no files: " + given.operands().front() +
                      " does not go with it");
  if (!mode.takes_command && !given.command().empty())
    given.usage_error(name + " runs no command: -- " + given.command().front() +
                      " does not go with it");
}

}  // namespace

const cli::ToolSpec kSchedTool{"politeness-sched",
                               "the frontier of a crawl: polite, durable, one host at a time",
                               "--state DIR [OPTION]... [SEED|FILE]... [-- COMMAND...]",
                               kOptions,
                               "  politeness-sched --state=s http://h/ -- sh -c 'fetch | "
                               "extract-links'\n",
                               false,
                               ", 3 gave up, 5 lease lost",
                               "state delay hours per-host in-flight tries patience "
                               "max-pages max-host-pages max-bytes max-time order recrawl "
                               "continuous log add report live checkpoint cluster quiet "
                               "dry-run list show hosts verify forget clear-errors"};

const char* action_of(const cli::Options& given) {
  const Mode* found = nullptr;
  for (const Mode& mode : kActions) {
    if (!given.has(mode.name)) continue;
    if (mode.of_cluster && !given.has("cluster"))
      given.usage_error("--" + std::string(mode.name) + " goes with --cluster");
    if (found != nullptr)
      given.usage_error("--" + std::string(found->name) + " and --" + mode.name +
                        " exclude each other");
    found = &mode;
  }
  const bool copies = given.has("checkpoint") && !given.has("checkpoint-every");
  if (found != nullptr && copies)
    given.usage_error("--" + std::string(found->name) + " and --checkpoint exclude each other");
  for (const char* const name : {"partition", "partitions"}) {
    if (found != nullptr && found->of_cluster && given.has(name))
      given.usage_error("--" + std::string(found->name) + " and --" + name + " exclude each other");
  }
  for (const Part& part : kParts) {
    if (given.has(part.name) && !given.has(part.whole) &&
        (part.other == nullptr || !given.has(part.other)))
      given.usage_error("--" + std::string(part.name) + " goes with --" + part.whole);
  }
  // Lines in the classic form have no fields to choose from, and would stand between records that
  // --import reads.
  for (const char* const name : {"export", "json", "fields"}) {
    if (given.choice("form", 0) == 1 && given.has(name))
      given.usage_error("--form=classic and --" + std::string(name) + " exclude each other");
  }
  if (given.has("repair") && !given.has("verify"))
    given.usage_error("--repair is a part of --verify: --verify --repair");
  if (copies) expect_no_more(given, {"checkpoint without --checkpoint-every"});
  if (found == nullptr) return nullptr;
  expect_no_more(given, *found);
  loop::outcomes_of(given, "clear-outcome");
  return found->name;
}

}  // namespace spinneret
