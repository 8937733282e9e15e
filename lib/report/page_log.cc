// SPDX-License-Identifier: Apache-2.0
#include "report/page_log.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/number.h"
#include "io/record.h"

namespace spinneret::report {
namespace {

// Whether add() copies this field to the log. It writes `time` and `outcome` itself.
bool is_kept(std::string_view key) {
  switch (key.size()) {
    case 3: return key == "via";
    case 4: return key == "type" || key == "size";
    case 5: return key == "depth" || key == "error";
    case 6: return key == "status";
    case 7: return key == "time-ms";
    default: return false;
  }
}

// Calls each(key, value) for the columns after the URL. Returns the URL.
template <typename Each>
std::string_view for_columns(std::string_view line, Each each) {
  std::size_t tab = line.find('\t');
  const std::string_view url = line.substr(0, tab);
  while (tab != std::string_view::npos) {
    const std::size_t begin = tab + 1;
    tab = line.find('\t', begin);
    const std::string_view column =
        line.substr(begin, tab == std::string_view::npos ? tab : tab - begin);
    const std::size_t equals = column.find('=');
    if (equals != std::string_view::npos) each(column.substr(0, equals), column.substr(equals + 1));
  }
  return url;
}

// Parses decimal seconds, as seconds_text() writes them.
std::optional<std::int64_t> milliseconds(std::string_view seconds) {
  const std::optional<double> value = parse_decimal(seconds);
  if (!value || !(*value < 1e12)) return std::nullopt;
  return std::llround(*value * 1000);
}

std::uint32_t number32(std::string_view text) {
  const std::optional<std::uint64_t> number = parse_unsigned(text);
  return number && *number <= UINT32_MAX ? static_cast<std::uint32_t>(*number) : 0;
}

}  // namespace

Result<PageLog> PageLog::open(const std::string& path) {
  Result<LineFile> opened = LineFile::open(path);
  if (!opened.ok()) return opened.error();
  return PageLog(opened.take());
}

void PageLog::add(std::string_view record, std::int64_t wall_ms) {
  const std::string_view url = record_url(record);
  lines_ += url;
  lines_ += "\ttime=";
  lines_ += seconds_text(wall_ms);
  std::string_view outcome;
  for_columns(record, [&](std::string_view key, std::string_view value) {
    if (key == "outcome") {
      outcome = value;
    } else if (is_kept(key)) {
      lines_ += '\t';
      lines_ += key;
      lines_ += '=';
      lines_ += value;
    }
  });
  lines_ += "\toutcome=";
  lines_ += outcome;
  lines_ += '\n';
}

Status PageLog::flush() {
  if (lines_.empty()) return {};
  Status written = file_.append(lines_);
  lines_.clear();
  return written;
}

bool parse_page_line(std::string_view line, PageLine& out) {
  out = PageLine();
  std::optional<Outcome> outcome;
  bool timed = false;
  out.url = for_columns(line, [&](std::string_view key, std::string_view value) {
    if (key == "outcome") {
      outcome = parse_outcome(value);
    } else if (key == "time") {
      const std::optional<std::int64_t> when = milliseconds(value);
      timed = when.has_value();
      out.wall_ms = when.value_or(0);
    } else if (key == "via") {
      out.via = value;
    } else if (key == "type") {
      out.type = value;
    } else if (key == "error") {
      out.error = value;
    } else if (key == "depth") {
      out.depth = number32(value);
    } else if (key == "status") {
      out.status = number32(value);
    } else if (key == "size") {
      out.size = parse_unsigned(value).value_or(0);
    } else if (key == "time-ms") {
      const std::optional<double> took = parse_decimal(value);
      if (took && *took < 1e12) out.time_ms = std::llround(*took);
    }
  });
  out.outcome = outcome.value_or(Outcome::kOk);
  return outcome && timed && !out.url.empty();
}

}  // namespace spinneret::report
