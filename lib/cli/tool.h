// SPDX-License-Identifier: Apache-2.0
// What all tools do alike: parse options, read the operands as lines, write records, report what was
// refused, and end with the right status.
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
// Exit status, as grep: 0 done, 1 something was refused, 2 trouble (usage, I/O). A failed write or close
// of standard output is 2, always.
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

  // As it was called: with the prefix of its installation, if there is one.
  std::string_view name() const { return spec_.name; }
  // Another tool, as it is called beside this one.
  std::string beside(std::string_view tool) const {
    return std::string(name().substr(0, spec_.prefix_size)).append(tool);
  }
  const Options& options() const { return options_; }
  Sink& out() { return sink_; }
  RecordWriter& writer() { return writer_; }
  char terminator() const { return writer_.terminator(); }

  // What table the lines are rows of (--csv, --field and the like, of a tool whose ToolSpec has them); nullptr: none.
  // Then next() gives rows as records, and writer() writes records as rows: see io/rows.h.
  const TableShape* table() const { return table_ ? &*table_ : nullptr; }
  // What the tool adds to a row, as columns in this order (--fields chooses others), and which columns it reads as
  // fields. Before the first next().
  void set_table(std::vector<std::string> added,
                 std::vector<std::pair<std::string, std::string>> inputs = {});

  // The lines of all operands. Output is flushed before a read that would block. Ends early when output
  // has failed or --strict has met a bad record.
  bool next(std::string_view& line);
  bool next_run(std::string_view& run);
  Inputs& inputs() { return *inputs_; }
  // For tools with an event loop: next() returns false instead of blocking, inputs().starved() tells, and
  // flushing is the tool's own affair. Before the first next().
  void set_nonblocking_input() { waits_ = false; }
  // Reads these operands instead of the command line's (before the first next). `is_line`: which of them are
  // lines themselves.
  void set_operands(std::vector<std::string> operands, IsLine is_line = is_url_operand);
  const std::vector<std::string>& operands() const { return operands_; }
  IsLine line_test() const { return is_line_; }

  // For --base: each of the operands (none: standard input) as one document, until `take` returns false. One that cannot
  // be read is trouble, and the others follow; a URL among them ends the program.
  void for_each_document(
      std::vector<std::string> operands,
      const std::function<bool(const std::string& file, std::string_view bytes)>& take);

  // Reports the present line as bad: `tool: FILE:LINE: reason: "excerpt"`; status at least 1.
  void refuse(std::string_view reason, std::string_view bytes);
  // The same for a record; that of a row is dealt with as --on-error says.
  void refuse_record(std::string_view reason, std::string_view record);
  // The same for a line that the tool numbers itself (it works on runs, or answers later); 0: it has no number.
  void refuse_at(std::string_view file, std::uint64_t line, std::string_view reason,
                 std::string_view bytes);
  // Something was refused that needs no message (a disallowed URL): status at least 1.
  void note_refusal() { raise_status(1); }
  // `tool: message`; the status is 2 from then on, and is returned. The tool may go on.
  int trouble(std::string_view message);
  // `tool: message`; status stays.
  void notice(std::string_view message);
  // Messages from now on wait for each other, so that many are one write: until release_notices(), or until they are as
  // many bytes as a pipe takes whole.
  void hold_notices() { holds_notices_ = true; }
  void release_notices();

  // Whether next() would return false although input is left.
  bool stopped() const { return stopped_ || !sink_.ok(); }
  int status() const { return status_; }
  void raise_status(int status) { status_ = status > status_ ? status : status_; }

 private:
  friend int run_tool(const ToolSpec&, int, char**, int (*)(Tool&), bool);
  void open_inputs(std::vector<std::string> operands, IsLine is_line);
  void report_row(const RowWriter::Report& report);
  // Closes standard output; the final status.
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
  struct Progress {  // on a terminal, of what takes longer than a moment
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

// main(). `takes_command`: see Options::parse.
int run_tool(const ToolSpec& spec, int argc, char** argv, int (*body)(Tool&),
             bool takes_command = false);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_TOOL_H_
