// SPDX-License-Identifier: Apache-2.0
// robots-check: robots.txt verdicts, explanations, lint and cache. See man/robots-check.1.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "cli/tool.h"
#include "robots_context.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'A', "agent", "NAME", "product token of the crawler ($SPINNERET_AGENT)"},
    {0, "agents", "WHICH|FILE", "ai, search, seo, archive, other, all, or a FILE",
     "ai|search|seo|archive|other|all|"},
    {'r', "robots", "FILE|URL", "use this robots.txt for every URL"},
    {0, "summary", nullptr, "summarise robots.txt files, for people"},
    {0, "matrix", nullptr, "print agents by paths, as a table"},
    {0, "policy", nullptr, "say what may be done with a page, and who says so"},
    {0, "many", nullptr, "lines are FILE, a tab and a record"},
    {0, "explain", nullptr, "add rule, line, group and reason"},
    {0, "all-matches", nullptr, "add every rule that matches, the deciding first"},
    {0, "allowed", nullptr, "print only lines that are allowed"},
    {0, "disallowed", nullptr, "print only lines that are not"},
    {'q', "quiet", nullptr, "print nothing: the exit status alone"},
    {0, "list", "WHAT", "sitemaps, agents, rules, delays, preferences ...",
     "sitemaps|agents|rules|delays|extensions|preferences"},
    {0, "sitemaps", nullptr, "fetch the sitemaps they name, and check them"},
    {0, "lint", nullptr, "report what is wrong in robots.txt files"},
    {0, "canonical", nullptr, "rewrite robots.txt files in one plain form"},
    {0, "diff", "OLD", "OLD NEW [URLS]: where verdicts differ"},
    {0, "page", nullptr, "read what pages ask by meta, X-Robots-Tag, TDM"},
    {0, "cache", "DIR", "folder of known robots.txt files"},
    {0, "gate", nullptr, "settle URLs that the cache forbids or lacks"},
    {0, "refuse", "LIST", "with --gate: uses that must not be refused",
     "train-ai,train-genai,ai-input,ai-inference,search,"},
    {0, "learn", nullptr, "store fetched robots.txt in the cache"},
    {0, "mode", "MODE", "rfc (default), google or 1994", "rfc|google|1994"},
    {0, "strict-token", nullptr, "product tokens of letters, - and _ only"},
    {0, "deny-status", "LIST", "4xx that forbid all, such as 401,403,429", "401,403,429,451,"},
    {0, "ttl", "TIME", "longest life of a cached robots.txt (24h)"},
    {0, "stale", "TIME", "use the last good copy so long if unreachable (0)"},
    {0, "unavailable-after", "TIME", "allow all after so long unreachable (0: never)"},
    {0, "timeout", "TIME", "give a robots.txt up after so long (30s)"},
    {0, "contact", "ADDRESS", "how to reach you ($SPINNERET_CONTACT)"},
    {0, "allow-private", nullptr, "also fetch from private addresses"},
    {0, "now", "TIME", "use this time: 2026-11-20 or seconds since 1970"},
};
constexpr cli::ToolSpec kTool{"robots-check",
                              "robots.txt verdicts, explanations, lint and cache",
                              "[OPTION]... [URL|FILE]...",
                              kOptions,
                              "  robots-check -A mybot --explain https://example.org/page\n"
                              "  robots-check --lint robots.txt\n",
                              true,
                              ", 3 no robots.txt available",
                              "agent agents robots summary matrix policy explain allowed "
                              "disallowed quiet list sitemaps lint canonical diff page cache "
                              "mode ttl timeout contact allow-private"};

// Says which columns verdicts add to the rows of a table.
void set_table(RobotsContext& context) {
  const cli::Options& options = context.tool.options();
  if (context.tool.table() == nullptr) return;
  for (const char* const mode : {"list", "lint", "canonical", "diff", "page", "learn", "many",
                                 "summary", "sitemaps", "matrix", "policy"}) {
    if (options.has(mode))
      options.usage_error(std::string("tables are for verdicts, not for --") + mode);
  }
  std::vector<std::string> added;
  const bool filters = options.has("allowed") || options.has("disallowed");
  if (context.rows) added.emplace_back("agent");
  for (std::size_t i = 0; i < (context.rows ? 1 : context.rules.agents.size()); ++i) {
    const std::string suffix = context.suffix(i);
    if (context.explain || !filters) added.push_back("robots" + suffix);
    if (!context.explain && !context.rows) continue;
    for (const char* const name : {"-rule", "-line", "-group", "-reason", "-file"})
      added.push_back("robots" + (name + suffix));
  }
  if (options.has("gate")) added.insert(added.end(), {"needs", "outcome"});
  context.tool.set_table(std::move(added));
}

// Refuses more than one option of each list.
void check_modes(const cli::Options& options) {
  constexpr std::string_view kModes[] = {"list", "lint",    "canonical", "diff",
                                         "page", "gate",    "learn",     "robots",
                                         "many", "summary", "sitemaps"};
  constexpr std::string_view kForms[] = {"list",  "lint",    "canonical", "page",   "gate",
                                         "learn", "summary", "sitemaps",  "matrix", "policy"};
  options.refuse_together(kModes);
  options.refuse_together(kForms);
  options.refuse_together(
      std::array<std::string_view, 2>{"diff", "policy"});  // a matrix may be of changes
  // These choices are for verdicts alone.
  for (const char* const choice : {"allowed", "disallowed", "all-matches"}) {
    options.refuse_together(std::array<std::string_view, 2>{"diff", choice});
    for (const std::string_view form : kForms)
      options.refuse_together(std::array<std::string_view, 2>{form, choice});
  }
  // --quiet would leave nothing of these modes: their output is all that they are for.
  for (const std::string_view form : {"list", "canonical", "gate", "learn"})
    options.refuse_together(std::array<std::string_view, 2>{form, "quiet"});
  for (const std::string_view shape : {"json", "fields"})
    options.refuse_together(std::array<std::string_view, 2>{"canonical", shape});
  for (const std::string_view form :
       {"list", "lint", "canonical", "summary", "sitemaps", "matrix", "policy", "learn"})
    options.refuse_together(std::array<std::string_view, 2>{form, "explain"});
  if (options.has("refuse") && !options.has("gate") && !options.has("learn")) {
    options.usage_error("--refuse needs --gate");
  }
}

// Whether the summary is asked for, as by `robots-check HOST`.
bool asks_for_summary(const cli::Options& options) {
  if (options.has("summary")) return true;
  for (const char* other : {"robots", "many", "matrix", "policy", "allowed", "disallowed"}) {
    if (options.has(other)) return false;
  }
  const std::vector<std::string>& operands = options.operands();
  return !operands.empty() && std::all_of(operands.begin(), operands.end(), is_host_operand);
}

// Refuses options that have no place in a summary; where they are given, the operand may be meant
// as the name of a missing file, not as a host.
void refuse_beside_host(const cli::Options& options) {
  for (const char* const name :
       {"explain", "all-matches", "field", "csv", "tsv", "header", "json-key"}) {
    if (options.has(name) && !options.has("summary"))
      options.usage_error(std::string("--") + name + " is for URLs: there is no file " +
                          excerpt(options.operands().front()) + ", and a host alone has a summary");
  }
}

int run(cli::Tool& tool) {
  RobotsContext context(tool);
  context.read_options();
  const cli::Options& options = tool.options();
  check_modes(options);
  set_table(context);
  if (options.has("list")) return list_robots(context, options.choice("list", 0));
  if (options.has("lint")) return lint_files(context);
  if (options.has("canonical")) return canonical_files(context);
  if (options.has("diff")) return diff_robots(context);
  if (options.has("page")) return check_pages(context);
  if (options.has("gate")) return gate_records(context);
  if (options.has("learn")) return learn_records(context);
  if (options.has("sitemaps")) return check_sitemaps(context);
  if (options.has("many")) return check_pairs(context);
  if (asks_for_summary(options)) {
    refuse_beside_host(options);
    return summarise(context);
  }
  return check_urls(context);
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
