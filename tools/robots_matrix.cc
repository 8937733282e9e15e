// SPDX-License-Identifier: Apache-2.0
// --matrix: prints agents by paths, as a table on a terminal, as columns with a head elsewhere, as
// records with --json.
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/excerpt.h"
#include "base/utf8.h"
#include "robots_answer.h"
#include "terminal.h"

namespace spinneret {
namespace {

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (c & 0xC0) != 0x80;
  return width;
}

void append_word(std::string& out, std::string_view word, std::uint32_t line) {
  out += word;
  if (line != 0) out += ':' + std::to_string(line);
}

// Returns "disallow:3", by the rule of line 3; or "allow>disallow:3", where it was allowed before.
std::string text_of(const AgentMatrix::Cell& cell) {
  std::string out;
  if (cell.changed()) {
    append_word(out, cell.old_word, cell.old_line);
    out += '>';
  }
  append_word(out, cell.word, cell.line);
  return out;
}

Colour colour_of(const AgentMatrix::Cell& cell) {
  return cell.word == "disallow" ? Colour::kRed
         : cell.word == "allow"  ? Colour::kGreen
                                 : Colour::kNone;
}

// Pads the text to the column's width; without widths returns it escaped, to stand between tabs.
std::string pad(std::string text, const std::vector<std::size_t>& widths, std::size_t column) {
  if (widths.empty()) {
    std::string out;
    append_escaped(out, text);
    return out;
  }
  clean_words(text);
  const bool last = column + 1 == widths.size();
  const std::size_t width = width_of(text);
  if (!last && width < widths[column]) text.append(widths[column] - width, ' ');
  return text;
}

class MatrixWriter : public Answerer {
 public:
  explicit MatrixWriter(RobotsContext& context) : context_(context), matrix_(context) {}

  void answer(std::string_view line, const KnownHost& host, std::string_view path) override {
    const robots::HostRules& rules = *host.rules;
    cells_.clear();
    bool refused = false;
    for (std::size_t i = 0; i < context_.rules.agents.size(); ++i) {
      const robots::HostRules::Answer answer = rules.ask(i, path);
      refused = refused || !answer.allowed;
      cells_.push_back(
          {word_of(rules, i, answer), answer.rule == nullptr ? 0 : answer.rule->line, {}, 0});
    }
    if (!matrix_.add(record_url(line), cells_)) {
      return context_.tool.refuse("a matrix has at most 1000 columns", record_url(line));
    }
    if (refused) context_.tool.note_refusal();
  }

  void end() override {
    if (!context_.quiet) matrix_.print(false);
  }

 private:
  RobotsContext& context_;
  AgentMatrix matrix_;
  std::vector<AgentMatrix::Cell> cells_;
};

}  // namespace

bool AgentMatrix::add(std::string_view path, const std::vector<Cell>& cells) {
  if (paths_.size() == kMaxColumns) return false;
  paths_.emplace_back(without_controls(path));
  cells_.insert(cells_.end(), cells.begin(), cells.end());
  return true;
}

const AgentMatrix::Cell& AgentMatrix::cell(std::size_t agent, std::size_t path) const {
  return cells_[path * context_.rules.agents.size() + agent];
}

bool AgentMatrix::has_change(std::size_t agent) const {
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (cell(agent, i).changed()) return true;
  }
  return false;
}

void AgentMatrix::print(bool only_changes) {
  if (!context_.tool.writer().plain()) return write_records(only_changes);
  if (only_changes && paths_.empty()) return;
  const bool terminal = is_terminal(STDOUT_FILENO);
  const char* const next = terminal ? "  " : "\t";
  std::vector<std::size_t> widths;
  if (terminal) widths = find_widths();
  context_.tool.out().clean(false);  // pad() cleans, and the colours must get through
  std::string out = pad("agent", widths, 0);
  for (std::size_t i = 0; i < paths_.size(); ++i) out += next + pad(paths_[i], widths, i + 1);
  write_row(out);
  for (std::size_t agent = 0; agent < context_.rules.agents.size(); ++agent) {
    if (only_changes && !has_change(agent)) continue;
    out = pad(context_.rules.agents[agent], widths, 0);
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const std::string shown = pad(text_of(cell(agent, i)), widths, i + 1);
      out += next + (terminal ? coloured(shown, colour_of(cell(agent, i))) : shown);
    }
    write_row(out);
  }
}

std::vector<std::size_t> AgentMatrix::find_widths() const {
  std::vector<std::size_t> out{5};
  for (const std::string& agent : context_.rules.agents) out[0] = std::max(out[0], width_of(agent));
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    std::size_t width = width_of(paths_[i]);
    for (std::size_t agent = 0; agent < context_.rules.agents.size(); ++agent) {
      width = std::max(width, text_of(cell(agent, i)).size());
    }
    out.push_back(width);
  }
  return out;
}

void AgentMatrix::write_row(std::string_view row) {
  context_.tool.out().write(row);
  context_.tool.out().put(context_.tool.terminator());
}

void AgentMatrix::write_records(bool only_changes) {
  Record& record = context_.record;
  for (std::size_t agent = 0; agent < context_.rules.agents.size(); ++agent) {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const Cell& shown = cell(agent, i);
      if (only_changes && !shown.changed()) continue;
      record.reset(paths_[i]);
      record.set("agent", context_.rules.agents[agent]);
      record.set("robots", shown.word);
      if (shown.line != 0) record.set_unsigned("robots-line", shown.line);
      if (shown.changed()) record.set("robots-old", shown.old_word);
      if (shown.old_line != 0) record.set_unsigned("robots-old-line", shown.old_line);
      context_.tool.writer().write(record);
    }
  }
}

std::unique_ptr<Answerer> make_matrix_writer(RobotsContext& context) {
  return std::make_unique<MatrixWriter>(context);
}

}  // namespace spinneret
