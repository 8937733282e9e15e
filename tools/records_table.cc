// SPDX-License-Identifier: Apache-2.0
#include "records_table.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "io/json_key.h"

namespace spinneret {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view without_byte_order_mark(std::string_view line) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return line.starts_with(kMark) ? line.substr(kMark.size()) : line;
}

// Whether the text can be column 1, which is raw: it has no way to write these characters.
bool is_column(std::string_view url) {
  return !url.empty() &&
         url.find_first_of(std::string_view("\t\n\r\0", 4)) == std::string_view::npos;
}

constexpr const char* kNoUrl = "the URL is empty, or holds a tab, a line end or NUL";

}  // namespace

std::string_view HeldLines::next(Place& place) {
  if (next_.line == runs_[next_.run].lines) next_ = {next_.at, next_.run + 1, 0};
  const Run& run = runs_[next_.run];
  place = {run.first.operand, run.first.number + next_.line++};
  const std::size_t begin = next_.at;
  const std::size_t end = text_.find(terminator_, begin);
  next_.at = end + 1;
  return std::string_view(text_).substr(begin, end - begin);
}

void HeldLines::add(std::string_view line, const Place& place) {
  const bool goes_on = !runs_.empty() && runs_.back().first.operand == place.operand &&
                       runs_.back().first.number + runs_.back().lines == place.number;
  if (!goes_on) runs_.push_back({place, 0});
  ++runs_.back().lines;
  text_.append(line) += terminator_;
  next_ = {text_.size(), runs_.size() - 1, runs_.back().lines};
}

// Moves what is left to the front, where that is at most half of the text.
void HeldLines::forget_read() {
  if (next_.at == 0 || next_.at < text_.size() - next_.at) return;
  text_.erase(0, next_.at);
  runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(next_.run));
  Run& front = runs_.front();
  front.first.number += next_.line;
  front.lines -= next_.line;
  next_ = {};
  constexpr std::size_t kHuge = std::size_t{1} << 20;
  if (!text_.empty()) return;
  runs_.clear();
  if (text_.capacity() > kHuge) text_ = std::string();
}

TableReader::TableReader(cli::Tool& tool, Form form)
    : tool_(tool),
      form_(form),
      max_row_(tool.options().size("max-line", std::size_t{64} << 20)),
      held_(tool.terminator()) {
  const cli::Options& options = tool.options();
  if (form == Form::kJson) {
    const std::string key = options.get("json-key", "url");
    if (const Result<JsonPath> path = parse_json_path(key); !path.ok())
      options.usage_error("--json-key: " + path.message());
    json_ = std::make_unique<JsonRecordReader>(key);
    return;
  }
  url_name_ = options.get("field", "url");
  if (is_digits(url_name_)) {
    url_number_ = static_cast<std::size_t>(options.unsigned_value("field", 1, 1, UINT32_MAX));
    if (!options.has("header")) names_ = Names::kNumbers;
  }
  if (!options.has("names")) return;
  names_ = Names::kGiven;
  cells_ = split(options.get("names"), ',');
  if (const std::string why = take_names(); !why.empty())
    options.usage_error("--names: " + why + " (see --field)");
}

// Makes the columns' keys from the present row. Returns why that fails, for example because no
// column is the URL's.
std::string TableReader::take_names() {
  keys_.clear();
  url_ = url_number_ != 0 ? url_number_ - 1 : cells_.size();
  std::string all;
  for (const std::string& name : cells_) {
    all += (all.empty() ? "" : ", ") + name;
    if (url_number_ == 0 && trim(name) == url_name_) {
      if (url_ != cells_.size())
        return "two columns are named " + excerpt(url_name_) + ": give the number of one";
      url_ = keys_.size();
    }
    std::string key = key_of_name(name);
    keys_.push_back(key == "url" ? "x-url" : std::move(key));
  }
  if (url_ < keys_.size()) return {};
  if (url_number_ != 0) return "there is no column " + url_name_;
  return "no column is named " + excerpt(url_name_) + "; there are " + excerpt(all);
}

bool TableReader::next(Record& record) {
  if (form_ == Form::kJson) return read_json(record);
  while (next_row()) {
    if (names_ == Names::kRow && operand_ != first_.operand) {
      operand_ = first_.operand;
      // Without a URL column no row of this file can be read.
      if (const std::string why = take_names(); !why.empty()) {
        keys_.clear();
        tool_.trouble(file() + ": " + why);
      }
      continue;
    }
    if (names_ == Names::kNumbers) {
      url_ = url_number_ - 1;
      while (keys_.size() < cells_.size())
        keys_.push_back(key_of_name(std::to_string(keys_.size() + 1)));
    }
    if (keys_.empty()) continue;
    if (const char* why = fill(record)) {
      refuse_row(why);
      continue;
    }
    return true;
  }
  return false;
}

// Reads a line, and sets line_ to its place.
bool TableReader::next_line(std::string_view& line) {
  if (held_.has_next()) {
    line = held_.next(line_);
    return true;
  }
  if (!tool_.next(line)) return false;
  const cli::Inputs& inputs = tool_.inputs();
  if (line_.operand != inputs.operand()) {
    files_.resize(std::max(files_.size(), inputs.operand() + 1));
    files_[inputs.operand()] = inputs.name();
    given_up_ = 0;
    bytes_again_ = 0;
  }
  line_.operand = inputs.operand();
  line_.number = inputs.line_number();
  // Inside a cell a CR is not part of the line end.
  if (form_ == Form::kCsv && inputs.dropped_cr(line)) line = {line.data(), line.size() + 1};
  return true;
}

bool TableReader::next_row() {
  for (std::string_view line; held_.forget_read(), next_line(line);) {
    if (line_.number == 1) line = without_byte_order_mark(line);
    // An empty line is no row of several columns; many tables end in one.
    if ((line.empty() || line == "\r") && keys_.size() != 1) continue;
    first_ = line_;
    first_text_ = line;
    if (form_ == Form::kTsv) {
      cells_ = split(line, '\t');
      return true;
    }
    if (next_csv_row()) return true;
  }
  return false;
}

// Returns false where the row was refused. Where a stray quote has taken several lines, only the
// first is refused.
bool TableReader::next_csv_row() {
  csv_.begin();
  const bool may_go_on = given_up_ < kMostGivenUp && bytes_again_ <= kMostRowsAgain * max_row_;
  const HeldLines::Cursor begin = held_.cursor();
  bool whole = csv_.add_line(first_text_);
  bool took = false;
  for (std::string_view line; !whole && may_go_on && csv_.bytes() <= max_row_;) {
    const bool is_new = !held_.has_next();
    if (!next_line(line)) break;
    took = true;
    if (is_new) held_.add(line, line_);
    if (line_.operand != first_.operand) break;
    whole = csv_.add_line(line);
  }
  if (whole && csv_.error() == nullptr) {
    cells_ = csv_.cells();
    return true;
  }
  if (took) {
    ++given_up_;
    bytes_again_ += csv_.bytes();
    held_.return_to(begin);
  }
  refuse_row(whole ? csv_.error() : "a quote that is not closed");
  return false;
}

void TableReader::refuse_row(const char* why) {
  std::string_view text = first_text_;
  if (form_ == Form::kCsv && text.ends_with('\r')) text.remove_suffix(1);
  tool_.refuse_at(file(), first_.number, why, text);
}

// Makes a record of the present row. Returns nullptr, or what is wrong with the row.
const char* TableReader::fill(Record& record) const {
  if (names_ != Names::kNumbers && cells_.size() < keys_.size()) return "fewer columns than names";
  if (cells_.size() > keys_.size()) return "more columns than names";
  if (url_ >= cells_.size()) return "the row has fewer columns";
  const std::string& first = cells_[url_];
  if (!is_column(first)) return kNoUrl;
  record.reset(first);
  const std::string* outcome = nullptr;
  std::string value;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    // A table writes a missing field as an empty cell.
    if (i == url_ || cells_[i].empty()) continue;
    if (keys_[i] == "outcome") {
      outcome = &cells_[i];
      continue;
    }
    value.clear();
    if (form_ == Form::kTsv) append_unescaped(value, cells_[i]);
    record.add(keys_[i], form_ == Form::kTsv ? value : cells_[i]);
  }
  if (outcome != nullptr) record.set_outcome(*outcome);
  return nullptr;
}

bool TableReader::read_json(Record& record) {
  std::string why;
  for (std::string_view line; tool_.next(line);) {
    if (tool_.inputs().line_number() == 1) line = without_byte_order_mark(line);
    if (trim(line).empty()) continue;
    if (!json_->read(line, record, why)) {
      tool_.refuse(why, line);
    } else if (!is_column(record.url())) {
      tool_.refuse(kNoUrl, line);
    } else {
      return true;
    }
  }
  return false;
}

}  // namespace spinneret
