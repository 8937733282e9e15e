// SPDX-License-Identifier: Apache-2.0
#include "http/cdxj.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/json_text.h"
#include "base/moment.h"
#include "url/parse.h"
#include "url/surt.h"

namespace spinneret::http {
namespace {

void append_sorted(std::string& out, std::string_view query) {
  std::vector<std::string_view> parameters;
  for (std::size_t at = 0; at <= query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    parameters.push_back(query.substr(at, end - at));
    at = end + 1;
  }
  std::sort(parameters.begin(), parameters.end());
  char separator = '?';
  for (const std::string_view parameter : parameters) {
    out += separator;
    out += parameter;
    separator = '&';
  }
}

// Appends a member of a JSON object. The value consists of bytes from the network.
void append_member(std::string& out, std::string_view name, std::string_view value) {
  out.append(out.ends_with('{') ? "\"" : ",\"").append(name).append("\":");
  append_json_string(out, value);
}

}  // namespace

std::string cdxj_key(std::string_view url) {
  Url parsed;
  if (!parse(to_lower_copy(url), parsed) || !parsed.is_http()) return std::string(url);
  std::string out;
  append_reversed_labels(out, without_www(parsed.host()));
  if (parsed.has_port()) out.append(":").append(parsed.port_text());
  out.append(")").append(parsed.path());
  if (!parsed.query().empty()) append_sorted(out, parsed.query());
  return out;
}

std::string cdxj_line(const CdxjEntry& entry) {
  std::string out = cdxj_key(entry.url) + " ";
  for (const char c : utc_text(entry.unix_ms / 1000)) {
    if (is_digit(c)) out += c;
  }
  out += " {";
  append_member(out, "url", entry.url);
  if (!entry.mime.empty()) append_member(out, "mime", entry.mime);
  append_member(out, "status", std::to_string(entry.status));
  if (!entry.digest.empty()) append_member(out, "digest", entry.digest);
  append_member(out, "length", std::to_string(entry.length));
  append_member(out, "offset", std::to_string(entry.offset));
  append_member(out, "filename", entry.filename);
  return out + "}\n";
}

std::string cdxj_path(std::string_view warc) {
  if (warc.ends_with(".gz")) warc.remove_suffix(3);
  if (warc.ends_with(".warc")) warc.remove_suffix(5);
  return std::string(warc) + ".cdxj";
}

Result<CdxjIndex> CdxjIndex::begin(const std::string& warc) {
  std::string path = cdxj_path(warc);
  Result<Fd> file = open_file(path + ".part", O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.ok()) return file.error();
  return CdxjIndex(std::move(path), file.take());
}

Status CdxjIndex::add(const CdxjEntry& entry) {
  const std::string line = cdxj_line(entry);
  if (const int code = write_all(file_.get(), line); code != 0) {
    // A partial line would say something wrong.
    const bool whole = ::ftruncate(file_.get(), static_cast<off_t>(size_)) == 0;
    return system_error("cannot write " + part() + (whole ? "" : ", whose end is torn"), code);
  }
  size_ += line.size();
  return {};
}

Status CdxjIndex::finish() {
  if (const Status closed = file_.close(); !closed.ok()) return closed;
  const Result<std::string> text = read_file(part(), size_);
  if (!text.ok()) return text.error();
  std::vector<std::string_view> lines;
  for (std::string_view rest = *text; !rest.empty();) lines.push_back(cut(rest, '\n'));
  std::sort(lines.begin(), lines.end());
  std::string sorted;
  sorted.reserve(text->size());
  for (const std::string_view line : lines) sorted.append(line).append("\n");
  if (const Status written = write_file_atomic(path_, sorted); !written.ok()) return written;
  return ::unlink(part().c_str()) == 0 ? Status() : system_error("cannot remove " + part(), errno);
}

void CdxjIndex::drop() { ::unlink(part().c_str()); }

}  // namespace spinneret::http
