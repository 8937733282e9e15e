// SPDX-License-Identifier: Apache-2.0
// link-check: judges every link of a stream of records, of a folder of files, or of single files.
// lib/check/book and man link-check say what a verdict means.
#include <array>
#include <string_view>

#include "base/excerpt.h"
#include "check/book.h"
#include "check/cache.h"
#include "cli/tool.h"
#include "link_check_input.h"
#include "link_check_judgement.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'b', "base", "URL", "DIR's URL: what is missing below it is dead"},
    {0, "root-dir", "DIR", "where / is, of DIR and FILEs (DIR, or .)"},
    {0, "remap", "FROM=TO", "take URLs that begin with FROM as TO"},
    {0, "pretty-urls", nullptr, "x.html of a folder is found at x, too"},
    {0, "fail-on", "LIST", "verdicts that give status 1 (dead,dead-fragment)",
     "ok,moved,dead,dead-fragment,challenged,forbidden,rate-limited,payment-required,"
     "blocked-by-robots,timeout,not-checkable"},
    {0, "show", "LIST", "print these verdicts, too, or all",
     "all,ok,moved,dead,dead-fragment,challenged,forbidden,rate-limited,payment-required,"
     "blocked-by-robots,timeout,not-checkable"},
    {0, "format", "FORM", "text, records, junit, sarif, github, gitlab",
     "text|records|junit|sarif|github|gitlab"},
    {0, "report", "FILE", "put findings into a crawl's report, too"},
    {0, "ignore", "FILE", "targets to leave out (.linkignore)"},
    {0, "baseline", "FILE", "leave out findings of an earlier run (records)"},
    {0, "cache", "FILE", "keep what was ok from run to run"},
    {0, "max-age", "TIME", "use what --cache knows for so long (7d)"},
    {0, "fresh", nullptr, "print what --cache knows, and check nothing"},
    {0, "ask", nullptr, "print the links to ask for, for fetch"},
    {0, "fix", nullptr, "print a patch for links that have moved"},
    {0, "now", "TIME", "today, for until= of --ignore: 2026-11-23"},
};
constexpr cli::ToolSpec kTool{
    "link-check", "find the dead links of a site or a folder", "[OPTION]... [DIR|FILE|RECORDS]...",
    kOptions,
    "  link-check public\n"
    "  fetch https://example.org/ | extract-links --ids --positions | link-check\n"};

constexpr std::int64_t kWeekMs = std::int64_t{7} * 24 * 3600 * 1000;

void open_cache(const cli::Options& options, check::LinkCache& cache) {
  if (!options.has("cache")) {
    for (const char* const name : {"max-age", "fresh"})
      if (options.has(name)) options.usage_error(std::string("--") + name + " is of --cache");
    return;
  }
  const Status status = cache.open(options.get("cache"), link_check_now_ms(options) / 1000,
                                   options.duration_ms("max-age", kWeekMs) / 1000);
  if (!status.ok()) options.usage_error("--cache: " + status.message());
}

// Refuses options about findings in modes that print something else.
void check_modes(const cli::Options& options) {
  options.refuse_together(std::array<std::string_view, 3>{"ask", "fix", "fresh"});
  for (const std::string_view name : {"fail-on", "show", "format", "report", "baseline"})
    options.refuse_together(std::array<std::string_view, 2>{"ask", name});
  for (const std::string_view name : {"format", "json", "fields", "null"})
    options.refuse_together(std::array<std::string_view, 2>{"fix", name});
  if (options.has("fresh") && !options.operands().empty())
    options.usage_error("--fresh reads nothing: " + excerpt(options.operands().front()) +
                        " does not go with it");
}

int run(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  check_modes(options);
  LinkCheckJudgement judgement(tool);
  check::LinkBook book;
  check::LinkCache cache;
  open_cache(options, cache);
  if (options.has("fresh")) {
    cache.each_fresh([&tool](Record& record) {
      record.set_outcome(to_string(Outcome::kOk));
      tool.writer().write(record);
    });
    return tool.status();
  }
  LinkCheckInput input(tool, book, cache);
  input.read();
  if (options.has("ask")) {
    judgement.print_questions(book, cache);
    return tool.status();
  }
  cache.recall(book, [](Record&) {});
  judgement.read(book);
  options.has("fix") ? judgement.print_patch(book) : judgement.print(book);
  if (const Status status = judgement.write_report(book); !status.ok())
    tool.trouble(status.message());
  if (const Status status = cache.save(); !status.ok()) tool.trouble(status.message());
  return tool.status();
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
