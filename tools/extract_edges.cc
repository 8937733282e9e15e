// SPDX-License-Identifier: Apache-2.0
#include "extract_edges.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/file.h"
#include "base/number.h"
#include "base/outcome.h"
#include "io/record.h"

namespace spinneret {

Result<EdgeFile> EdgeFile::open(const std::string& path) {
  Result<LineFile> file = LineFile::open(path);
  if (!file.ok()) return file.error();
  return EdgeFile(file.take());
}

void EdgeFile::add(std::string_view link) {
  lines_ += find_raw_field(link, "via").value_or("");
  lines_ += '\t';
  lines_ += record_url(link);
  for (const char* const field : {"tag", "rel", "text"}) {
    lines_ += '\t';
    lines_ += find_raw_field(link, field).value_or("");
  }
  lines_ += '\n';
}

namespace {

Status append(LineFile& file, std::string& lines) {
  Status written = file.append(lines);
  lines.clear();
  return written;
}

// Returns where the last whole page of a file ends: after the last settled line.
Result<std::int64_t> end_of_pages(int fd, std::int64_t size, const std::string& path) {
  constexpr std::int64_t kFirstLook = std::int64_t{1} << 20;
  std::string tail;
  for (std::int64_t look = kFirstLook; size != 0; look *= 4) {
    const std::int64_t begin = std::max<std::int64_t>(size - look, 0);
    tail.resize(static_cast<std::size_t>(size - begin));
    for (std::size_t got = 0; got < tail.size();) {
      const ssize_t count =
          ::pread(fd, tail.data() + got, tail.size() - got, begin + static_cast<std::int64_t>(got));
      if (count <= 0) return system_error("cannot read " + path, count < 0 ? errno : EIO);
      got += static_cast<std::size_t>(count);
    }
    std::string_view lines = tail;
    for (std::size_t end = lines.rfind('\n'); end != std::string_view::npos;) {
      const std::size_t before = end == 0 ? std::string_view::npos : lines.rfind('\n', end - 1);
      const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
      // The first line of the bytes read may be only the end of one.
      if ((from != 0 || begin == 0) && is_settled(lines.substr(from, end - from)))
        return begin + static_cast<std::int64_t>(end) + 1;
      end = before;
    }
    if (begin == 0) break;
  }
  return std::int64_t{0};
}

Status cut_torn_page(const std::string& path) {
  const Result<Fd> file = open_file(path, O_RDWR | O_CREAT);
  if (!file.ok()) return file.error();
  struct stat info = {};
  if (::fstat(file->get(), &info) != 0) return system_error("cannot read " + path, errno);
  if (!S_ISREG(info.st_mode)) return {};
  const Result<std::int64_t> end = end_of_pages(file->get(), info.st_size, path);
  if (!end.ok()) return end.error();
  const bool whole = *end == info.st_size || ::ftruncate(file->get(), *end) == 0;
  return whole ? Status() : system_error("cannot write " + path, errno);
}

}  // namespace

Status EdgeFile::flush() { return append(file_, lines_); }

Result<CheckFile> CheckFile::open(const std::string& path) {
  if (const Status cut = cut_torn_page(path); !cut.ok()) return cut.error();
  Result<LineFile> file = LineFile::open(path);
  if (!file.ok()) return file.error();
  return CheckFile(file.take());
}

void CheckFile::begin_page(std::string_view url) {
  page_ = "\tvia=";
  append_escaped(page_, url);
  page_ += "\ttag=";
}

void CheckFile::add(std::string_view url, std::string_view element, std::string_view attribute,
                    const page::LineCounter* position, std::string_view broken) {
  lines_ += url;
  lines_ += page_;
  append_escaped(lines_, element);
  if (!attribute.empty()) lines_ += '@';
  append_escaped(lines_, attribute);
  if (position != nullptr) {
    lines_ += "\tline=";
    append_unsigned(lines_, position->line());
    lines_ += "\tcolumn=";
    append_unsigned(lines_, position->column());
  }
  if (!broken.empty()) {
    lines_ += "\treason=";
    append_escaped(lines_, broken);
  }
  lines_ += '\n';
}

void CheckFile::settle(const Record& record, const std::optional<std::string>& ids) {
  // A page that will be asked for again is not settled.
  const std::string_view outcome = record.raw("outcome");
  if (outcome == to_string(Outcome::kNeeds) || outcome == to_string(Outcome::kAborted)) return;
  lines_ += record.url();
  if (record.raw("probe") == "yes") lines_ += "\tpurpose=probe";
  for (const char* const key : {"status", "type", "location"}) {
    if (record.has(key)) lines_.append("\t").append(key).append("=").append(record.raw(key));
  }
  if (ids) {
    lines_ += "\tids=";
    append_escaped(lines_, *ids);
  } else {
    // The time is for link-check's cache.
    lines_ += "\tchecked=";
    append_unsigned(lines_, static_cast<std::uint64_t>(std::time(nullptr)));
  }
  lines_.append("\toutcome=").append(outcome).append("\n");
}

Status CheckFile::flush() { return append(file_, lines_); }

}  // namespace spinneret
