// SPDX-License-Identifier: Apache-2.0
#include "http/wacz.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/moment.h"
#include "http/cdxj.h"
#include "http/digest.h"
#include "http/gzip.h"
#include "http/warc.h"

namespace spinneret::http {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr int kIndexTries = 20;
constexpr int kOpenTries = 1000;
constexpr int kIndexTryMs = 50;
// The scheduler waits as long for a stage that packs.
constexpr int kPackWaitMs = 10 * 60 * 1000;
constexpr std::uint32_t kFull32 = 0xFFFFFFFF;
// January 1, 1980, so that the same files give the same bytes.
constexpr std::uint16_t kDate = 0x21;

void put(std::string& out, std::uint64_t value, int bytes) {
  for (; bytes > 0; --bytes, value >>= 8) out += static_cast<char>(value & 0xFF);
}

struct ZipEntry {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint32_t crc = 0;
  std::string sha256;
};

// Writes a ZIP file whose members are stored, not compressed (APPNOTE 6.3, sections 4.3.7 to
// 4.3.16).
class ZipWriter {
 public:
  ZipWriter(std::string path, Fd file, std::uint64_t zip64_from)
      : path_(std::move(path)), file_(std::move(file)), zip64_from_(zip64_from) {}

  Status add_text(const std::string& name, std::string_view text);
  // Adds the file at its present length; a process that is still appending to it does no harm.
  Status add_file(const std::string& name, const std::string& path);
  Status finish();
  const std::vector<ZipEntry>& entries() const { return entries_; }

 private:
  bool is_large(std::uint64_t value) const { return value >= zip64_from_; }
  std::string local_header(const ZipEntry& entry) const;
  void add_central(std::string& out, const ZipEntry& entry) const;
  Status write(std::string_view bytes);
  Status begin(const std::string& name, std::uint64_t size);
  Status data(std::string_view bytes);
  Status end();

  std::string path_;
  Fd file_;
  std::uint64_t zip64_from_;
  std::uint64_t at_ = 0;
  std::vector<ZipEntry> entries_;
  BodyDigest digest_{DigestKind::kSha256};
};

Status ZipWriter::write(std::string_view bytes) {
  if (const int code = write_all(file_.get(), bytes); code != 0) {
    return system_error("cannot write " + path_, code);
  }
  at_ += bytes.size();
  return {};
}

std::string ZipWriter::local_header(const ZipEntry& entry) const {
  const bool large = is_large(entry.size);
  std::string out;
  put(out, 0x04034B50, 4);
  put(out, large ? 45 : 20, 2);
  put(out, 0x0800, 2);  // names are UTF-8
  put(out, 0, 4);       // method: stored; time: 0
  put(out, kDate, 2);
  put(out, entry.crc, 4);
  for (int i = 0; i < 2; ++i) put(out, large ? kFull32 : entry.size, 4);
  put(out, entry.name.size(), 2);
  put(out, large ? 20 : 0, 2);
  out += entry.name;
  if (!large) return out;
  put(out, 0x0001, 2);
  put(out, 16, 2);
  for (int i = 0; i < 2; ++i) put(out, entry.size, 8);
  return out;
}

void ZipWriter::add_central(std::string& out, const ZipEntry& entry) const {
  const bool large = is_large(entry.size);
  const bool far = is_large(entry.offset);
  std::string extra;
  if (large || far) {
    put(extra, 0x0001, 2);
    put(extra, (large ? 16U : 0U) + (far ? 8U : 0U), 2);
    for (int i = 0; large && i < 2; ++i) put(extra, entry.size, 8);
    if (far) put(extra, entry.offset, 8);
  }
  put(out, 0x02014B50, 4);
  put(out, 45, 2);
  put(out, extra.empty() ? 20 : 45, 2);
  put(out, 0x0800, 2);
  put(out, 0, 4);
  put(out, kDate, 2);
  put(out, entry.crc, 4);
  for (int i = 0; i < 2; ++i) put(out, large ? kFull32 : entry.size, 4);
  put(out, entry.name.size(), 2);
  put(out, extra.size(), 2);
  put(out, 0, 2 + 2 + 2 + 4);  // comment, disk, attributes
  put(out, far ? kFull32 : entry.offset, 4);
  out.append(entry.name).append(extra);
}

Status ZipWriter::begin(const std::string& name, std::uint64_t size) {
  entries_.push_back({name, size, at_, 0, {}});
  digest_.reset();
  // The header is written again at the end, with the checksum.
  return write(local_header(entries_.back()));
}

Status ZipWriter::data(std::string_view bytes) {
  entries_.back().crc = crc32_of(entries_.back().crc, bytes);
  digest_.update(bytes);
  return write(bytes);
}

Status ZipWriter::end() {
  ZipEntry& entry = entries_.back();
  entry.sha256 = digest_.hex();
  const std::string header = local_header(entry);
  const auto place = static_cast<off_t>(entry.offset);
  const ssize_t done = ::pwrite(file_.get(), header.data(), header.size(), place);
  if (done == static_cast<ssize_t>(header.size())) return {};
  return system_error("cannot write " + path_, done < 0 ? errno : EIO);
}

Status ZipWriter::add_text(const std::string& name, std::string_view text) {
  if (const Status begun = begin(name, text.size()); !begun.ok()) return begun;
  if (const Status written = data(text); !written.ok()) return written;
  return end();
}

Status ZipWriter::add_file(const std::string& name, const std::string& path) {
  const Result<Fd> file = open_file(path, O_RDONLY);
  if (!file.ok()) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) != 0) return system_error("cannot read " + path, errno);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (const Status begun = begin(name, size); !begun.ok()) return begun;
  std::string block;
  for (std::uint64_t at = 0; at < size; at += block.size()) {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size - at)));
    if (const int code = read_at(file->get(), block.data(), block.size(), at); code != 0) {
      return system_error("cannot read " + path, code);
    }
    if (const Status written = data(block); !written.ok()) return written;
  }
  return end();
}

Status ZipWriter::finish() {
  const std::uint64_t start = at_;
  std::string out;
  for (const ZipEntry& entry : entries_) add_central(out, entry);
  const std::uint64_t size = out.size();
  const std::uint64_t count = entries_.size();
  const bool large = is_large(start) || is_large(size) || count >= 0xFFFF;
  if (large) {
    put(out, 0x06064B50, 4);
    put(out, 44, 8);
    put(out, 45 | 45 << 16, 4);
    put(out, 0, 8);  // disks
    for (int i = 0; i < 2; ++i) put(out, count, 8);
    put(out, size, 8);
    put(out, start, 8);
    put(out, 0x07064B50, 4);
    put(out, 0, 4);
    put(out, start + size, 8);
    put(out, 1, 4);
  }
  put(out, 0x06054B50, 4);
  put(out, 0, 4);
  for (int i = 0; i < 2; ++i) put(out, large ? 0xFFFF : count, 2);
  put(out, large ? kFull32 : size, 4);
  put(out, large ? kFull32 : start, 4);
  put(out, 0, 2);
  if (const Status written = write(out); !written.ok()) return written;
  return file_.close();
}

std::string_view name_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// Returns the value of a member on a line of our own index, as it stands in JSON, without quotation
// marks.
std::string_view member(std::string_view line, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":\"";
  std::size_t from = line.find(key);
  if (from == std::string_view::npos) return {};
  from += key.size();
  std::size_t to = from;
  while (to < line.size() && line[to] != '"') to += line[to] == '\\' ? 2 : 1;
  return line.substr(from, std::min(to, line.size()) - from);
}

// The whole lines of all indexes, sorted.
struct Index {
  std::vector<std::string> texts;  // own the bytes of the lines
  std::vector<std::string_view> lines;
};

// Its writer may still be at work: it writes the index beside the file, and renames it at the end.
Status read_index(const std::string& warc, Index& index) {
  const std::string path = cdxj_path(warc);
  Result<std::string> text = read_file(path, SIZE_MAX);
  for (int tries = 0; !text.ok() && tries < kIndexTries; ++tries) {
    if (tries != 0) poll(nullptr, 0, kIndexTryMs);
    text = read_file(path + ".part", SIZE_MAX);
    if (!text.ok()) text = read_file(path, SIZE_MAX);
  }
  if (!text.ok()) {
    return Error{warc + " has no index " + path + ": its run had neither --cdxj nor --wacz"};
  }
  index.texts.push_back(text.take());
  index.texts.back().resize(index.texts.back().rfind('\n') + 1);
  return {};
}

void sort_index(Index& index) {
  for (const std::string& text : index.texts) {
    for (std::string_view rest = text; !rest.empty();) index.lines.push_back(cut(rest, '\n'));
  }
  std::sort(index.lines.begin(), index.lines.end());
}

bool is_html(std::string_view mime) {
  return equals_ignore_case(mime, "text/html") || equals_ignore_case(mime, "application/xhtml+xml");
}

// A revisit does not tell its type: it is a page if the body that it refers to is one.
std::string pages_of(const Index& index) {
  std::unordered_set<std::string_view> html;
  for (const std::string_view line : index.lines) {
    if (is_html(member(line, "mime"))) html.insert(member(line, "digest"));
  }
  std::string out = R"({"format":"json-pages-1.0","id":"pages","title":"All pages"})"
                    "\n";
  for (const std::string_view line : index.lines) {
    const std::string_view mime = member(line, "mime");
    const bool page =
        is_html(mime) || (mime == "warc/revisit" && html.count(member(line, "digest")) != 0);
    if (!page || member(line, "status") != "200") continue;
    std::string_view rest = line;
    cut(rest, ' ');
    const std::string time(cut(rest, ' '));
    if (time.size() != 14) continue;
    out.append(R"({"url":")").append(member(line, "url")).append(R"(","ts":")");
    out.append(time, 0, 4)
        .append("-")
        .append(time, 4, 2)
        .append("-")
        .append(time, 6, 2)
        .append("T");
    out.append(time, 8, 2).append(":").append(time, 10, 2).append(":").append(time, 12, 2);
    out += "Z\"}\n";
  }
  return out;
}

std::string package_of(const std::vector<ZipEntry>& entries, const WaczOptions& options) {
  std::string out = R"({"profile":"data-package","wacz_version":"1.1.1","title":)" +
                    json_string(name_of(options.warc)) + R"(,"created":")" +
                    utc_text(options.unix_ms / 1000) + R"(","software":)" +
                    json_string(options.software) + ",\"resources\":[";
  for (const ZipEntry& entry : entries) {
    if (&entry != &entries.front()) out += ",";
    out += "\n{\"name\":" + json_string(name_of(entry.name)) +
           ",\"path\":" + json_string(entry.name) + ",\"hash\":\"sha256:" + entry.sha256 +
           "\",\"bytes\":" + std::to_string(entry.size) + "}";
  }
  return out + "]}\n";
}

Status pack(ZipWriter& zip, const WaczOptions& options) {
  Index index;
  int files = 0;
  struct stat info {};
  for (; ::stat(warc_path(options.warc, files).c_str(), &info) == 0; ++files) {
    const std::string warc = warc_path(options.warc, files);
    if (const Status read = read_index(warc, index); !read.ok()) return read;
    const Status added = zip.add_file("archive/" + std::string(name_of(warc)), warc);
    if (!added.ok()) return added;
  }
  sort_index(index);
  std::string lines;
  for (const std::string_view line : index.lines) lines.append(line).append("\n");
  const Status indexed = zip.add_text("indexes/index.cdxj", lines);
  if (!indexed.ok()) return indexed;
  const Status paged = zip.add_text("pages/pages.jsonl", pages_of(index));
  if (!paged.ok()) return paged;
  const Status listed = zip.add_text("datapackage.json", package_of(zip.entries(), options));
  if (!listed.ok()) return listed;
  const std::string digest =
      "{\"path\":\"datapackage.json\",\"hash\":\"sha256:" + zip.entries().back().sha256 + "\"}\n";
  if (const Status added = zip.add_text("datapackage-digest.json", digest); !added.ok())
    return added;
  return zip.finish();
}

// Opens an empty file for this process alone. Waits for a process that packs the same WARC; this
// one then packs it again, since the other's file may lack what came since. Where a file system has
// no locks there is no waiting.
Result<Fd> open_part(const std::string& part) {
  for (int tries = 0; tries < kOpenTries; ++tries) {
    Result<Fd> file = open_file(part, O_WRONLY | O_CREAT);
    if (!file.ok()) return file;
    const Result<bool> locked = lock_file(file->get(), part, kPackWaitMs);
    if (locked.ok() && !*locked) return Error{part + " is written by another process"};
    struct stat ours {};
    struct stat there {};
    if (fstat(file->get(), &ours) != 0) return system_error("cannot look at " + part, errno);
    // The other process has renamed the file, or given up.
    if (::stat(part.c_str(), &there) != 0 || there.st_ino != ours.st_ino ||
        there.st_dev != ours.st_dev)
      continue;
    if (ftruncate(file->get(), 0) != 0) return system_error("cannot write " + part, errno);
    return file;
  }
  return Error{part + " is written by other processes"};
}

}  // namespace

std::string wacz_path(std::string_view warc) {
  std::string path = cdxj_path(warc);
  path.resize(path.size() - std::string_view(".cdxj").size());
  return path + ".wacz";
}

Status write_wacz(const WaczOptions& options) {
  const std::string path = wacz_path(options.warc);
  const std::string part = path + ".part";
  Result<Fd> file = open_part(part);
  if (!file.ok()) return file.error();
  // The lock is held until the file has its final name.
  const Fd held(fcntl(file->get(), F_DUPFD_CLOEXEC, 0));
  if (!held) return system_error("cannot open " + part, errno);
  ZipWriter zip(part, file.take(), options.zip64_from);
  Status packed = pack(zip, options);
  if (packed.ok() && ::rename(part.c_str(), path.c_str()) != 0) {
    packed = system_error("cannot rename " + part, errno);
  }
  if (!packed.ok()) ::unlink(part.c_str());
  return packed;
}

}  // namespace spinneret::http
