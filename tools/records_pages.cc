// SPDX-License-Identifier: Apache-2.0
#include "records_pages.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/excerpt.h"
#include "base/file.h"
#include "base/outcome.h"
#include "body/reader.h"
#include "check/tar.h"
#include "url/parse.h"

namespace spinneret {
namespace {

unsigned kind_of(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

// Returns as many bytes of a file as identify a tar archive. Empty where it cannot be read.
std::string beginning_of(const std::string& path) {
  std::string bytes(512, '\0');
  const Result<Fd> file = open_file(path, O_RDONLY);
  const ssize_t got = file.ok() ? ::pread(file->get(), bytes.data(), bytes.size(), 0) : 0;
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

bool has_wildcards(std::string_view text) { return text.find_first_of("*?[") != text.npos; }

}  // namespace

void PageRecords::trouble(const std::string& what, bool failed) {
  failed ? static_cast<void>(tool_.trouble(what)) : tool_.notice(what);
  tool_.note_refusal();
}

check::Folder::Trouble PageRecords::teller() {
  return [this](const std::string& what, bool failed) { trouble(what, failed); };
}

PageRecords::PageRecords(cli::Tool& tool) : tool_(tool), place_(tool.options().get("from-dir")) {
  std::vector<std::string> unread;
  std::vector<std::string> warcs = warc_files(unread);
  if (warcs.empty()) {
    if (!unread.empty() && !tool_.options().has("base"))
      tool_.options().usage_error("--from-dir: " + ArchivePages::unread(unread.front()));
    kind_of(place_) == S_IFREG ? read_tar() : read_folder();
  }
  for (const std::string& each : unread) trouble(ArchivePages::unread(each), false);
  if (warcs.empty()) return;
  if (tool_.options().has("base") || tool_.options().has("pretty-urls")) {
    tool_.options().usage_error(
        "--base and --pretty-urls are for files: records of a WARC say their URLs");
  }
  archives_.emplace(std::move(warcs), teller());
}

bool PageRecords::more(std::string& lines) {
  if (archives_) return archives_->next(lines);
  lines += std::exchange(lines_, {});
  return !lines.empty();
}

void PageRecords::check_base() {
  const std::string base = tool_.options().get("base");
  Url url;
  if (!base.ends_with('/') || !parse(base, url) || !url.is_http() ||
      base.find_first_of("?#\t\n") != std::string::npos)
    tool_.options().usage_error("--from-dir needs --base=URL, an http or https URL that ends in /");
}

// Returns the WARC and WACZ files: the named file, by its name or its first bytes, or those
// directly in the folder. `unread` gets other archives.
std::vector<std::string> PageRecords::warc_files(std::vector<std::string>& unread) const {
  std::vector<std::string> out;
  const unsigned kind = kind_of(place_);
  if (kind == S_IFREG) {
    if (ArchivePages::is_archive(place_))
      out.push_back(place_);
    else if (ArchivePages::is_unread_name(place_))
      unread.push_back(place_);
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
    if (!fits || kind_of(each.path()) != S_IFREG) continue;
    if (ArchivePages::is_name(name)) out.push_back(each.path());
    if (ArchivePages::is_unread_name(name)) unread.push_back(each.path());
  }
  std::sort(out.begin(), out.end());
  std::sort(unread.begin(), unread.end());
  return out;
}

// --- files ---

void PageRecords::read_folder() {
  // Where nothing exists, that is reported, and not that a URL is missing.
  if (kind_of(place_) != 0 || has_wildcards(place_)) check_base();
  const cli::Options& options = tool_.options();
  std::string root = place_;
  std::string pattern;
  if (kind_of(place_) == 0 && has_wildcards(place_)) {
    pattern = place_;
    const std::size_t slash = place_.rfind('/', place_.find_first_of("*?["));
    root = slash == std::string::npos ? "." : place_.substr(0, std::max<std::size_t>(slash, 1));
    if (slash == std::string::npos) pattern.insert(0, "./");
  }
  // A page is taken where it, or a folder that contains it, matches the pattern.
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
      teller());
  if (!pattern.empty() && !any) trouble(excerpt(place_) + ": there is no file of that name", true);
}

void PageRecords::read_tar() {
  const cli::Options& options = tool_.options();
  const std::string head = beginning_of(place_);
  if (!check::is_tar(head)) {
    options.usage_error("--from-dir: " + excerpt(place_) +
                        (head.size() >= 2 && body::is_gzip(head)
                             ? " is compressed: gunzip it, so that pages can be read in it"
                             : " is not a folder, tar archive or WARC file"));
  }
  check_base();
  archive_ = place_;
  std::vector<check::NamedFile> files;
  if (const Status done = check::list_tar(place_, files, teller()); !done.ok())
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

}  // namespace spinneret
