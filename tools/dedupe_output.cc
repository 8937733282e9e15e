// SPDX-License-Identifier: Apache-2.0
#include "dedupe_output.h"

#include <cstdio>

#include "dedupe_settings.h"

namespace spinneret::dedupe_tool {
namespace {

using Kind = dedupe::LineVerdict::Kind;

// Writes kept lines that are adjacent in memory at one go.
class KeptLines {
 public:
  explicit KeptLines(RecordWriter& writer) : writer_(writer) {}
  ~KeptLines() { flush(); }

  void add(const dedupe::LineBatch::Line& line) {
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

}  // namespace

Output::Output(cli::Tool& tool)
    : tool_(tool),
      mark_(tool.options().has("mark")),
      judges_settled_(judges_settled(tool.options()) && !tool.options().has("drop")),
      repeats_(tool.options().has("invert") || tool.options().has("repeated")),
      similarity_(compares_nearness(tool.options())) {}

void Output::write(const dedupe::LineBatch& batch,
                   const std::vector<dedupe::LineVerdict>& verdicts) {
  KeptLines kept(tool_.writer());
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const dedupe::LineBatch::Line& line = batch.lines()[i];
    if (wanted(line, verdicts[i].kind)) {
      kept.add(line);
    } else if (verdicts[i].kind == Kind::kSame && !repeats_) {
      kept.flush();
      write_same(line.text, verdicts[i].similarity);
    } else if (verdicts[i].kind == Kind::kRepeat && !repeats_ && marks(line.text)) {
      kept.flush();
      mark(line.text, verdicts[i]);
    }
  }
  tool_.inputs().add_lines(verdicts.size());
}

bool Output::wanted(const dedupe::LineBatch::Line& line, Kind kind) const {
  if (kind == Kind::kExempt) return line.exempt || !repeats_ || is_settled(line.text);
  return kind == (repeats_ ? Kind::kRepeat : Kind::kFresh);
}

// Whether a repeat is marked. Somebody waits for the answer that a settled record is: it is dropped
// only with --drop.
bool Output::marks(std::string_view line) const {
  return mark_ || (judges_settled_ && is_settled(line));
}

void Output::mark(std::string_view line, const dedupe::LineVerdict& verdict) {
  record_.parse(line);
  record_.remove("body");
  if (!verdict.original.empty() && verdict.original != record_.url()) {
    record_.set("duplicate-of", verdict.original);
  }
  if (similarity_ && verdict.similarity >= 0) set_similarity(verdict.similarity);
  record_.set_outcome("duplicate");
  tool_.writer().write(record_);
}

// The similarity tells whoever visits pages again that this one has not changed, though its bytes
// may have.
void Output::write_same(std::string_view line, double similarity) {
  record_.parse(line);
  set_similarity(similarity);
  tool_.writer().write(record_);
}

void Output::set_similarity(double similarity) {
  char text[16];
  std::snprintf(text, sizeof text, "%.3f", similarity);
  record_.set("similarity", text);
}

}  // namespace spinneret::dedupe_tool
