// SPDX-License-Identifier: Apache-2.0
#include "dedupe_at_end.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dedupe/key_counter.h"
#include "dedupe/later_set.h"
#include "dedupe/line_batch.h"
#include "dedupe/temporary_file.h"
#include "dedupe_output.h"
#include "dedupe_settings.h"
#include "io/reader.h"
#include "io/record.h"

namespace spinneret::dedupe_tool {
namespace {

// The first of each key waits until all are counted; what is not judged passes at once.
void count_input(cli::Tool& tool, KeyCounter& counter, Spool& spool) {
  LineBatch batch = line_batch(tool);
  std::vector<std::uint64_t> counts;
  for (std::string_view run; tool.next_run(run);) {
    while (!run.empty() && !tool.stopped()) {
      batch.take(run);
      counter.count_batch(batch.keys(), counts);
      for (const LineBatch::Line& line : batch.lines()) {
        if (!line.judged()) tool.writer().write_line(line.text);
        if (line.judged() && counts[line.key] == 1) spool.add(line.text);
      }
      tool.inputs().add_lines(batch.lines().size());
    }
  }
}

}  // namespace

Status Spool::open() {
  Result<Fd> made = open_temporary(temporary_folder());
  if (!made.ok()) return made.error();
  file_ = made.take();
  out_.emplace(file_.get());
  return {};
}

void Spool::add(std::string_view line) {
  out_->append(line);
  // One CR before an LF will be dropped when it is read again.
  if (terminator_ == '\n' && line.ends_with('\r')) out_->append("\r");
  out_->append({&terminator_, 1});
}

Status Spool::each_run(const std::function<bool(std::string_view run)>& take) {
  if (const int code = out_->finish(); code != 0) {
    return system_error("cannot write a temporary file in " + temporary_folder(), code);
  }
  lseek(file_.get(), 0, SEEK_SET);
  LineReader lines(file_.get(), {.terminator = terminator_, .max_line = SIZE_MAX / 4});
  for (std::string_view run; lines.next_run(run) == LineReader::Event::kLine;) {
    if (!take(run)) return {};
  }
  if (lines.error_code() == 0) return {};
  return system_error("cannot read a temporary file", lines.error_code());
}

int run_counted(cli::Tool& tool) {
  const bool only_unique = tool.options().has("unique");
  Spool spool(tool.terminator());
  if (Status opened = spool.open(); !opened.ok()) return tool.trouble(opened.message());
  KeyCounter counter;
  count_input(tool, counter, spool);
  LineBatch batch = line_batch(tool);
  std::vector<std::uint64_t> counts;
  Record record;
  const Status written = spool.each_run([&](std::string_view run) {
    while (!run.empty()) {
      batch.take(run);
      counter.find_batch(batch.keys(), counts);
      for (const LineBatch::Line& line : batch.lines()) {
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
  const std::unique_ptr<LaterSet> set =
      make_later_set(bits, tool.options().size("memory", 256 << 20), temporary_folder());
  Spool spool(tool.terminator());
  Status done = spool.open();
  LineBatch batch = line_batch(tool);
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
  std::vector<LineVerdict> verdicts;
  std::array<bool, LineBatch::kLines> fresh;
  const Status written = spool.each_run([&](std::string_view run) {
    while (done.ok() && !run.empty() && !tool.stopped()) {
      batch.take(run);
      done = set->next(batch.keys().size(), fresh.data());
      verdicts.assign(batch.lines().size(), {});
      for (std::size_t i = 0; i < verdicts.size(); ++i) {
        const LineBatch::Line& line = batch.lines()[i];
        if (!line.judged()) continue;
        verdicts[i].kind = fresh[line.key] ? LineVerdict::Kind::kFresh : LineVerdict::Kind::kRepeat;
      }
      if (done.ok()) output.write(batch, verdicts);
    }
    return done.ok() && !tool.stopped();
  });
  if (done.ok()) done = written;
  return done.ok() ? 0 : tool.trouble(done.message());
}

}  // namespace spinneret::dedupe_tool
