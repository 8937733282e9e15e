// SPDX-License-Identifier: Apache-2.0
#include "archive_pages.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "archive_record.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/outcome.h"
#include "check/zip.h"
#include "http/fetch.h"
#include "http/fields.h"
#include "http/reception.h"
#include "url/parse.h"

namespace spinneret {
namespace {

bool is_warc_name(std::string_view name) {
  return name.ends_with(".warc") || name.ends_with(".warc.gz");
}

// Leaves out the fields that concern whoever fetched the page, or the time at which it did: they
// are of no use years later.
class ArchivedFields : public http::FieldTaker {
 public:
  explicit ArchivedFields(Record& record) : record_(record) {}
  void field(std::string_view key, std::string_view value) override {
    if (key != "time-ms" && key != "expires" && key != "retry-after") record_.add(key, value);
  }

 private:
  Record& record_;
};

// Judges an archived head as the answer to a request for the head alone.
void judge_head(std::string_view head, http::FetchResult& result) {
  http::ReceptionRules rules;
  rules.max_header = kMaxArchivedHead;
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

void name_place(Record& record, std::string_view file, std::uint64_t offset) {
  record.set("warc-file", file);
  record.set_unsigned("warc-offset", offset);
}
void name_body(Record& record, std::string_view file, std::uint64_t offset) {
  record.set("warc-body-file", file);
  record.set_unsigned("warc-body-offset", offset);
}

}  // namespace

bool ArchivePages::is_name(std::string_view name) {
  return is_warc_name(name) || name.ends_with(".wacz");
}

bool ArchivePages::is_unread_name(std::string_view name) {
  return name.ends_with(".warc.zst") || name.ends_with(".arc") || name.ends_with(".arc.gz");
}

std::string ArchivePages::unread(std::string_view name) {
  return excerpt(name) +
         " is an archive of a kind that is not read: unzstd it, or make a WARC file of an ARC file";
}

bool ArchivePages::is_archive(const std::string& path) {
  if (is_name(path)) return true;
  const Result<Fd> file = open_file(path, O_RDONLY);
  std::string text;
  feed::WarcRecord record;
  return file.ok() && (check::is_zip(FilePieces(file->get(), 0)()) ||
                       (read_archived(file->get(), 0, UINT64_MAX, text, record) && !text.empty()));
}

// --- files ---

bool ArchivePages::next(std::string& lines) {
  const std::size_t before = lines.size();
  while (lines.size() == before) {
    if (at_ < end_) {
      read_one(lines);
    } else if (!open_next()) {
      return give_waiting(lines);
    }
  }
  return true;
}

// Opens the next part of the present file, or the next file. Returns false where there is none.
bool ArchivePages::open_next() {
  while (parts_.empty()) {
    tell_unread();
    if (opened_ == files_.size()) return false;
    file_ = opened_++;
    find_parts();
  }
  at_ = parts_.back().offset;
  end_ = at_ + parts_.back().size;
  parts_.pop_back();
  return true;
}

// Finds the WARC parts of a file: the file is one itself, or is a WACZ file with some in it.
void ArchivePages::find_parts() {
  Result<Fd> file = open_file(path(), O_RDONLY);
  struct stat info = {};
  if (!file.ok()) return trouble_(file.message(), true);
  fd_ = file.take();
  if (::fstat(fd_.get(), &info) != 0)
    return trouble_(system_error("cannot read " + path(), errno).message, true);
  if (!check::is_zip(FilePieces(fd_.get(), 0)())) {
    parts_.push_back({});
    parts_.back().size = static_cast<std::uint64_t>(info.st_size);
    return;
  }
  constexpr auto is_wanted = [](std::string_view name) {
    return is_warc_name(name) || is_unread_name(name);
  };
  const Status done = check::list_stored(path(), is_wanted, parts_, trouble_);
  if (!done.ok()) return trouble_(done.message(), true);
  std::erase_if(parts_, [this](const check::StoredFile& part) {
    if (is_warc_name(part.name)) return false;
    trouble_(path() + ": " + unread(part.name), true);
    return true;
  });
  if (parts_.empty()) trouble_(path() + ": no WARC file can be read in it", true);
  std::reverse(parts_.begin(), parts_.end());
}

void ArchivePages::read_one(std::string& lines) {
  feed::WarcRecord record;
  const auto taken = read_archived(fd_.get(), at_, end_, text_, record);
  if (!taken) {
    const auto rest = find_sound_rest(fd_.get(), at_ + 1, end_);
    const std::string place = path() + " at byte " + std::to_string(at_);
    trouble_(rest
                 ? place + ": a damaged record: nothing is read up to byte " + std::to_string(*rest)
                 : place +
                       ": no whole WARC record, compressed by itself or not at all: what "
                       "follows it is not read",
             true);
    at_ = rest.value_or(end_);
    return;
  }
  if (!text_.empty()) look_at(record, at_, lines);
  at_ += *taken;
  // An uncompressed record is followed by two line ends.
  FilePieces more(fd_.get(), at_);
  const std::string_view rest = more();
  at_ += std::min(rest.find_first_not_of("\r\n"), rest.size());
}

void ArchivePages::look_at(const feed::WarcRecord& page, std::uint64_t offset, std::string& lines) {
  if (page.type == "response" || page.type == "revisit" || page.type == "resource")
    return add_archived(page, offset, lines);
  // Records that are about a page, not pages themselves.
  constexpr std::string_view kOthers[] = {"warcinfo", "request", "metadata"};
  constexpr std::size_t kMaxTypes = 16;
  if (std::find(std::begin(kOthers), std::end(kOthers), page.type) != std::end(kOthers)) return;
  std::string type = excerpt(page.type, 40);
  if (unread_.size() == kMaxTypes && !unread_.contains(type)) type = "other types";
  ++unread_[std::move(type)];
}

void ArchivePages::tell_unread() {
  for (const auto& [type, count] : unread_) {
    trouble_(path() + ": " + std::to_string(count) + (count == 1 ? " record" : " records") +
                 " of the type " + type + " not read",
             false);
  }
  unread_.clear();
}

// --- pages ---

void ArchivePages::add_archived(const feed::WarcRecord& page, std::uint64_t offset,
                                std::string& lines) {
  Url url;
  const bool is_url = parse(page.target, url);
  if (is_url && !url.is_http()) return;  // dns:, urn:, metadata: and whatever else archives keep
  const char* const why = !is_url          ? "no URL is "
                          : page.segmented ? "in several segments is "
                          : page.type == "response" && page.http_head.empty()
                              ? "no answer of HTTP is that of "
                              : nullptr;
  if (why != nullptr) {
    return trouble_(
        path() + " at byte " + std::to_string(offset) + ": left out: " + why + excerpt(page.target),
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
  if (place(page, {file_, offset}, result.outcome)) settle(result.outcome, lines);
}

// Records where the body is. Returns false where the page waits for the one that it repeats.
bool ArchivePages::place(const feed::WarcRecord& page, Place here, Outcome& outcome) {
  const bool has_digest = !page.payload_digest.empty();
  const Hash128 digest = hash128(page.payload_digest, seed_);
  if (page.type != "revisit") {
    if (has_digest) originals_.try_emplace(digest, here);
    if (outcome == Outcome::kOk) name_place(record_, path(), here.offset);
    return true;
  }
  if (outcome != Outcome::kOk) return true;
  const auto original = has_digest ? originals_.find(digest) : originals_.end();
  if (original != originals_.end()) {
    name_body(record_, files_[original->second.file], original->second.offset);
    name_place(record_, path(), here.offset);
    return true;
  }
  outcome = Outcome::kDuplicate;
  if (!has_digest) return true;
  waiting_.push_back({{}, digest, here});
  record_.append_to(waiting_.back().line);
  return false;
}

void ArchivePages::settle(Outcome outcome, std::string& lines) {
  record_.set_outcome(to_string(outcome));
  record_.append_to(lines);
  lines += '\n';
}

// Gives a revisit whose original came after it, or never.
bool ArchivePages::give_waiting(std::string& lines) {
  if (waiting_.empty()) return false;
  const Revisit page = std::move(waiting_.front());
  waiting_.pop_front();
  record_.parse(page.line);
  const auto original = originals_.find(page.digest);
  const bool found = original != originals_.end();
  if (found) {
    name_body(record_, files_[original->second.file], original->second.offset);
    name_place(record_, files_[page.place.file], page.place.offset);
  }
  settle(found ? Outcome::kOk : Outcome::kDuplicate, lines);
  return true;
}

}  // namespace spinneret
