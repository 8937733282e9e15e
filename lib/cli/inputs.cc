// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text_file.h"
#include "cli/signals.h"

#ifndef F_SETPIPE_SZ
#define F_SETPIPE_SZ 1031
#endif

namespace spinneret::cli {

bool is_url_operand(std::string_view operand) {
  const std::size_t colon = operand.find("://");
  if (colon == std::string_view::npos || colon == 0 || !is_alpha(operand.front())) return false;
  const std::string_view scheme = operand.substr(0, colon);
  return std::all_of(scheme.begin(), scheme.end(),
                     [](char c) { return is_alnum(c) || c == '+' || c == '-' || c == '.'; });
}

Result<std::string_view> read_operand(const std::string& operand, std::string& buffer) {
  if (operand == "-") return read_all(STDIN_FILENO, operand, buffer);
  const Result<Fd> file = open_file(operand, O_RDONLY);
  return file.ok() ? read_all(file->get(), operand, buffer) : file.error();
}

Inputs::Inputs(std::vector<std::string> operands, LineReader::Options options, Callbacks callbacks,
               IsLine is_line, const TableShape* table)
    : operands_(std::move(operands)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      is_line_(is_line) {
  options_.drop_mark = true;
  if (operands_.empty()) operands_.emplace_back("-");
  if (table != nullptr) rows_ = std::make_unique<RowReader>(*table);
}

std::uint64_t Inputs::line_number() const {
  if (!row_.empty()) return RowReader::line_of(row_);
  if (reader_) return reader_->line_number();
  return name_ == "argument" ? arguments_ : 0;
}

void Inputs::add_lines(std::uint64_t count) {
  if (!is_argument_ && reader_ && !rows_) reader_->add_lines(count);
}

namespace {

// A hint for an operand that is not a file and looks like the name of a host, as people type it.
std::string hint(std::string_view operand) {
  std::string_view host = operand.substr(0, operand.find('/'));
  const std::size_t colon = host.find(':');
  const bool has_port = colon != std::string_view::npos && parse_unsigned(host.substr(colon + 1));
  if (has_port) host = host.substr(0, colon);
  constexpr std::string_view kFiles[] = {"txt", "csv", "tsv",  "json", "jsonl",
                                         "gz",  "zst", "html", "xml",  "log"};
  const std::size_t dot = host.rfind('.');
  if (std::find(std::begin(kFiles), std::end(kFiles), host.substr(dot + 1)) != std::end(kFiles))
    return "";
  const bool dotted = dot != std::string_view::npos && dot > 0 && dot + 2 < host.size();
  const bool named = !host.empty() && (has_port || dotted) &&
                     std::all_of(host.begin(), host.end(),
                                 [](char c) { return is_alnum(c) || c == '-' || c == '.'; });
  if (!named) return "";
  return std::string(" (a URL begins with its scheme: http") + (has_port ? "" : "s") + "://" +
         std::string(operand) + ")";
}

std::string read_error(const std::string& name, int code) {
  if (code == EILSEQ) return utf16_message(name);
  return system_error("cannot read " + name, code).message;
}

// Returns the name of an operand as messages show it.
std::string shown(const std::string& name) { return name == "-" ? "standard input" : name; }

// Whether output is appended to the part of the file that is still to be read, which would never
// end: the check is cat(1)'s.
bool is_also_output(int fd) {
  struct stat in = {};
  struct stat out = {};
  if (::fstat(fd, &in) != 0 || ::fstat(STDOUT_FILENO, &out) != 0 || !S_ISREG(in.st_mode) ||
      in.st_dev != out.st_dev || in.st_ino != out.st_ino)
    return false;
  const bool appends = (::fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND) != 0;
  const off_t at = appends ? out.st_size : ::lseek(STDOUT_FILENO, 0, SEEK_CUR);
  return ::lseek(fd, 0, SEEK_CUR) < at;
}

// Whether the first line consists of several that end in CR alone, whose URLs would be taken as
// one. A CR alone proves nothing: URLs may hold one, which parsers drop, and so may a table's cell
// in quotes.
bool has_cr_lines(std::string_view lines) {
  const std::string_view first = lines.substr(0, lines.find('\n'));
  const std::size_t at = first.find('\r');
  return at < first.size() && first.find("://", at) != std::string_view::npos &&
         std::count(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(at), '"') % 2 == 0;
}

// Opening a named pipe waits for a writer, which may never come: a signal to stop ends the wait.
Result<Fd> open_or_stop(const std::string& path) {
  int fd = -1;
  errno = EINTR;
  while (fd < 0 && errno == EINTR && stop_signal() == 0) {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (fd < 0) return system_error("cannot open " + path, errno);
  return Fd(fd);
}

}  // namespace

// Opens the next operand. Returns false if there is none. Otherwise is_argument_ or reader_ is
// set, or neither where the operand could not be opened.
bool Inputs::open_next() {
  reader_.reset();
  end_unpacking();
  file_ = Fd();
  is_argument_ = false;
  if (next_operand_ == operands_.size()) return false;
  const std::string& operand = operands_[next_operand_++];
  if (is_line_(operand)) {
    ++arguments_;
    name_ = "argument";
    // One operand is one line: an operand with a line end would become two records.
    is_argument_ = operand.find(options_.terminator) == std::string::npos;
    if (!is_argument_) callbacks_.refused("URL holds a line end");
    return true;
  }
  name_ = operand;
  int fd = STDIN_FILENO;
  if (operand != "-") {
    Result<Fd> opened = open_or_stop(operand);
    if (!opened.ok()) {
      if (stop_signal() != 0) return false;
      callbacks_.trouble(opened.message() + hint(operand));
      return true;
    }
    file_ = opened.take();
    fd = file_.get();
    // This is only advice to the kernel: an error changes nothing.
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  if (is_also_output(fd)) {
    callbacks_.trouble(shown(operand) + " is standard output, too");
    file_ = Fd();
    return true;
  }
  unpack();
  if (file_) fd = file_.get();
  // A larger pipe halves the cost of passing data on; where that is not allowed the pipe works as
  // it is.
  fcntl(fd, F_SETPIPE_SZ, 1 << 20);
  LineReader::Options options = options_;
  // An incomplete line must be dropped: half a URL would be another URL.
  if (unpacker_ != 0) options.is_whole = [this] { return end_unpacking(); };
  reader_ = std::make_unique<LineReader>(fd, std::move(options));
  began_ = false;
  return true;
}

namespace {

// Whether the bytes begin a zstd frame, or a skippable frame (RFC 8878, 3.1.2), which pzstd writes
// before each frame.
bool is_zstd(std::string_view begin) {
  return begin.starts_with("\x28\xB5\x2F\xFD") ||
         (begin.size() >= 4 && (begin[0] & '\xF0') == 0x50 && begin.substr(1, 3) == "\x2A\x4D\x18");
}

}  // namespace

// Where the file is compressed, reads it from now on through the program that decompresses it.
void Inputs::unpack() {
  const int fd = file_ ? file_.get() : STDIN_FILENO;
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return;
  char bytes[4] = {};
  const ssize_t got = pread(fd, bytes, sizeof bytes, lseek(fd, 0, SEEK_CUR));
  const std::string_view begin(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
  const char* const program = begin.starts_with("\x1F\x8B") ? "gzip"
                              : is_zstd(begin)              ? "zstd"
                              : name_.ends_with(".br")      ? "brotli"
                                                            : nullptr;
  if (program == nullptr) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return callbacks_.trouble(system_error("cannot unpack " + name_, errno).message);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string name = program;
  std::string flag = "-dc";
  char* const argv[] = {name.data(), flag.data(), nullptr};
  const int failed = posix_spawnp(&unpacker_, program, &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  file_ = Fd(ends[0]);  // the program has the file itself open
  if (failed == 0) return;
  unpacker_ = 0;
  callbacks_.trouble(name_ + " is packed, and " + program + " cannot be run: install it");
}

// Waits for the decompressing program, which has reported what was wrong, if anything was. Returns
// false if the file did not come whole.
bool Inputs::end_unpacking() {
  if (unpacker_ == 0) return true;
  file_ = Fd();  // closes the pipe, so that the program does not block on output nobody reads
  int status = 0;
  while (waitpid(unpacker_, &status, 0) < 0 && errno == EINTR) {
  }
  unpacker_ = 0;
  if (status != 0) callbacks_.trouble("cannot unpack all of " + name_);
  return status == 0;
}

// Returns true if there is a line. Reports other events, after which the caller goes on.
bool Inputs::take(LineReader::Event event, const std::string_view& bytes) {
  starved_ = event == LineReader::Event::kWait;
  switch (event) {
    case LineReader::Event::kLine:
      // Where records end in NUL, a CR is an ordinary byte.
      if (std::exchange(began_, true) || options_.terminator != '\n' || !has_cr_lines(bytes))
        return true;
      callbacks_.trouble(shown(name_) +
                         ": its lines end in CR alone: tr '\\r' '\\n' makes lines of them");
      break;
    case LineReader::Event::kWait: return false;
    case LineReader::Event::kTooLong:
      callbacks_.refused("line is longer than --max-line (" + std::to_string(options_.max_line) +
                         " bytes)");
      return false;
    case LineReader::Event::kError:
      callbacks_.trouble(read_error(shown(name_), reader_->error_code()));
      break;
    case LineReader::Event::kEnd: break;
  }
  end_unpacking();
  reader_.reset();
  return false;
}

// Reads the next rows as records. While it does so, refused lines get their numbers from the line
// reader.
bool Inputs::next_rows(std::string_view& run) {
  row_ = {};
  records_.clear();
  while (records_.empty()) {
    if (!reader_) {
      if (!open_next()) return false;
      if (is_argument_) callbacks_.refused("a URL among the operands is not a row of a table");
      if (reader_) rows_->begin_file(next_operand_);
      continue;
    }
    std::string_view lines;
    const LineReader::Event event = reader_->next_run(lines);
    if (event == LineReader::Event::kTooLong) rows_->skip_lines(1);
    if (event == LineReader::Event::kEnd || event == LineReader::Event::kError)
      rows_->finish(records_);
    if (take(event, lines)) reader_->add_lines(rows_->take(lines, records_));
    if (starved_) return false;
  }
  run = records_;
  return true;
}

bool Inputs::next(std::string_view& line) {
  if (rows_) {
    starved_ = false;
    if (unread_.empty() && !next_rows(unread_)) return false;
    line = row_ = cut(unread_, options_.terminator);
    return true;
  }
  while (true) {
    while (reader_) {
      if (take(reader_->next(line), line)) return true;
      if (starved_) return false;
    }
    if (!open_next()) return false;
    if (is_argument_) {
      line = operands_[next_operand_ - 1];
      return true;
    }
  }
}

bool Inputs::next_run(std::string_view& run) {
  if (rows_) return next_rows(run);
  while (true) {
    while (reader_) {
      if (take(reader_->next_run(run), run)) return true;
      if (starved_) return false;
    }
    if (!open_next()) return false;
    if (is_argument_) {
      run = operands_[next_operand_ - 1];
      return true;
    }
  }
}

}  // namespace spinneret::cli
