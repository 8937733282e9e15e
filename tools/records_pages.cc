// SPDX-License-Identifier: Apache-2.0
#include "records_pages.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/outcome.h"
#include "body/reader.h"
#include "check/tar.h"
#include "check/zip.h"
#include "http/fetch.h"
#include "http/fields.h"
#include "http/gzip.h"
#include "http/reception.h"
#include "url/parse.h"

namespace spinneret {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr std::size_t kMaxHead = std::size_t{1} << 20;  // of a WARC record that is looked at

unsigned kind_of(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

bool is_warc_name(std::string_view name) {
  return name.ends_with(".warc") || name.ends_with(".warc.gz");
}

bool is_archive_name(std::string_view name) {
  return is_warc_name(name) || name.ends_with(".wacz");
}

bool has_wildcards(std::string_view text) { return text.find_first_of("*?[") != text.npos; }

// A file from somewhere on.
class Pieces {
 public:
  Pieces(int fd, std::uint64_t at) : fd_(fd), at_(at) {}
  std::string_view operator()() {
    bytes_.resize(kBlock);
    ssize_t got = 0;
    do {
      got = ::pread(fd_, bytes_.data(), bytes_.size(), static_cast<off_t>(at_));
    } while (got < 0 && errno == EINTR);
    bytes_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    at_ += bytes_.size();
    return bytes_;
  }

 private:
  int fd_;
  std::uint64_t at_;
  std::string bytes_;
};

// The beginning of what comes, and how much it was in all.
class Beginning : public http::DecodeTaker {
 public:
  bool take(std::string_view bytes) override {
    size += bytes.size();
    text += bytes.substr(0, kMaxHead - text.size());
    return true;
  }
  std::string text;
  std::uint64_t size = 0;
};

// Reads the beginning of a WARC file's record at `at`. Returns how many bytes of the file the record takes; nothing
// where it is cut off or invalid.
std::optional<std::uint64_t> read_record(int fd, std::uint64_t at, std::uint64_t end,
                                         std::string& text) {
  Pieces more(fd, at);
  std::string_view bytes = more();
  if (!body::is_gzip(bytes)) {
    text = bytes;
    while (!feed::warc_record_size(text) && text.size() < kMaxHead && !(bytes = more()).empty())
      text += bytes;
    const auto size = feed::warc_record_size(text);
    return size && *size <= end - at ? std::optional<std::uint64_t>(*size) : std::nullopt;
  }
  Beginning out;
  Pieces again(fd, at);
  const auto size = http::gunzip_member([&again] { return again(); }, out);
  text = std::move(out.text);
  const auto wanted = feed::warc_record_size(text);
  if (!size || *size > end - at || !wanted || out.size < *wanted || out.size > *wanted + 4)
    return std::nullopt;
  return size;
}

// What a head tells of whoever asked for it, and when, is of no use years later.
class ArchivedFields : public http::FieldTaker {
 public:
  explicit ArchivedFields(Record& record) : record_(record) {}
  void field(std::string_view key, std::string_view value) override {
    if (key != "time-ms" && key != "expires" && key != "retry-after") record_.add(key, value);
  }

 private:
  Record& record_;
};

// As the answer to a request for no more than the head.
void judge_head(std::string_view head, http::FetchResult& result) {
  http::ReceptionRules rules;
  rules.max_header = kMaxHead;
  rules.head_only = rules.conditional = true;
  http::Reception reception;
  reception.start(rules, result);
  while (!head.empty()) {
    const std::size_t line = std::min(head.find('\n'), head.size() - 1) + 1;
    if (!reception.header(head.substr(0, line))) break;
    head.remove_prefix(line);
  }
  if (head.empty()) reception.header("\r\n");
  reception.end(http::WireEnd::kDone, {});
}

}  // namespace

PageRecords::PageRecords(cli::Tool& tool) : tool_(tool), place_(tool.options().get("from-dir")) {}

void PageRecords::trouble(const std::string& what, bool failed) {
  failed ? static_cast<void>(tool_.trouble(what)) : tool_.notice(what);
  tool_.note_refusal();
}

std::string PageRecords::read() {
  const std::vector<std::string> warcs = warc_files();
  if (warcs.empty()) {
    check_base();
    kind_of(place_) == S_IFREG ? read_archive() : read_folder();
  } else if (tool_.options().has("base") || tool_.options().has("pretty-urls")) {
    tool_.options().usage_error(
        "--base and --pretty-urls are for files: records of a WARC say their URLs");
  }
  for (const std::string& path : warcs) read_warcs(path);
  return std::move(lines_);
}

void PageRecords::check_base() {
  const std::string base = tool_.options().get("base");
  Url url;
  if (!base.ends_with('/') || !parse(base, url) || !url.is_http() ||
      base.find_first_of("?#\t\n") != std::string::npos)
    tool_.options().usage_error("--from-dir needs --base=URL, an http or https URL that ends in /");
}

// A file is one by its name or its first bytes; a folder gives those directly in it.
std::vector<std::string> PageRecords::warc_files() const {
  std::vector<std::string> out;
  const unsigned kind = kind_of(place_);
  if (kind == S_IFREG) {
    const Result<Fd> file = open_file(place_, O_RDONLY);
    std::string text;
    if (is_archive_name(place_) || (file.ok() && (check::is_zip(Pieces(file->get(), 0)()) ||
                                                  read_record(file->get(), 0, UINT64_MAX, text))))
      out.push_back(place_);
    return out;
  }
  const bool glob = kind == 0 && has_wildcards(place_);
  if (!glob && kind != S_IFDIR) return out;
  const std::size_t slash = place_.rfind('/');
  const std::string folder = !glob                        ? place_
                             : slash == std::string::npos ? std::string(".")
                                                          : place_.substr(0, slash + 1);
  if (glob && has_wildcards(folder)) return out;
  std::error_code code;
  for (const auto& each : std::filesystem::directory_iterator(folder, code)) {
    const std::string name = each.path().filename();
    const bool fits =
        !glob || ::fnmatch(place_.c_str() + (slash == std::string::npos ? 0 : slash + 1),
                           name.c_str(), FNM_PERIOD) == 0;
    if (fits && is_archive_name(name) && kind_of(each.path()) == S_IFREG)
      out.push_back(each.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// --- files ---

void PageRecords::read_folder() {
  const cli::Options& options = tool_.options();
  std::string root = place_;
  std::string pattern;
  if (kind_of(place_) == 0 && has_wildcards(place_)) {
    pattern = place_;
    const std::size_t slash = place_.rfind('/', place_.find_first_of("*?["));
    root = slash == std::string::npos ? "." : place_.substr(0, std::max<std::size_t>(slash, 1));
    if (slash == std::string::npos) pattern.insert(0, "./");
  }
  // A page is taken where it, or a folder that it is in, is of the pattern.
  const auto fits = [&](std::string_view path) {
    for (std::string each(path); each.size() > root.size(); each.resize(each.rfind('/'))) {
      if (::fnmatch(pattern.c_str(), each.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0) return true;
      if (each.find('/') == std::string::npos) break;
    }
    return false;
  };
  bool any = false;
  check::Folder folder({root, options.get("base"), options.has("pretty-urls")});
  folder.walk(
      [&](const check::FolderPage& page) {
        if (!pattern.empty() && !fits(page.path)) return;
        any = true;
        add_page(page);
      },
      [this](const std::string& what, bool failed) { trouble(what, failed); });
  if (!pattern.empty() && !any) trouble(excerpt(place_) + ": no file is of that name", true);
}

void PageRecords::read_archive() {
  const cli::Options& options = tool_.options();
  std::string head;
  if (const Result<Fd> file = open_file(place_, O_RDONLY); file.ok())
    head = Pieces(file->get(), 0)();
  if (!check::is_tar(head)) {
    options.usage_error("--from-dir: " + excerpt(place_) +
                        (head.size() >= 2 && body::is_gzip(head)
                             ? " is compressed: gunzip it, so that pages can be read in it"
                             : " is no folder, tar archive or WARC file"));
  }
  archive_ = place_;
  std::vector<check::NamedFile> files;
  const check::Folder::Trouble tell = [this](const std::string& what, bool failed) {
    trouble(what, failed);
  };
  if (const Status done = check::list_tar(place_, files, tell); !done.ok())
    trouble(done.message(), true);
  check::give_named({place_, options.get("base"), options.has("pretty-urls")}, files,
                    [this](const check::FolderPage& page) { add_page(page); });
}

void PageRecords::add_page(const check::FolderPage& page) {
  record_.reset(page.url);
  const bool moved = page.outcome == Outcome::kMoved;
  if (page.outcome != Outcome::kBlockedByPolicy)
    record_.set_unsigned("status", !page.location.empty() ? (moved ? 301 : 302) : 200);
  if (!page.type.empty()) record_.set("type", page.type);
  if (!page.location.empty()) record_.set("location", page.location);
  if (page.outcome == Outcome::kOk) {
    record_.set_unsigned("size", page.size);
    record_.set("file", page.path);
    record_.set("body-file", archive_.empty() ? page.path : std::string_view(archive_));
    if (!archive_.empty()) record_.set_unsigned("body-offset", page.offset);
  }
  record_.set_outcome(to_string(page.outcome));
  record_.append_to(lines_);
  lines_ += '\n';
}

// --- WARC ---

// All of a file: it is a WARC file itself, or a WACZ file with some in it.
void PageRecords::read_warcs(const std::string& path) {
  const Result<Fd> file = open_file(path, O_RDONLY);
  struct stat info = {};
  if (!file.ok()) return trouble(file.message(), true);
  if (::fstat(file->get(), &info) != 0)
    return trouble(system_error("cannot read " + path, errno).message, true);
  if (!check::is_zip(Pieces(file->get(), 0)()))
    return read_warc(file->get(), path, 0, static_cast<std::uint64_t>(info.st_size));
  std::vector<check::StoredFile> parts;
  const Status done =
      check::list_stored(path, is_warc_name, parts,
                         [this](const std::string& what, bool failed) { trouble(what, failed); });
  if (!done.ok()) return trouble(done.message(), true);
  if (parts.empty()) trouble(path + ": no WARC file can be read in it", true);
  for (const check::StoredFile& part : parts)
    read_warc(file->get(), path, part.offset, part.offset + part.size);
}

void PageRecords::read_warc(int fd, const std::string& path, std::uint64_t at, std::uint64_t end) {
  std::string text;
  feed::WarcRecord record;
  while (at < end) {
    const auto taken = read_record(fd, at, end, text);
    if (!taken || !feed::parse_warc_record(text, record)) {
      return trouble(path + " at byte " + std::to_string(at) +
                         ": no whole WARC record, compressed by itself or not at all: what is "
                         "behind it is not read",
                     true);
    }
    if (record.type == "response" || record.type == "revisit" || record.type == "resource")
      add_archived(record, path, at);
    at += *taken;
    // Two line ends are behind one that is not compressed.
    Pieces more(fd, at);
    const std::string_view rest = more();
    at += std::min(rest.find_first_not_of("\r\n"), rest.size());
  }
}

void PageRecords::add_archived(const feed::WarcRecord& page, const std::string& path,
                               std::uint64_t offset) {
  Url url;
  const bool is_url = parse(page.target, url);
  if (is_url && !url.is_http()) return;  // dns:, urn:, metadata: and what else archives keep
  if (!is_url || (page.type == "response" && page.http_head.empty())) {
    return trouble(path + " at byte " + std::to_string(offset) +
                       ": left out: " + (is_url ? "no answer of HTTP is that of " : "no URL is ") +
                       excerpt(page.target),
                   false);
  }
  record_.reset(url.href_without_fragment());
  if (url.path() == "/robots.txt") record_.set("purpose", "robots");
  http::FetchResult result;
  result.outcome = Outcome::kOk;
  result.ip = without_controls(page.ip);
  if (!page.http_head.empty()) {
    judge_head(page.http_head, result);
  } else if (page.type == "resource") {
    result.media = http::parse_media_type(page.content_type);
    if (!result.media.type.empty()) record_.set("type", result.media.type);
    if (!result.media.charset.empty()) record_.set("charset", result.media.charset);
  }
  Url to;
  if (!result.location.empty() && resolve(result.location, url, to)) result.location = to.href();
  ArchivedFields fields(record_);
  http::each_field(result, {}, fields);
  if (page.type == "revisit") {
    if (result.outcome == Outcome::kOk) result.outcome = Outcome::kDuplicate;
  } else if (result.outcome == Outcome::kOk) {
    record_.set("warc-file", path);
    record_.set_unsigned("warc-offset", offset);
  }
  record_.set_outcome(to_string(result.outcome));
  record_.append_to(lines_);
  lines_ += '\n';
}

}  // namespace spinneret
