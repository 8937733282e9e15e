// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"

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

Inputs::Inputs(std::vector<std::string> operands, LineReader::Options options, Callbacks callbacks,
               IsLine is_line)
    : operands_(std::move(operands)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      is_line_(is_line) {
  if (operands_.empty()) operands_.emplace_back("-");
}

std::uint64_t Inputs::line_number() const {
  if (reader_) return reader_->line_number();
  return name_ == "argument" ? arguments_ : 0;
}

void Inputs::add_lines(std::uint64_t count) {
  if (!is_argument_ && reader_) reader_->add_lines(count);
}

// Turns to the operand that follows. False where there is none; true with is_argument_ set, or with a
// reader_, or with neither where the operand could not be opened.
bool Inputs::open_next() {
  reader_.reset();
  file_ = Fd();
  is_argument_ = false;
  if (next_operand_ == operands_.size()) return false;
  const std::string& operand = operands_[next_operand_++];
  if (is_line_(operand)) {
    ++arguments_;
    name_ = "argument";
    // One operand is one line: what holds a line end would come out as two records.
    is_argument_ = operand.find(options_.terminator) == std::string::npos;
    if (!is_argument_) callbacks_.refused("URL holds a line end");
    return true;
  }
  name_ = operand;
  int fd = STDIN_FILENO;
  if (operand != "-") {
    Result<Fd> opened = open_file(operand, O_RDONLY);
    if (!opened.ok()) {
      callbacks_.trouble(opened.message());
      return true;
    }
    file_ = opened.take();
    fd = file_.get();
    // Advice only: an error changes nothing.
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  // A larger pipe halves the cost of a hop; where it is not allowed the pipe works as it is.
  fcntl(fd, F_SETPIPE_SZ, 1 << 20);
  reader_ = std::make_unique<LineReader>(fd, options_);
  return true;
}

// True where a line came. What else there may be is reported, and the caller goes on.
bool Inputs::take(LineReader::Event event) {
  starved_ = event == LineReader::Event::kWait;
  switch (event) {
    case LineReader::Event::kLine: return true;
    case LineReader::Event::kWait: return false;
    case LineReader::Event::kTooLong:
      callbacks_.refused("line is longer than --max-line (" + std::to_string(options_.max_line) +
                         " bytes)");
      return false;
    case LineReader::Event::kError:
      callbacks_.trouble(system_error("cannot read " + (name_ == "-" ? "standard input" : name_),
                                      reader_->error_code())
                             .message);
      break;
    case LineReader::Event::kEnd: break;
  }
  reader_.reset();
  return false;
}

bool Inputs::next(std::string_view& line) {
  while (true) {
    while (reader_) {
      if (take(reader_->next(line))) return true;
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
  while (true) {
    while (reader_) {
      if (take(reader_->next_run(run))) return true;
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
