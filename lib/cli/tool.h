// SPDX-License-Identifier: Apache-2.0
// The common parts of all tools: parsing options, reading operands as lines, writing records,
// reporting what is refused, and ending with the right status.
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
// The exit status is like grep's: 0 done, 1 something was refused, 2 trouble (usage, I/O). If
// writing to standard output or closing it fails, the status is always 2.
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

  // The name that the tool was called by, with its installation's prefix if there is one.
  std::string_view name() const { return spec_.name; }
  // Returns the name of another tool of the same installation.
  std::string beside(std::string_view tool) const {
    return std::string(name().substr(0, spec_.prefix_size)).append(tool);
  }
  const Options& options() const { return options_; }
  Sink& out() { return sink_; }
  RecordWriter& writer() { return writer_; }
  char terminator() const { return writer_.terminator(); }

  // The table whose rows the lines are (--csv, --field and the like, for tools with
  // ToolSpec::tables), or nullptr. With a table next() gives rows as records, and writer() writes
  // records as rows; see io/rows.h.
  const TableShape* table() const { return table_ ? &*table_ : nullptr; }
  // Declares the columns that the tool adds to a row, in this order (--fields overrides them), and
  // the columns that it reads as fields. Must be called before the first next().
  void set_table(std::vector<std::string> added,
                 std::vector<std::pair<std::string, std::string>> inputs = {});

  // Gives the next line of all operands. Output is flushed before a read that would block. Returns
  // false early if output has failed, or if --strict is given and a record was bad.
  bool next(std::string_view& line);
  bool next_run(std::string_view& run);
  Inputs& inputs() { return *inputs_; }
  // For tools with an event loop, before the first next(). next() then returns false instead of
  // blocking, inputs().starved() tells this from the end, and the tool must flush its output
  // itself.
  void set_nonblocking_input() { waits_ = false; }
  // Replaces the operands of the command line, before the first next(). `is_line` decides which of
  // them are themselves lines.
  void set_operands(std::vector<std::string> operands, IsLine is_line = is_url_operand);
  const std::vector<std::string>& operands() const { return operands_; }
  IsLine line_test() const { return is_line_; }

  // Reads each operand, or standard input if there are none, as one document (for --base), until
  // `take` returns false. An operand that cannot be read is reported as trouble, and the next one
  // follows. A URL among the operands ends the program with a usage error.
  void for_each_document(
      std::vector<std::string> operands,
      const std::function<bool(const std::string& file, std::string_view bytes)>& take);

  // Reports the current line as bad: `tool: FILE:LINE: reason: "excerpt"`; the status becomes at
  // least 1.
  void refuse(std::string_view reason, std::string_view bytes);
  // Reports a record as bad. If it came from a row of a table, --on-error decides what becomes of
  // the row. An empty line is no record, and is ignored.
  void refuse_record(std::string_view reason, std::string_view record);
  // Reports a line that the tool numbers itself, because it works on runs or answers later; 0 means
  // no number.
  void refuse_at(std::string_view file, std::uint64_t line, std::string_view reason,
                 std::string_view bytes);
  // Raises the exit status to 1 for a refusal that needs no message, such as that of a disallowed
  // URL.
  void note_refusal() { raise_status(1); }
  // Prints `tool: message`, raises the exit status to 2, and returns it. The tool may go on.
  int trouble(std::string_view message);
  // Prints `tool: message`; the exit status stays as it is.
  void notice(std::string_view message);
  // Collects messages from now on, so that many are written at once: by release_notices(), or as
  // soon as they exceed what a pipe takes in one piece (PIPE_BUF).
  void hold_notices() { holds_notices_ = true; }
  void release_notices();

  // Whether next() would return false although there may be input left.
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
  struct Progress {  // shown on a terminal for input that takes longer than a moment
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

// Does all of a tool's main(). For `takes_command` see Options::parse().
int run_tool(const ToolSpec& spec, int argc, char** argv, int (*body)(Tool&),
             bool takes_command = false);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_TOOL_H_
