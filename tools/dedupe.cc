// SPDX-License-Identifier: Apache-2.0
// dedupe(1): the first occurrence of every line, of every key.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "cli/tool.h"
#include "dedupe/line_batch.h"
#include "dedupe/line_key.h"
#include "dedupe/seen_set.h"
#include "io/record.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'k', "key", "FIELD", "compare this field, not the URL (repeatable)"},
    {'w', "whole-line", nullptr, "compare whole lines"},
    {'f', "field", "N", "compare the Nth tab-separated column"},
    {'v', "invert", nullptr, "print the repeats instead of the first ones"},
    {0, "bits", "64|128", "bits of a fingerprint (128)"},
};
constexpr cli::ToolSpec kTool{
    "dedupe", "pass the first occurrence of every line, in order", "[OPTION]... [URL|FILE]...",
    kOptions,
    "  dedupe urls.txt              first line of every URL\n"
    "  fetch < urls | dedupe --key digest --drop\n"};

LineKey line_key(const cli::Options& options) {
  if (options.has("key") + options.has("whole-line") + options.has("field") > 1) {
    options.usage_error("--key, --whole-line and --field exclude each other");
  }
  if (options.has("whole-line")) return LineKey::whole_line();
  if (options.has("field")) return LineKey::column(options.unsigned_value("field", 1, 1));
  if (!options.has("key")) return LineKey::url();
  const std::vector<std::string> names = options.all("key");
  for (const std::string& name : names) {
    if (!is_field_key(name)) options.usage_error("--key takes the name of a field, not " + name);
  }
  return LineKey::fields(names);
}

// Lines that are kept and stand next to each other are written at one go.
class KeptLines {
 public:
  explicit KeptLines(RecordWriter& writer) : writer_(writer) {}
  ~KeptLines() { flush(); }

  void add(const LineBatch::Line& line) {
    if (!line.terminated || !writer_.plain()) {
      flush();
      return writer_.write_line(line.text);
    }
    const char* const begin = line.text.data();
    if (begin != end_) {
      flush();
      begin_ = begin;
    }
    end_ = begin + line.text.size() + 1;
  }
  void flush() {
    if (begin_ != end_) writer_.sink().write({begin_, static_cast<std::size_t>(end_ - begin_)});
    begin_ = end_ = nullptr;
  }

 private:
  RecordWriter& writer_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

int run(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  const bool inverted = options.has("invert");
  const auto seen = make_memory_set(128, random_seed());
  LineBatch batch(line_key(options), tool.terminator(), is_settled);
  std::array<bool, kSeenBatch> fresh;
  std::string_view run;
  while (tool.next_run(run)) {
    while (!run.empty()) {
      batch.take(run);
      if (Status status = seen->insert_batch(batch.keys(), fresh.data()); !status.ok()) {
        tool.trouble(status.message());
        return 2;
      }
      KeptLines kept(tool.writer());
      for (const LineBatch::Line& line : batch.lines()) {
        if (!line.judged() || fresh[line.key] != inverted) kept.add(line);
      }
      tool.inputs().add_lines(batch.lines().size());
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
