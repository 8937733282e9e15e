// SPDX-License-Identifier: Apache-2.0
// link-bus(1): sends links to the engine of a crawl on many machines, receives them from it, and
// looks at them there.
#include <malloc.h>

#include <string>
#include <string_view>

#include "cli/options.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "engine/arguments.h"
#include "engine/engine.h"
#include "link_bus.h"
#include "url/partition.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {0, "send", "ENGINE", "send lines, and end once all are kept"},
    {0, "receive", "ENGINE", "own partition N, and print its links"},
    {0, "tail", "ENGINE", "print links on their way, and leave them there"},
    {0, "check", "ENGINE", "say whether the engine is reliable"},
    {0, "partition", "N", "only this partition, counted from 0"},
    {0, "partitions", "P", "number of partitions (as the crawl has it)"},
    {0, "state", "FILE", "with --receive: remember in DIR what was printed"},
    {0, "idle", "TIME", "with --receive, --tail: end after such a silence"},
    {0, "timeout", "TIME", "with --send: give up after so long"},
    {0, "ttl", "TIME", "with --receive: how long its lease lasts (10s)"},
};
constexpr cli::ToolSpec kTool{
    "link-bus", "send links to the partitions of a crawl, receive them, look at them",
    "[OPTION]... [URL|FILE]...", kOptions,
    "  link-bus --check=redis://h1,h2,h3/mycrawl             before a crawl trusts it\n"
    "  link-bus --check=postgresql://h1,h2/crawls/mycrawl    the same of PostgreSQL\n"
    "  link-bus --send=redis://h1/mycrawl < seeds.txt        0 once all are kept\n"
    "  link-bus --receive=redis://h1/mycrawl --partition=17  what comes there\n"};

engine::Address address_of(cli::Tool& tool, const char* option) {
  const Result<engine::Address> address = engine::parse_address(tool.options().get(option));
  if (!address.ok())
    tool.options().usage_error("--" + std::string(option) + ": " + address.message());
  return *address;
}

// Refuses options that have no effect on the job: otherwise they would be taken for obeyed.
void refuse_needless(const cli::Options& options, std::string_view job) {
  struct Part {
    const char* option;
    std::string_view jobs;
  };
  constexpr Part kParts[] = {{"partition", "send receive tail"},
                             {"partitions", "send receive tail"},
                             {"state", "receive"},
                             {"idle", "receive tail"},
                             {"timeout", "send"},
                             {"ttl", "receive"}};
  for (const Part& part : kParts) {
    if (options.has(part.option) && part.jobs.find(job) == part.jobs.npos)
      options.usage_error("--" + std::string(part.option) + " does not go with --" +
                          std::string(job));
  }
  if (job != "send" && !options.operands().empty())
    options.usage_error("--" + std::string(job) + " reads no URL and no FILE");
}

// Reports impossible values before any engine is asked.
void check_values(const cli::Options& options) {
  for (const char* const time : {"idle", "timeout"}) options.duration_ms(time, 0);
  if (options.duration_ms("ttl", 1000) < 1000) options.usage_error("--ttl is a second at least");
  const Status within = link_bus::check_partition(
      options,
      static_cast<std::uint32_t>(options.unsigned_value("partitions", 0, 1, Partitions::kMost)));
  if (!within.ok()) options.usage_error(within.message());
}

int run(cli::Tool& tool) {
  // Batches of megabytes come and go. By default glibc gives the heap's end back after each, and
  // gets it again, page by page, for the next: a third of what a link costs.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
  const cli::Options& options = tool.options();
  std::string_view job;
  for (const char* const each : {"send", "receive", "tail", "check"}) {
    if (!options.has(each)) continue;
    if (!job.empty()) options.usage_error("say one of --send, --receive, --tail, --check");
    job = each;
  }
  if (job.empty()) options.usage_error("say one of --send, --receive, --tail, --check");
  refuse_needless(options, job);
  check_values(options);
  if (const Status installed = cli::install_stop_signals(); !installed.ok())
    return tool.trouble(installed.message());
  if (options.has("check")) return link_bus::check(tool, address_of(tool, "check"));
  if (options.has("tail")) return link_bus::tail(tool, address_of(tool, "tail"));
  if (options.has("receive")) {
    if (!options.has("partition")) options.usage_error("--receive wants --partition=N");
    return link_bus::receive(tool, address_of(tool, "receive"));
  }
  tool.set_nonblocking_input();
  return link_bus::send(tool, address_of(tool, "send"));
}

}  // namespace

int main(int argc, char** argv) {
  spinneret::engine::Arguments arguments(argc, argv);  // so that ps(1) shows no password
  return cli::run_tool(kTool, argc, arguments.argv(), run);
}
