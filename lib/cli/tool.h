// SPDX-License-Identifier: Apache-2.0
// What all tools have in common: they parse options, read operands as lines, write records, report what they refuse,
// and end with the right status.
//
//   int run(cli::Tool& tool) {
//     std::string_view line;
//     while (tool.next(line)) {
//       if (bad(line)) tool.refuse("why", line); else tool.writer().write_line(line);
//     }
//     return tool.status();
//   }
//   int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
//
// The exit status is as grep's: 0 done, 1 something was refused, 2 trouble (usage, I/O). A failed write to standard
// output, or a failed close of it, always gives 2.
#ifndef SPINNERET_CLI_TOOL_H_
#define SPINNERET_CLI_TOOL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/inputs.h"
#include "cli/options.h"
#include "io/sink.h"
#include "io/writer.h"

namespace spinneret::cli {

class Tool {
 public:
  Tool(const ToolSpec& spec, Options options);

  // The name under which it was called, with the prefix of its installation if there is one.
  std::string_view name() const { return spec_.name; }
  // The name of another tool of the same installation.
  std::string beside(std::string_view tool) const {
    return std::string(name().substr(0, spec_.prefix_size)).append(tool);
  }
  const Options& options() const { return options_; }
  Sink& out() { return sink_; }
  RecordWriter& writer() { return writer_; }
  char terminator() const { return writer_.terminator(); }

  // The table whose rows the lines are (--csv, --field and the like, for tools whose ToolSpec has them), or nullptr.
  // With a table next() gives rows as records, and writer() writes records as rows; see io/rows.h.
  const TableShape* table() const { return table_ ? &*table_ : nullptr; }
  // Declares the columns that the tool adds to a row, in this order (--fields chooses others), and the columns that
  // it reads as fields. Call it before the first next().
  void set_table(std::vector<std::string> added,
                 std::vector<std::pair<std::string, std::string>> inputs = {});

  // Gives the next line of all operands. Output is flushed before a read that would block. Returns false early once
  // output has failed, or --strict has met a bad record.
  bool next(std::string_view& line);
  bool next_run(std::string_view& run);
  Inputs& inputs() { return *inputs_; }
  // For tools with an event loop, before the first next(): next() returns false instead of blocking,
  // inputs().starved() tells why, and the tool must flush by itself.
  void set_nonblocking_input() { waits_ = false; }
  // Replaces the command line's operands, before the first next(). `is_line` decides which of them are lines
  // themselves.
  void set_operands(std::vector<std::string> operands, IsLine is_line = is_url_operand);
  const std::vector<std::string>& operands() const { return operands_; }
  IsLine line_test() const { return is_line_; }

  // Reads each operand, or standard input without any, as one document (for --base), until `take` returns false. One
  // that cannot be read is trouble, and the next follows. A URL among the operands ends the program with a usage
  // error.
  void for_each_document(
      std::vector<std::string> operands,
      const std::function<bool(const std::string& file, std::string_view bytes)>& take);

  // Reports the present line as bad: `tool: FILE:LINE: reason: "excerpt"`; status at least 1.
  void refuse(std::string_view reason, std::string_view bytes);
  // Reports a record as bad. If it came from a row of a table, --on-error decides what becomes of the row. A line with
  // nothing in it is no record, and none is missed.
  void refuse_record(std::string_view reason, std::string_view record);
  // Reports a line that the tool numbers itself, because it works on runs or answers later; 0 stands for no number.
  void refuse_at(std::string_view file, std::uint64_t line, std::string_view reason,
                 std::string_view bytes);
  // Raises the exit status to 1 for something that was refused but needs no message, such as a disallowed URL.
  void note_refusal() { raise_status(1); }
  // Prints `tool: message` and returns 2, which is the exit status from then on. The tool may go on.
  int trouble(std::string_view message);
  // Prints `tool: message`; the exit status stays as it is.
  void notice(std::string_view message);
  // Collects messages from now on, so that many become one write. They are written at release_notices(), or as soon
  // as they fill what a pipe takes in one piece.
  void hold_notices() { holds_notices_ = true; }
  void release_notices();

  // Whether next() would return false although there is input left.
  bool stopped() const { return stopped_ || !sink_.ok(); }
  int status() const { return status_; }
  void raise_status(int status) { status_ = status > status_ ? status : status_; }

 private:
  friend int run_tool(const ToolSpec&, int, char**, int (*)(Tool&), bool);
  void open_inputs(std::vector<std::string> operands, IsLine is_line);
  void report_row(const RowWriter::Report& report);
  // Runs the body, closes standard output, and returns the final exit status.
  int run(int (*body)(Tool&));
  int finish();
  void show_progress(std::string_view block);
  void clear_progress();

  const ToolSpec& spec_;
  Options options_;
  Sink sink_;
  std::optional<TableShape> table_;
  RecordWriter writer_;
  std::vector<std::string> operands_;
  IsLine is_line_ = is_url_operand;
  std::unique_ptr<Inputs> inputs_;
  struct Progress {  // shown on a terminal, for what takes longer than a moment
    std::int64_t begun_ns = 0, shown_ns = 0;
    std::uint64_t lines = 0, bytes = 0;
    std::size_t operand = 0;
    bool shown = false;
  } progress_;
  std::string held_notices_;
  bool holds_notices_ = false;
  bool strict_;
  bool waits_ = true;
  bool stopped_ = false;
  int status_ = 0;
};

// The whole of a tool's main(). For `takes_command` see Options::parse.
int run_tool(const ToolSpec& spec, int argc, char** argv, int (*body)(Tool&),
             bool takes_command = false);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_TOOL_H_
