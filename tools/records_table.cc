// SPDX-License-Identifier: Apache-2.0
#include "records_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/ascii.h"

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

// Column 1 is raw: it has no way to write these.
bool is_column(std::string_view url) {
  return !url.empty() &&
         url.find_first_of(std::string_view("\t\n\r\0", 4)) == std::string_view::npos;
}

constexpr const char* kNoUrl = "the URL is empty, or holds a tab, a line end or NUL";

}  // namespace

TableReader::TableReader(cli::Tool& tool, Form form, std::string url_name, const std::string& names)
    : tool_(tool),
      form_(form),
      url_name_(std::move(url_name)),
      max_row_(tool.options().size("max-line", std::size_t{64} << 20)),
      names_are_given_(!names.empty()) {
  if (form == Form::kJson) json_ = std::make_unique<JsonRecordReader>(url_name_);
  if (!names_are_given_) return;
  cells_ = split(names, ',');
  if (!take_names())
    tool.options().usage_error("--names lacks the URL's column \"" + url_name_ + "\"");
}

// The keys of the columns, which the present row names. False: none of them is the URL's.
bool TableReader::take_names() {
  keys_.clear();
  bool has_url = false;
  for (const std::string& name : cells_) {
    const bool is_url = !has_url && trim(name) == url_name_;
    has_url = has_url || is_url;
    std::string key = is_url ? std::string() : key_of_name(name);
    keys_.push_back(key == "url" ? "x-url" : std::move(key));
  }
  return has_url;
}

bool TableReader::next(Record& record) {
  if (form_ == Form::kJson) return read_json(record);
  while (next_row()) {
    if (!names_are_given_ && operand_ != first_.operand) {
      operand_ = first_.operand;
      if (take_names()) continue;
      // Without it no row of this file can be read.
      tool_.trouble(file_of(first_) + ": no column is named \"" + url_name_ +
                    "\": see --url-field and --names");
      keys_.clear();
      continue;
    }
    if (keys_.empty()) continue;
    if (const char* why = fill(record)) {
      tool_.refuse_at(file_of(first_), first_.number, why, first_.text);
      continue;
    }
    return true;
  }
  return false;
}

// The line's place is in line_.
bool TableReader::next_line(std::string_view& line) {
  if (!again_.empty()) {
    line_.operand = again_.front().operand;
    line_.number = again_.front().number;
    again_text_ = std::move(again_.front().text);
    again_.pop_front();
    line = again_text_;
    return true;
  }
  if (!tool_.next(line)) return false;
  const cli::Inputs& inputs = tool_.inputs();
  if (line_.operand != inputs.operand()) {
    files_.resize(std::max(files_.size(), inputs.operand() + 1));
    files_[inputs.operand()] = inputs.name();
    given_up_ = 0;
  }
  line_.operand = inputs.operand();
  line_.number = inputs.line_number();
  return true;
}

bool TableReader::next_row() {
  for (std::string_view line; next_line(line);) {
    if (line_.number == 1) line = without_byte_order_mark(line);
    first_.operand = line_.operand;
    first_.number = line_.number;
    first_.text = line;
    if (form_ == Form::kTsv) {
      cells_ = split(line, '\t');
      return true;
    }
    if (next_csv_row()) return true;
  }
  return false;
}

// False: the row was refused: of what a stray quote has taken its first line alone.
bool TableReader::next_csv_row() {
  csv_.begin();
  std::vector<Line> taken;
  bool whole = csv_.add_line(first_.text);
  for (std::string_view line; !whole && given_up_ < kMostGivenUp && csv_.bytes() <= max_row_;) {
    if (!next_line(line)) break;
    taken.push_back({line_.operand, line_.number, std::string(line)});
    if (line_.operand != first_.operand) break;
    whole = csv_.add_line(line);
  }
  if (whole && csv_.error() == nullptr) {
    cells_ = csv_.cells();
    return true;
  }
  if (!taken.empty()) ++given_up_;
  again_.insert(again_.begin(), std::move_iterator(taken.begin()), std::move_iterator(taken.end()));
  tool_.refuse_at(file_of(first_), first_.number,
                  whole ? csv_.error() : "a quote that is not closed", first_.text);
  return false;
}

// The present row as a record; nullptr, or why it is none.
const char* TableReader::fill(Record& record) const {
  if (cells_.size() < keys_.size()) return "fewer columns than names";
  if (cells_.size() > keys_.size()) return "more columns than names";
  const auto url = std::find(keys_.begin(), keys_.end(), std::string());
  const std::string& first = cells_[static_cast<std::size_t>(url - keys_.begin())];
  if (!is_column(first)) return kNoUrl;
  record.reset(first);
  const std::string* outcome = nullptr;
  std::string value;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    // An empty cell is how a table writes a field that is missing.
    if (keys_[i].empty() || cells_[i].empty()) continue;
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
