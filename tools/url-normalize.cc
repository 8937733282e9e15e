// SPDX-License-Identifier: Apache-2.0
// url-normalize: reads URLs, and prints canonical URLs or their parts.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "cli/runs.h"
#include "cli/tool.h"
#include "normalize_settings.h"
#include "normalize_work.h"
#include "url/params.h"
#include "url/public_suffix.h"
#include "url/steps.h"

namespace {

using namespace spinneret;

// Completions: the names of steps (url/steps.cc), and of the parts that can be set (url/edit.h).
constexpr const char* kSteps =
    "fragment,hex-case,unreserved,stray-percent,empty-query,userinfo,trailing-dot,tracking,"
    "session,lower-query,empty-params,dedupe-params,sort-query,query,index,slashes,"
    "trailing-slash,www,http,https,lower-path,decode,port,surt,cdx";
constexpr const char* kSetParts =
    "scheme=|user=|password=|host=|hostname=|port=|path=|query=|fragment=|";

constexpr cli::Option kOptions[] = {
    {'b', "base", "URL", "resolve relative URLs against URL"},
    {0, "base-field", "NAME", "or against a line's field NAME (via)", "FIELD"},
    {'p', "profile", "NAME", "whatwg safe crawl aggressive roboto surt cdx",
     "whatwg|safe|crawl|aggressive|roboto|surt|cdx"},
    {0, "with", "STEPS", "do these steps too (see --list-steps)", kSteps},
    {0, "without", "STEPS", "leave these steps out", kSteps},
    {0, "keep-fragment", nullptr, "keep #fragments"},
    {0, "drop-param", "GLOB", "drop query parameters of such a name"},
    {0, "keep-param", "GLOB", "drop all query parameters but these"},
    {0, "params", "FILE", "drop parameters on a list of ClearURLs or AdGuard"},
    {0, "index", "NAMES", "names that the step index drops: index.html,..."},
    {0, "cdx-form", "NAMES", "form of keys of cdx: scheme,comma,www,address",
     "scheme,comma,www,address"},
    {0, "from-key", nullptr, "read keys of surt or cdx, and write their URLs"},
    {0, "from-parts", nullptr, "read objects of --json --parts, and write URLs"},
    {0, "default-scheme", "SCHEME", "scheme of bare hosts such as example.org/a", "https|http|"},
    {0, "set", "PART=VALUE", "set a part, as the Standard does (repeatable)", kSetParts},
    {0, "replace", "NAME=VALUE", "replace a parameter that is there (repeatable)"},
    {0, "append", "PART=VALUE", "add to path or query (repeatable)", "path=|query=|"},
    {0, "iterate", "PART=VALUES", "a line for each: 'port=80 8080' (repeatable)", kSetParts},
    {'g', "get", "FORMAT", "print parts: '{host} {path} {query:id}'"},
    {0, "parts", "NAMES", "add parts as fields: host,domain,port",
     "scheme,user,password,host,domain,subdomain,suffix,port,origin,path,dir,file,extension,query,"
     "keys,fragment,surt,cdx"},
    {0, "explain", nullptr, "name the steps that changed a line"},
    {0, "lint", nullptr, "name the Standard's validation errors of a line"},
    {0, "as", "NAME", "name of the column of --get in a table (get)"},
    {0, "psl", "FILE", "public suffix list to use, for domain and its like"},
    {'j', "jobs", "N", "threads (1); the output is the same"},
    {0, "on-error", "WHAT", "drop a bad URL (keep in a table), mark, or stop",
     "keep|drop|mark|stop"},
    {0, "list-steps", nullptr, "list the steps and profiles, and end"},
    {0, "list-params", nullptr, "list the parameters known by name, and end"},
};
constexpr cli::ToolSpec kTool{"url-normalize",
                              "parse, resolve and canonicalise URLs",
                              "[OPTION]... [URL|FILE]...",
                              kOptions,
                              "  url-normalize < urls | dedupe\n"
                              "  url-normalize --csv --header --field=url list.csv\n"
                              "  url-normalize --get='{domain}' https://www.example.org/a\n",
                              true,
                              "",
                              "base profile with without keep-fragment drop-param keep-param "
                              "params default-scheme set replace get parts explain lint jobs "
                              "on-error list-steps psl"};

// Says which columns --parts, --get and --explain add to the rows of a table.
void set_table(cli::Tool& tool, const NormalizePlan& plan) {
  std::vector<std::string> added;
  for (const NormalizePlan::Added& part : plan.parts) added.push_back(part.part.name());
  if (plan.format) added.push_back(plan.column);
  if (plan.explain || plan.lint) added.emplace_back("from");
  if (plan.explain) added.emplace_back("steps");
  if (plan.lint) added.emplace_back("lint");
  std::vector<std::pair<std::string, std::string>> inputs;
  if (tool.options().has("base-field"))
    inputs.emplace_back(tool.options().get("base-field"), plan.base_field);
  tool.set_table(std::move(added), std::move(inputs));
}

// Prints a list where one was asked for instead of URLs. Returns whether it was.
bool print_lists(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  for (const char* const list : {"list-steps", "list-params"}) {
    if (!options.has(list)) continue;
    for (const char* const other : {"json", "fields", "null", "csv", "tsv", "get"}) {
      if (options.has(other))
        options.usage_error("--" + std::string(list) + " prints columns between tabs: --" + other +
                            " is not for it");
    }
    if (!options.operands().empty())
      options.usage_error("--" + std::string(list) + " reads nothing: without " +
                          excerpt(options.operands()[0]));
    tool.out().write(std::string_view(list) == "list-steps" ? steps_table() : params_table());
  }
  return options.has("list-steps") || options.has("list-params");
}

int run(cli::Tool& tool) {
  if (print_lists(tool)) return 0;
  const NormalizePlan plan = normalize_plan(tool);
  if (tool.options().has("psl")) {
    const Status read = use_public_suffix_list(tool.options().get("psl"));
    if (!read.ok()) tool.options().usage_error("--psl: " + read.message());
  }
  if (!plan.default_scheme.empty())
    tool.set_operands(tool.options().operands(), is_line_or_bare_host);
  set_table(tool, plan);
  // Whoever has the record writes objects.
  const bool records = (plan.table || !plan.format) && !plan.json;
  const auto jobs = static_cast<unsigned>(tool.options().unsigned_value("jobs", 1, 1, 256));
  return cli::for_each_run(tool, jobs, records, [&plan]() -> cli::RunWork {
    return [work = std::make_shared<NormalizeWork>(plan)](
               std::string_view run, cli::RunResult& result) { (*work)(run, result); };
  });
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
