// SPDX-License-Identifier: Apache-2.0
#include "dedupe_at_end.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dedupe/key_counter.h"
#include "dedupe/later_set.h"
#include "dedupe/line_batch.h"
#include "dedupe_output.h"
#include "dedupe_settings.h"
#include "io/record.h"

namespace spinneret::dedupe_tool {
namespace {

// Keeps the first line of each key until all are counted. Lines that are not judged pass at once.
void count_input(cli::Tool& tool, dedupe::KeyCounter& counter, Spool& spool) {
  dedupe::LineBatch batch = line_batch(tool);
  std::vector<std::uint64_t> counts;
  for (std::string_view run; tool.next_run(run);) {
    while (!run.empty() && !tool.stopped()) {
      batch.take(run);
      counter.count_batch(batch.keys(), counts);
      for (const dedupe::LineBatch::Line& line : batch.lines()) {
        if (!line.judged()) tool.writer().write_line(line.text);
        if (line.judged() && counts[line.key] == 1) spool.add(line.text);
      }
      tool.inputs().add_lines(batch.lines().size());
    }
  }
}

}  // namespace

void Spool::add(std::string_view line) {
  file_.append(line);
  // Reading drops one CR before an LF: so a CR that belongs to the line is doubled.
  if (terminator_ == '\n' && line.ends_with('\r')) file_.append("\r");
  file_.append({&terminator_, 1});
}

Status Spool::each_run(const std::function<bool(std::string_view run)>& take) {
  if (Status written = file_.finish(); !written.ok()) return written;
  // The beginning of a line that goes on in the next block, followed by that block.
  std::string bytes;
  for (std::uint64_t number = 0; number < file_.blocks(); ++number) {
    const std::size_t before = bytes.size();
    bytes.resize(before + file_.length(number));
    if (Status read = file_.read(number, bytes.data() + before); !read.ok()) return read;
    const std::size_t end = std::string_view(bytes).substr(before).rfind(terminator_);
    if (end == std::string_view::npos) continue;
    const std::size_t whole = before + end + 1;
    if (!take(std::string_view(bytes).substr(0, whole))) return {};
    bytes.erase(0, whole);
  }
  return {};
}

int run_counted(cli::Tool& tool) {
  const bool only_unique = tool.options().has("unique");
  Spool spool(tool.terminator());
  if (Status opened = spool.open(); !opened.ok()) return tool.trouble(opened.message());
  dedupe::KeyCounter counter;
  count_input(tool, counter, spool);
  dedupe::LineBatch batch = line_batch(tool);
  std::vector<std::uint64_t> counts;
  Record record;
  const Status written = spool.each_run([&](std::string_view run) {
    while (!run.empty()) {
      batch.take(run);
      counter.find_batch(batch.keys(), counts);
      for (const dedupe::LineBatch::Line& line : batch.lines()) {
        if (only_unique && counts[line.key] != 1) continue;
        record.parse(line.text);
        if (!only_unique) record.set_unsigned("count", counts[line.key]);
        tool.writer().write(record);
      }
    }
    return true;
  });
  return written.ok() ? 0 : tool.trouble(written.message());
}

int run_later(cli::Tool& tool) {
  const unsigned bits = tool.options().choice("bits", 1) == 0 ? 64 : 128;
  const std::unique_ptr<dedupe::LaterSet> set = dedupe::make_later_set(
      bits, tool.options().size("memory", 256 << 20), dedupe::temporary_folder());
  Spool spool(tool.terminator());
  Status done = spool.open();
  dedupe::LineBatch batch = line_batch(tool);
  for (std::string_view run; done.ok() && tool.next_run(run);) {
    spool.add_run(run);
    if (!run.ends_with(tool.terminator())) spool.add_run({&batch.terminator(), 1});
    while (done.ok() && !run.empty() && !tool.stopped()) {
      batch.take(run);
      done = set->add_batch(batch.keys());
      tool.inputs().add_lines(batch.lines().size());
    }
  }
  if (done.ok()) done = set->close();
  if (!done.ok()) return tool.trouble(done.message());
  Output output(tool);
  std::vector<dedupe::LineVerdict> verdicts;
  std::array<bool, dedupe::LineBatch::kLines> fresh;
  const Status written = spool.each_run([&](std::string_view run) {
    while (done.ok() && !run.empty() && !tool.stopped()) {
      batch.take(run);
      done = set->next(batch.keys().size(), fresh.data());
      verdicts.assign(batch.lines().size(), {});
      for (std::size_t i = 0; i < verdicts.size(); ++i) {
        const dedupe::LineBatch::Line& line = batch.lines()[i];
        if (!line.judged()) continue;
        verdicts[i].kind = fresh[line.key] ? dedupe::LineVerdict::Kind::kFresh
                                           : dedupe::LineVerdict::Kind::kRepeat;
      }
      if (done.ok()) output.write(batch, verdicts);
    }
    return done.ok() && !tool.stopped();
  });
  if (done.ok()) done = written;
  return done.ok() ? 0 : tool.trouble(done.message());
}

}  // namespace spinneret::dedupe_tool
