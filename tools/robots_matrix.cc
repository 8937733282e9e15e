// SPDX-License-Identifier: Apache-2.0
// --matrix: agents by paths, as a table on a terminal, as columns with a head elsewhere, as records with --json.
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/excerpt.h"
#include "base/utf8.h"
#include "robots_answer.h"
#include "terminal.h"

namespace spinneret {
namespace {

constexpr std::size_t kMaxColumns = 1000;

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (c & 0xC0) != 0x80;
  return width;
}

class MatrixWriter : public Answerer {
 public:
  explicit MatrixWriter(RobotsContext& context) : context_(context), tool_(context.tool) {}

  void answer(std::string_view line, const KnownHost& host, std::string_view path) override {
    const HostRules& rules = *host.rules;
    if (paths_.size() == kMaxColumns) {
      return tool_.refuse("a matrix has at most 1000 columns", record_url(line));
    }
    paths_.emplace_back(without_controls(record_url(line)));
    for (std::size_t i = 0; i < context_.rules.agents.size(); ++i) {
      const HostRules::Answer answer = rules.ask(i, path);
      if (!answer.allowed) tool_.note_refusal();
      cells_.push_back({word_of(rules, i, answer), answer.rule == nullptr ? 0 : answer.rule->line});
    }
  }

  void end() override {
    if (context_.quiet) return;
    if (!tool_.writer().plain()) return write_records();
    std::vector<std::size_t> widths;
    if (terminal_) widths = find_widths();
    std::string out = pad("agent", widths, 0);
    for (std::size_t i = 0; i < paths_.size(); ++i) out += next() + pad(paths_[i], widths, i + 1);
    write_row(out);
    for (std::size_t agent = 0; agent < context_.rules.agents.size(); ++agent) {
      out = pad(context_.rules.agents[agent], widths, 0);
      for (std::size_t i = 0; i < paths_.size(); ++i) {
        const std::string text = text_of(cell(agent, i));
        const std::string shown = pad(text, widths, i + 1);
        out += next() + (terminal_ ? coloured(shown, colour_of(cell(agent, i))) : shown);
      }
      write_row(out);
    }
  }

 private:
  struct Cell {
    std::string_view word;
    std::uint32_t line;
  };

  const Cell& cell(std::size_t agent, std::size_t path) const {
    return cells_[path * context_.rules.agents.size() + agent];
  }
  // "disallow:3": by the rule of line 3.
  static std::string text_of(const Cell& cell) {
    std::string out(cell.word);
    if (cell.line != 0) out += ':' + std::to_string(cell.line);
    return out;
  }
  static Colour colour_of(const Cell& cell) {
    return cell.word == "disallow" ? Colour::kRed
           : cell.word == "allow"  ? Colour::kGreen
                                   : Colour::kNone;
  }

  std::string next() const { return terminal_ ? "  " : "\t"; }

  std::vector<std::size_t> find_widths() const {
    std::vector<std::size_t> out{5};
    for (const std::string& agent : context_.rules.agents)
      out[0] = std::max(out[0], width_of(agent));
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      std::size_t width = width_of(paths_[i]);
      for (std::size_t agent = 0; agent < context_.rules.agents.size(); ++agent) {
        width = std::max(width, text_of(cell(agent, i)).size());
      }
      out.push_back(width);
    }
    return out;
  }

  static std::string pad(std::string text, const std::vector<std::size_t>& widths,
                         std::size_t column) {
    if (widths.empty()) {
      std::string out;
      append_escaped(out, text);
      return out;
    }
    const bool last = column + 1 == widths.size();
    const std::size_t width = width_of(text);
    if (!last && width < widths[column]) text.append(widths[column] - width, ' ');
    return text;
  }

  void write_row(std::string_view row) {
    tool_.out().write(row);
    tool_.out().put(tool_.terminator());
  }

  void write_records() {
    for (std::size_t agent = 0; agent < context_.rules.agents.size(); ++agent) {
      for (std::size_t i = 0; i < paths_.size(); ++i) {
        Record& record = context_.record;
        record.reset(paths_[i]);
        record.set("agent", context_.rules.agents[agent]);
        record.set("robots", cell(agent, i).word);
        if (cell(agent, i).line != 0) record.set_unsigned("robots-line", cell(agent, i).line);
        tool_.writer().write(record);
      }
    }
  }

  RobotsContext& context_;
  cli::Tool& tool_;
  const bool terminal_ = is_terminal(STDOUT_FILENO);
  std::vector<std::string> paths_;
  std::vector<Cell> cells_;  // by path, and within a path by agent
};

}  // namespace

std::unique_ptr<Answerer> make_matrix_writer(RobotsContext& context) {
  return std::make_unique<MatrixWriter>(context);
}

}  // namespace spinneret
