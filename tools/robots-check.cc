// SPDX-License-Identifier: Apache-2.0
// robots-check: robots.txt verdicts, explanations, lint and cache. See man/robots-check.1.
#include <algorithm>
#include <iterator>
#include <string>

#include "cli/tool.h"
#include "robots_context.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'A', "agent", "NAME", "product token of the crawler (repeatable)"},
    {0, "agents", "WHICH", "ai, search, seo, archive, other, all, or a FILE"},
    {'r', "robots", "FILE|URL", "use this robots.txt for every URL"},
    {0, "many", nullptr, "lines are FILE, a tab and a record"},
    {'e', "explain", nullptr, "add rule, line, group and reason"},
    {0, "allowed", nullptr, "print only lines that are allowed"},
    {0, "disallowed", nullptr, "print only lines that are not"},
    {0, "list", "WHAT", "sitemaps, agents, rules, delays, extensions"},
    {0, "lint", nullptr, "report what is wrong in robots.txt files"},
    {0, "canonical", nullptr, "rewrite robots.txt files in one plain form"},
    {0, "diff", nullptr, "OLD NEW [URLS]: URLs whose verdict differs"},
    {0, "page", nullptr, "what pages ask: meta robots, X-Robots-Tag, TDM"},
    {0, "cache", "DIR", "folder of known robots.txt files"},
    {0, "gate", nullptr, "settle what the cache forbids or lacks"},
    {0, "refuse", "LIST", "with --gate: uses that must not be refused"},
    {0, "learn", nullptr, "store fetched robots.txt in the cache"},
    {0, "mode", "MODE", "rfc (default), google or 1994"},
    {0, "strict-token", nullptr, "product tokens of letters, - and _ only"},
    {0, "deny-status", "LIST", "4xx that forbid all, such as 401,403,429"},
    {0, "ttl", "TIME", "longest life of a cached robots.txt (24h)"},
    {0, "stale", "TIME", "use a last good copy when unreachable (0)"},
    {0, "timeout", "TIME", "for fetching a robots.txt (30s)"},
    {0, "from", "ADDRESS", "contact, for From and User-Agent"},
    {0, "allow-private", nullptr, "also fetch from private addresses"},
    {0, "now", "SECONDS", "unix time to go by, for tests"},
};
constexpr cli::ToolSpec kTool{"robots-check", "robots.txt verdicts, explanations, lint and cache",
                              "[OPTION]... [URL|FILE]...", kOptions,
                              "Example: robots-check -A mybot --explain https://example.org/page"};

int run(cli::Tool& tool) {
  RobotsContext context(tool);
  context.read_options();
  const cli::Options& options = tool.options();
  constexpr const char* kExclusive[] = {"list", "lint",  "canonical", "diff", "page",
                                        "gate", "learn", "robots",    "many"};
  if (std::count_if(std::begin(kExclusive), std::end(kExclusive),
                    [&options](const char* name) { return options.has(name); }) > 1) {
    options.usage_error(
        "--robots, --many, --list, --lint, --canonical, --diff, --page, --gate and --learn exclude "
        "each "
        "other");
  }
  if (options.has("refuse") && !options.has("gate")) options.usage_error("--refuse needs --gate");
  if (options.has("list")) return list_robots(context, options.choice("list", kRobotsLists, 0));
  if (options.has("lint")) return lint_files(context);
  if (options.has("canonical")) return canonical_files(context);
  if (options.has("diff")) return diff_robots(context);
  if (options.has("page")) return check_pages(context);
  if (options.has("gate")) return gate_records(context);
  if (options.has("learn")) return learn_records(context);
  if (options.has("many")) return check_pairs(context);
  return check_urls(context);
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
