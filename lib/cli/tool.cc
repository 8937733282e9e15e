// SPDX-License-Identifier: Apache-2.0
#include "cli/tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "cli/signals.h"

#ifndef F_SETPIPE_SZ
#define F_SETPIPE_SZ 1031
#endif

namespace spinneret::cli {
namespace {

OutputFormat output_format(const Options& options) {
  OutputFormat format;
  format.terminator = options.has("null") ? '\0' : '\n';
  if (options.has("json") && options.has("fields")) {
    options.usage_error("--json and --fields exclude each other");
  }
  if (options.has("json")) format.form = OutputFormat::Form::kJson;
  if (!options.has("fields")) return format;
  format.form = OutputFormat::Form::kFields;
  const std::string list = options.get("fields");
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const std::string name = list.substr(start, end - start);
    if (!is_field_key(name)) {
      options.usage_error("--fields takes names such as url,status, not " + excerpt(name));
    }
    format.fields.push_back(name);
    start = end + 1;
  }
  return format;
}

// A descriptor 0, 1 or 2 that is closed would be given to the next file that is opened, and data would go
// where nobody meant it. Fill the holes with something that fails as a closed one does.
void hold_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // Reads from a write-only descriptor fail with EBADF, and writes to a read-only one.
    const int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", mode) != fd) _exit(2);
  }
}

}  // namespace

Tool::Tool(const ToolSpec& spec, Options options)
    : spec_(spec),
      options_(std::move(options)),
      sink_(STDOUT_FILENO),
      writer_(sink_, output_format(options_)),
      strict_(options_.has("strict")) {
  // A larger pipe halves the cost of a hop; where it is not allowed the pipe works as it is.
  fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 1 << 20);
}

void Tool::open_inputs(std::vector<std::string> operands, IsLine is_line) {
  LineReader::Options reading;
  reading.terminator = terminator();
  reading.max_line = options_.size("max-line", reading.max_line);
  reading.before_wait = [this] { sink_.flush(); };
  reading.wait = waits_;
  reading.stop_fd = stop_fd();
  inputs_ = std::make_unique<Inputs>(
      std::move(operands), std::move(reading),
      Inputs::Callbacks{[this](const std::string& message) { trouble(message); },
                        [this](const std::string& reason) { refuse(reason, {}); }},
      is_line);
}

void Tool::set_operands(std::vector<std::string> operands, IsLine is_line) {
  open_inputs(std::move(operands), is_line);
}

bool Tool::next(std::string_view& line) {
  if (!inputs_) open_inputs(options_.operands(), is_url_operand);
  return !stopped() && inputs_->next(line) && !stopped();
}

bool Tool::next_run(std::string_view& run) {
  if (!inputs_) open_inputs(options_.operands(), is_url_operand);
  return !stopped() && inputs_->next_run(run) && !stopped();
}

void Tool::refuse(std::string_view reason, std::string_view bytes) {
  if (!inputs_) open_inputs(options_.operands(), is_url_operand);
  refuse_at(inputs_->name(), inputs_->line_number(), reason, bytes);
}

void Tool::refuse_at(std::string_view file, std::uint64_t line, std::string_view reason,
                     std::string_view bytes) {
  std::string message(file);
  message += ':';
  append_unsigned(message, line);
  message += ": ";
  message += reason;
  if (!bytes.empty()) message += ": " + excerpt(bytes);
  notice(message);
  raise_status(1);
  if (strict_) stopped_ = true;
}

int Tool::trouble(std::string_view message) {
  notice(message);
  raise_status(2);
  return status_;
}

// One write a message, so that the messages of a pipeline's stages do not mix. Whatever name or reason it
// quotes, no byte of it can act on a terminal.
void Tool::notice(std::string_view message) {
  std::string text = std::string(spec_.name) + ": ";
  append_printable(text, message);
  text += '\n';
  write_all(STDERR_FILENO, text);
}

int Tool::finish() {
  if (!sink_.close()) {
    trouble(system_error("standard output", sink_.error_code()).message);
  }
  return status_;
}

namespace {

// What the tool calls itself: its own name, behind the prefix that an installation may have put before it
// (spin-fetch), so that messages, --help and completions name the command that one types.
const char* called_name(const char* own, const char* called) {
  if (called == nullptr) return own;
  const char* const slash = std::strrchr(called, '/');
  const std::string_view name = slash == nullptr ? called : slash + 1;
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '+';
  });
  return plain && name.ends_with(own) ? name.data() : own;
}

}  // namespace

int Tool::run(int (*body)(Tool&)) {
  try {
    raise_status(body(*this));
  } catch (const std::exception& failure) {
    // Nothing of ours throws for bad input; memory can run out all the same.
    const bool memory = dynamic_cast<const std::bad_alloc*>(&failure) != nullptr;
    trouble(memory ? "out of memory" : failure.what());
  }
  return finish();
}

int run_tool(const ToolSpec& own_spec, int argc, char** argv, int (*body)(Tool&),
             bool takes_command) {
  hold_standard_descriptors();
  ToolSpec spec = own_spec;
  spec.name = called_name(own_spec.name, argv[0]);
  try {
    Tool tool(spec, Options::parse(spec, argc, argv, takes_command));
    return tool.run(body);
  } catch (const std::exception&) {
    // There is no memory for the options, or none to say so.
    write_all(STDERR_FILENO, spec.name);
    write_all(STDERR_FILENO, ": out of memory\n");
    return 2;
  }
}

}  // namespace spinneret::cli
