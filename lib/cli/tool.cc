// SPDX-License-Identifier: Apache-2.0
#include "cli/tool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "base/terminal.h"
#include "cli/signals.h"

#ifndef F_SETPIPE_SZ
#define F_SETPIPE_SZ 1031
#endif

namespace spinneret::cli {
namespace {

std::vector<std::string> fields_of(const Options& options) {
  std::vector<std::string> fields;
  const std::string list = options.get("fields");
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const std::string name = list.substr(start, end - start);
    if (!is_field_key(name)) {
      options.usage_error("--fields takes names such as url,status, not " + excerpt(name));
    }
    fields.push_back(name);
    start = end + 1;
  }
  return fields;
}

// Whether --field is the tool's own option, which takes the number of a column of lines, not that
// of tables.
bool is_own_field(const ToolSpec& spec, const Options& options) {
  return owns_option(spec, "field") && is_digits(options.get("field"));
}

std::optional<TableShape> table_shape(const ToolSpec& spec, const Options& options) {
  if (!spec.tables) return std::nullopt;
  const bool flag = options.has("header") && !owns_option(spec, "header");
  const bool is_table = options.has("csv") || options.has("tsv") || options.has("json-key") ||
                        flag || (options.has("field") && !is_own_field(spec, options));
  if (!is_table) {
    if (options.has("on-error") && !owns_option(spec, "on-error"))
      options.usage_error("--on-error is for tables: see --field, --csv, --tsv and --json-key");
    return std::nullopt;
  }
  const bool json = options.has("json-key");
  options.refuse_together(std::array<std::string_view, 3>{"csv", "tsv", "json-key"});
  if (json && (flag || options.has("field")))
    options.usage_error("--field and --header are for --csv and --tsv, not for --json-key");
  if (options.has("csv") && options.has("null"))
    options.usage_error("rows of CSV end with a line end: --null does not go with --csv");
  if (options.has("json"))
    options.usage_error("a table stays what it is: --json is for records (see records --from)");
  TableShape shape;
  shape.form = json                 ? TableShape::Form::kJson
               : options.has("csv") ? TableShape::Form::kCsv
                                    : TableShape::Form::kTsv;
  shape.fields = options.all(json ? "json-key" : "field");
  shape.header =
      flag || (!json && !std::all_of(shape.fields.begin(), shape.fields.end(), is_digits));
  if (shape.fields.empty()) shape.fields.emplace_back(shape.header ? "url" : "1");
  shape.terminator = options.has("null") ? '\0' : '\n';
  shape.max_row = options.size("max-line", shape.max_row);
  if (const Status good = check_shape(shape); !good.ok()) options.usage_error(good.message());
  return shape;
}

OutputFormat output_format(const Options& options, bool is_table) {
  OutputFormat format;
  format.terminator = options.has("null") ? '\0' : '\n';
  if (options.has("json") && options.has("fields")) {
    options.usage_error("--json and --fields exclude each other");
  }
  if (options.has("json")) format.form = OutputFormat::Form::kJson;
  if (!options.has("fields")) {
    // A tool with --explain prints for people where standard output is a terminal.
    const bool for_people = options.has("explain") && !options.has("json") &&
                            !options.has("null") && !is_table && is_terminal(STDOUT_FILENO);
    if (for_people) format.form = OutputFormat::Form::kPeople;
    return format;
  }
  format.fields = fields_of(options);
  // With a table, --fields chooses the columns added to its rows.
  if (!is_table) format.form = OutputFormat::Form::kFields;
  return format;
}

// If descriptor 0, 1 or 2 is closed, the next file opened would get its number, and data would go
// to the wrong place. Fills each gap with a descriptor that fails as a closed one does.
void hold_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // Reads from a write-only descriptor fail with EBADF, and so do writes to a read-only one.
    const int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", mode) != fd) _exit(2);
  }
}

}  // namespace

Tool::Tool(const ToolSpec& spec, Options options)
    : spec_(spec),
      options_(std::move(options)),
      sink_(STDOUT_FILENO),
      table_(table_shape(spec, options_)),
      writer_(sink_, output_format(options_, table_.has_value())),
      operands_(options_.operands()),
      strict_(options_.has("strict")) {
  // A larger pipe halves the cost of passing data on; where that is not allowed the pipe works as
  // it is.
  fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 1 << 20);
  sink_.clean(is_terminal(STDOUT_FILENO));
  if (!table_) return;
  using OnError = RowWriter::OnError;
  OnError on_error = static_cast<OnError>(options_.choice("on-error", 0));
  if (strict_) on_error = OnError::kStop;
  writer_.set_rows(std::make_unique<RowWriter>(
      *table_, on_error, [this](const RowWriter::Report& report) { report_row(report); }));
  set_table({});
}

void Tool::set_table(std::vector<std::string> added,
                     std::vector<std::pair<std::string, std::string>> inputs) {
  if (!table_) return;
  const bool chosen = options_.has("fields");
  writer_.rows()->set_added(chosen ? fields_of(options_) : std::move(added), chosen);
  table_->inputs = std::move(inputs);
}

void Tool::report_row(const RowWriter::Report& report) {
  const std::size_t at = report.operand - 1;
  const std::string name = at < operands_.size() ? operands_[at] : "-";
  if (report.trouble) {
    trouble(name + ": " + std::string(report.reason));
  } else {
    refuse_at(name, report.line, report.reason, report.bytes);
  }
  if (options_.get("on-error") == "stop") stopped_ = true;
}

void Tool::refuse_record(std::string_view reason, std::string_view record) {
  if (record.empty()) return;
  if (!table_) {
    const std::string_view url = record_url(record);
    return refuse(reason, url.empty() ? record : url);
  }
  std::string bad(record);
  RowWriter::append_bad(bad, reason);
  writer_.write_line(bad);
}

void Tool::open_inputs(std::vector<std::string> operands, IsLine is_line) {
  LineReader::Options reading;
  reading.terminator = terminator();
  reading.max_line = options_.size("max-line", reading.max_line);
  reading.before_wait = [this] { sink_.flush(); };
  reading.wait = waits_;
  reading.stop_fd = stop_fd();
  operands_ = operands;
  is_line_ = is_line;
  // In a pipeline only the last tool shows progress, since the terminal has one line for it. On a
  // terminal that cannot overwrite that line none does.
  struct stat out {};
  const bool leads_on =
      fstat(STDOUT_FILENO, &out) != 0 || S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode);
  if (spec_.tables && waits_ && !leads_on && takes_controls(STDERR_FILENO) &&
      !is_terminal(STDOUT_FILENO)) {
    progress_.begun_ns = system_clock().monotonic_ns();
    reading.after_read = [this](std::string_view block) { show_progress(block); };
  }
  inputs_ = std::make_unique<Inputs>(
      std::move(operands), std::move(reading),
      Inputs::Callbacks{[this](const std::string& message) { trouble(message); },
                        [this](const std::string& reason) { refuse(reason, {}); }},
      is_line, table());
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

void Tool::for_each_document(
    std::vector<std::string> operands,
    const std::function<bool(const std::string& file, std::string_view bytes)>& take) {
  if (operands.empty()) operands.emplace_back("-");
  std::string buffer;
  for (const std::string& operand : operands) {
    if (stopped()) return;
    if (is_url_operand(operand)) {
      options_.usage_error("with --base operands are files, not " + excerpt(operand) +
                           " (fetch it first: " + beside("fetch") + " URL | " +
                           std::string(name()) + ")");
    }
    const Result<std::string_view> document = read_operand(operand, buffer);
    if (!document.ok()) {
      trouble(document.message());
    } else if (!take(operand, *document)) {
      return;
    }
  }
}

void Tool::refuse(std::string_view reason, std::string_view bytes) {
  if (!inputs_) open_inputs(options_.operands(), is_url_operand);
  refuse_at(inputs_->name(), inputs_->line_number(), reason, bytes);
}

namespace {

// Writes whole messages at once, but no more than a pipe takes in one piece, so that messages of a
// pipeline's stages do not mix. The last message of `held` begins at `begin`.
void end_notice(std::string& held, std::size_t begin, bool holds) {
  held += '\n';
  if (holds && held.size() <= PIPE_BUF) return;
  if (begin != 0 && held.size() > PIPE_BUF) {
    write_all(STDERR_FILENO, std::string_view(held).substr(0, begin));
    held.erase(0, begin);
    if (holds && held.size() <= PIPE_BUF) return;
  }
  write_all(STDERR_FILENO, held);
  held.clear();
}

}  // namespace

void Tool::refuse_at(std::string_view file, std::uint64_t line, std::string_view reason,
                     std::string_view bytes) {
  // Appends straight to the buffer that is written, since most lines of an input may be refused.
  clear_progress();
  const std::size_t begin = held_notices_.size();
  held_notices_.append(spec_.name).append(": ");
  append_printable(held_notices_, file);
  if (line != 0) {
    held_notices_ += ':';
    append_unsigned(held_notices_, line);
  }
  held_notices_ += ": ";
  append_printable(held_notices_, reason);
  if (!bytes.empty()) {
    held_notices_ += ": \"";
    append_excerpt(held_notices_, bytes);
    held_notices_ += '"';
  }
  end_notice(held_notices_, begin, holds_notices_);
  raise_status(1);
  if (strict_) stopped_ = true;
}

int Tool::trouble(std::string_view message) {
  notice(message);
  raise_status(2);
  return status_;
}

// Shows lines, their rate, and how much of a file is done: first after two seconds, then twice a
// second.
void Tool::show_progress(std::string_view block) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (!inputs_) return;
  progress_.lines +=
      static_cast<std::uint64_t>(std::count(block.begin(), block.end(), terminator()));
  if (progress_.operand != inputs_->operand()) progress_.bytes = 0;
  progress_.operand = inputs_->operand();
  progress_.bytes += block.size();
  const std::int64_t now = system_clock().monotonic_ns();
  if (now - progress_.begun_ns < 2 * kSecond || now - progress_.shown_ns < kSecond / 2) return;
  progress_.shown_ns = now;
  progress_.shown = true;
  const auto seconds = static_cast<double>(now - progress_.begun_ns) / kSecond;
  char text[128];
  std::snprintf(text, sizeof text, "\r%.24s: %.1f M lines, %.2f M/s", spec_.name,
                static_cast<double>(progress_.lines) / 1e6,
                static_cast<double>(progress_.lines) / 1e6 / seconds);
  std::string line = text;
  struct stat info {};
  if (fstat(inputs_->fd(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    line += ", " +
            std::to_string(progress_.bytes * 100 / static_cast<std::uint64_t>(info.st_size)) +
            " % of ";
    append_printable(line, inputs_->name());
  }
  write_all(STDERR_FILENO, line + "\033[K");
}

void Tool::clear_progress() {
  if (progress_.shown) write_all(STDERR_FILENO, "\r\033[K");
  progress_.shown = false;
}

// No byte of a quoted name or reason can act on a terminal.
void Tool::notice(std::string_view message) {
  clear_progress();
  const std::size_t begin = held_notices_.size();
  held_notices_ += spec_.name;
  held_notices_ += ": ";
  append_printable(held_notices_, message);
  end_notice(held_notices_, begin, holds_notices_);
}

void Tool::release_notices() {
  holds_notices_ = false;
  if (!held_notices_.empty()) write_all(STDERR_FILENO, held_notices_);
  held_notices_.clear();
}

int Tool::finish() {
  release_notices();
  clear_progress();
  for (const std::string& said : writer_.mistyped_fields()) notice("--fields" + said);
  if (!sink_.close()) {
    trouble(system_error("standard output", sink_.error_code()).message);
    status_ = 2;  // even if the status was another one
  }
  if (status_ == 1 && options_.has("refused-ok")) status_ = 0;
  return status_;
}

namespace {

// Returns the name for messages, --help and completions: the tool's own, with the prefix that an
// installation may have given it (spin-fetch), as the user types it.
const char* called_name(const char* own, const char* called) {
  if (called == nullptr) return own;
  const char* const slash = std::strrchr(called, '/');
  const std::string_view name = slash == nullptr ? called : slash + 1;
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '+';
  });
  return plain && name.ends_with(own) ? name.data() : own;
}

constexpr const char* kNoRoom =
    "no more memory or threads are available: is the process bounded (ulimit -v, ulimit -u)?";

bool lacks_room(const std::exception_ptr& failure) {
  // Without a current exception one may still be propagating: the first threads of a pool end like
  // this when the next thread cannot be started.
  if (!failure) return std::uncaught_exceptions() != 0;
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const std::system_error& error) {
    return error.code() == std::errc::resource_unavailable_try_again ||
           error.code() == std::errc::not_enough_memory;
  } catch (...) {
  }
  return false;
}

}  // namespace

int Tool::run(int (*body)(Tool&)) {
  try {
    raise_status(body(*this));
  } catch (const std::exception& failure) {
    // Our code throws nothing for bad input, but memory can still run out.
    const bool memory = dynamic_cast<const std::bad_alloc*>(&failure) != nullptr;
    trouble(memory                                 ? "out of memory"
            : lacks_room(std::current_exception()) ? kNoRoom
                                                   : failure.what());
  }
  return finish();
}

namespace {

// Libraries that start threads end here when none can be started, as under a low `ulimit -v`: their
// exceptions reach a noexcept function before any handler. Any other call of std::terminate() is a
// bug, and aborts.
const char* terminated_tool = "";
std::terminate_handler usual_end = nullptr;

[[noreturn]] void say_and_end() {
  if (!lacks_room(std::current_exception())) {
    usual_end();
    std::abort();
  }
  write_all(STDERR_FILENO, terminated_tool);
  write_all(STDERR_FILENO, ": ");
  write_all(STDERR_FILENO, kNoRoom);
  write_all(STDERR_FILENO, "\n");
  _exit(2);
}

void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

int run_tool(const ToolSpec& own_spec, int argc, char** argv, int (*body)(Tool&),
             bool takes_command) {
  hold_standard_descriptors();
  // Writing to a file that may not grow any more (ulimit -f) then fails, and is reported like a
  // full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  ToolSpec spec = own_spec;
  spec.name = called_name(own_spec.name, argv[0]);
  spec.prefix_size = std::strlen(spec.name) - std::strlen(own_spec.name);
  terminated_tool = spec.name;
  usual_end = std::set_terminate(say_and_end);
  try {
    Tool tool(spec, Options::parse(spec, argc, argv, takes_command));
    const int status = tool.run(body);
    // A shell's loop ends only if the command dies of the signal.
    if (stop_signal() == SIGINT && status != 0 && status != 2) die_of(SIGINT);
    return status;
  } catch (const std::exception&) {
    // There was no memory for the options, or none to report the failure.
    write_all(STDERR_FILENO, spec.name);
    write_all(STDERR_FILENO, ": out of memory\n");
    return 2;
  }
}

}  // namespace spinneret::cli
