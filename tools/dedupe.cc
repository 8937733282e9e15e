// SPDX-License-Identifier: Apache-2.0
// dedupe(1): passes on the first of all lines that are equal, have the same key, or hold the same
// page.
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/tool.h"
#include "dedupe/line_batch.h"
#include "dedupe/line_judge.h"
#include "dedupe/store_tools.h"
#include "dedupe_at_end.h"
#include "dedupe_check.h"
#include "dedupe_output.h"
#include "dedupe_pages.h"
#include "dedupe_paragraphs.h"
#include "dedupe_settings.h"
#include "io/record.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'k', "key", "FIELD", "compare this field, not the URL (repeatable)"},
    {'w', "whole-line", nullptr, "compare whole lines"},
    {'f', "field", "N|NAME", "compare this column of a table"},
    {0, "content", nullptr, "compare the bodies of pages"},
    {0, "normalize", "text", "with --content: compare words only", "text"},
    {0, "similarity", "SHARE", "compare pages by minhash: 0.9 is near"},
    {0, "sketch", "128B|256B", "with --similarity: bytes a page (128B)", "128B|256B"},
    {0, "near", nullptr, "compare pages by simhash of their words"},
    {0, "distance", "BITS", "with --near: bits that may differ (3)"},
    {0, "shingle", "N", "compare pages by runs of N words (3)"},
    {0, "shingle-chars", "N", "compare pages by runs of N characters"},
    {0, "paragraphs", "WORDS", "remove paragraphs of N words that were seen"},
    {0, "sentences", "N", "with --paragraphs: runs of N sentences, not lines"},
    {0, "drop-share", "SHARE", "with --paragraphs: share of known runs of words"},
    {0, "signature", nullptr, "add sketch and bands, to compare them elsewhere"},
    {0, "cluster", nullptr, "add the number of the cluster, at the end"},
    {0, "keep", "WHICH", "keep the best: first, longest, newest or FIELD", "first|longest|newest|"},
    {'m', "mark", nullptr, "pass repeats too, marked outcome=duplicate"},
    {0, "drop", nullptr, "drop settled repeats too, instead of marking them"},
    {'v', "invert", nullptr, "print the repeats, not the first ones"},
    {'d', "repeated", nullptr, "print each repeated key once, when it recurs"},
    {'u', "unique", nullptr, "print what came only once, at the end"},
    {'c', "count", nullptr, "add count=N to each first one, at the end"},
    {0, "bits", "64|128", "bits of a fingerprint (128; --recent: 64)", "64|128"},
    {0, "exact", nullptr, "compare the keys themselves, in memory"},
    {0, "approximate", "RATE", "filter of --memory bytes, wrong at RATE"},
    {0, "recent", nullptr, "forget old keys beyond --memory: repeats may pass"},
    {0, "reset-on", "FILE", "with --recent: forget all whenever FILE changes"},
    {0, "memory", "SIZE", "limit memory; the rest goes to $TMPDIR"},
    {0, "later", nullptr, "print at the end; sorts any number on disk"},
    {'s', "store", "FILE", "remember keys in FILE"},
    {0, "max-age", "TIME", "keys are new again after TIME (30d, 12h)"},
    {0, "sync", nullptr, "sync to disk before lines are passed on"},
    {0, "like", "STORE", "a new store can later be merged with STORE"},
    {0, "diff", "STORE", "print lines that STORE has not; change nothing"},
    {0, "merge", "STORE", "add the stores named as operands to STORE"},
    {0, "stat", "STORE", "print a store's figures"},
    {0, "compact", "STORE", "rewrite a store in large blocks"},
    {0, "recover", "STORE", "keep the whole part of a damaged store"},
};
constexpr cli::ToolSpec kTool{
    "dedupe",
    "pass the first occurrence of every line, in order",
    "[OPTION]... [URL|FILE]...",
    kOptions,
    "  dedupe urls.txt                           a list without repeats\n"
    "  dedupe --store seen < new.txt             what no run has seen before\n"
    "  fetch < urls | dedupe --content --drop    one page of each content\n",
    true,
    "",
    "key whole-line content similarity near paragraphs cluster keep mark drop invert "
    "repeated unique count exact approximate recent memory later store max-age diff merge "
    "stat"};

std::unique_ptr<dedupe::LineJudge> make_judge(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  if (options.has("repeated")) return dedupe::make_second_judge();
  if (dedupe_tool::compares_pages(options)) {
    return dedupe_tool::make_page_judge(tool, dedupe_tool::original_index(tool));
  }
  if (options.has("mark") && options.has("key")) {
    return dedupe::make_original_judge(dedupe_tool::original_index(tool));
  }
  return dedupe::make_seen_judge(dedupe_tool::seen_set(tool), options.has("diff"));
}

// Reads lines: a run as the tool gives it, or, where each batch costs a sync, as many runs as have
// come by now.
class Runs {
 public:
  explicit Runs(cli::Tool& tool) : tool_(tool), gathers_(dedupe_tool::syncs(tool.options())) {
    if (gathers_) tool.set_nonblocking_input();
  }
  bool next(std::string_view& run) {
    if (!gathers_) return tool_.next_run(run);
    gathered_.clear();
    while (gathered_.size() < kGathered) {
      if (tool_.next_run(run)) {
        gathered_ += run;
        // The last line of a file, or an argument, may lack its terminator.
        if (!run.ends_with(tool_.terminator())) gathered_ += tool_.terminator();
      } else if (tool_.stopped() || !tool_.inputs().starved() || !gathered_.empty()) {
        break;
      } else {
        wait();
      }
    }
    run = gathered_;
    return !run.empty();
  }

 private:
  static constexpr std::size_t kGathered = std::size_t{4} << 20;
  void wait() {
    tool_.out().flush();
    pollfd ready{tool_.inputs().fd(), POLLIN, 0};
    poll(&ready, 1, -1);
  }

  cli::Tool& tool_;
  bool gathers_;
  std::string gathered_;
};

// Watches a file whose changes say that lines passed on before may come again, since the next
// stages may judge them otherwise now.
class ResetFile {
 public:
  explicit ResetFile(std::string path) : path_(std::move(path)) { has_changed(); }
  // Whether the file has changed since the last call. Costs one stat(2).
  bool has_changed() {
    if (path_.empty()) return false;
    struct stat now {};
    const bool there = ::stat(path_.c_str(), &now) == 0;
    const Stamp stamp =
        there ? Stamp{now.st_ino, now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec} : Stamp{};
    return std::exchange(stamp_, stamp) != stamp;
  }

 private:
  using Stamp = std::tuple<ino_t, off_t, time_t, long>;
  std::string path_;
  Stamp stamp_;
};

// Lines are judged, remembered where there is a store, and only then written: what was passed on as
// new is never forgotten.
int run_stream(cli::Tool& tool) {
  std::unique_ptr<dedupe::LineJudge> judge = make_judge(tool);
  ResetFile reset(tool.options().get("reset-on"));
  dedupe::LineBatch batch = dedupe_tool::line_batch(tool);
  dedupe_tool::Output output(tool);
  std::vector<dedupe::LineVerdict> verdicts;
  Runs runs(tool);
  bool asked = false;  // there was a line to compare
  std::size_t compared = 0;
  for (std::string_view run; runs.next(run);) {
    if (reset.has_changed()) judge = make_judge(tool);
    while (!run.empty() && !tool.stopped()) {
      batch.take(run);
      asked = asked || !std::all_of(batch.lines().begin(), batch.lines().end(),
                                    [](const auto& line) { return line.exempt; });
      compared += batch.keys().size();
      if (Status done = judge->judge(batch, verdicts); !done.ok())
        return tool.trouble(done.message());
      output.write(batch, verdicts);
    }
  }
  // With a mistyped name every line would pass, and nobody would notice.
  if (asked && compared == 0 && tool.options().has("key"))
    tool.notice("no line has a field that --key names: nothing was compared");
  tool.out().flush();  // closing the files of a set takes seconds
  const Status closed = judge->close();
  if (const std::string report = judge->report(); !report.empty()) tool.notice(report);
  return closed.ok() ? 0 : tool.trouble(closed.message());
}

int run_merge(cli::Tool& tool, const std::string& store) {
  for (const std::string& from : tool.options().operands()) {
    const Result<std::uint64_t> added = dedupe::merge_stores(store, from);
    if (!added.ok()) return tool.trouble(added.message());
    tool.notice(store + ": " + std::to_string(*added) + " keys from " + from);
  }
  return 0;
}

int run_stat(cli::Tool& tool, const std::string& store) {
  const Result<dedupe::StoreFigures> figures = dedupe::store_figures(store);
  if (!figures.ok()) return tool.trouble(figures.message());
  Record record;
  record.reset(store);
  record.set("compares", figures->header.text);
  record.set_unsigned("bits", figures->header.entry_bytes * 8);
  record.set_unsigned("entries", figures->stats.entries);
  record.set_unsigned("blocks", figures->stats.blocks);
  record.set_unsigned("size", figures->stats.file_bytes);
  record.set_unsigned("torn", figures->stats.torn_bytes);
  tool.writer().write(record);
  return 0;
}

int run_recover(cli::Tool& tool, const std::string& store) {
  std::string kept;
  const Result<dedupe::LogStats> stats = dedupe::SeenLog::recover(store, kept);
  if (!stats.ok()) return tool.trouble(stats.message());
  tool.notice(store + ": kept " + std::to_string(stats->entries) + " keys, left out " +
              std::to_string(stats->damaged_bytes + stats->torn_bytes) +
              " bytes; the old file is " + kept);
  return 0;
}

int run_compact(cli::Tool& tool, const std::string& store) {
  const std::uint64_t age = dedupe_tool::max_age(tool.options());
  const auto now = static_cast<std::uint64_t>(std::time(nullptr));
  const Result<dedupe::LogStats> stats =
      dedupe::compact_store(store, age == 0 ? 0 : now - std::min(now, age));
  if (!stats.ok()) return tool.trouble(stats.message());
  return 0;
}

int run(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  dedupe_tool::check(tool);
  if (options.has("merge")) return run_merge(tool, options.get("merge"));
  if (options.has("stat")) return run_stat(tool, options.get("stat"));
  if (options.has("recover")) return run_recover(tool, options.get("recover"));
  if (options.has("compact")) return run_compact(tool, options.get("compact"));
  if (options.has("count") || options.has("unique")) return dedupe_tool::run_counted(tool);
  if (options.has("cluster") || options.has("keep")) return dedupe_tool::run_clusters(tool);
  if (options.has("later")) return dedupe_tool::run_later(tool);
  if (options.has("signature")) return dedupe_tool::run_signature(tool);
  if (options.has("paragraphs")) {
    Runs runs(tool);
    return dedupe_tool::run_paragraphs(tool,
                                       [&](std::string_view& line) { return runs.next(line); });
  }
  return run_stream(tool);
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
