// SPDX-License-Identifier: Apache-2.0
#include "check/cache.h"

#include <sys/stat.h>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"

namespace spinneret::check {
namespace {

// An entry that is too old keeps its etag up to this many times the maximal age.
constexpr std::int64_t kKeepFactor = 8;
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

}  // namespace

Status LinkCache::open(const std::string& path, std::int64_t now_s, std::int64_t max_age_s) {
  now_s_ = now_s;
  max_age_s_ = max_age_s;
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode))
      return Error{path + " is a pipe, which keeps nothing: give a file"};
    if (S_ISBLK(info.st_mode)) return Error{path + " is a disk: give a file"};
    // A terminal, or a device such as /dev/null, stores nothing either, and some devices have no
    // end.
    if (!S_ISCHR(info.st_mode)) {
      if (const Status status = read(path); !status.ok()) return status;
    }
  }
  if (const Status status = check_replaceable(path); !status.ok()) return status;
  path_ = path;
  return {};
}

Status LinkCache::read(const std::string& path) {
  auto bytes = read_file(path, kMaxBytes);
  if (!bytes.ok()) return bytes.error();
  std::string_view rest = *bytes;
  const std::string_view first = cut(rest, '\n');
  if (!bytes->empty() && first != kFormat)
    return Error{path + " is not a cache of this version (" + std::string(kFormat) +
                 "), but begins with " + excerpt(first) + ": give another file, or delete it"};
  // A line without an end was cut off when somebody copied the file.
  old_ = rest.substr(0, rest.rfind('\n') + 1);
  return {};
}

void LinkCache::note(Record& record, Outcome outcome) {
  if (!told_.emplace(record.url()).second) return;
  if (outcome != Outcome::kOk && outcome != Outcome::kNotModified) return;
  // In a continued crawl, some pages come from an earlier run.
  const std::int64_t age = age_of(record).value_or(0);
  if (age / kKeepFactor > max_age_s_) return;
  Record kept;
  kept.reset(record.url());
  kept.set_unsigned("checked", static_cast<std::uint64_t>(now_s_ - age));
  for (const char* const field : {"etag", "last-modified"}) {
    const auto value = record.get(field);
    if (value && !value->empty()) kept.set(field, *value);
  }
  kept.append_to(new_);
  new_ += '\n';
}

std::optional<std::int64_t> LinkCache::age_of(const Record& record) const {
  const auto checked = parse_unsigned(record.raw("checked"));
  if (!checked || *checked > INT64_MAX) return std::nullopt;
  const std::int64_t age = now_s_ - static_cast<std::int64_t>(*checked);
  // A time in the future, set by a wrong clock, must not keep an entry fresh for ever.
  return age < 0 ? std::nullopt : std::optional(age);
}

void LinkCache::each_fresh(const TakeRecord& take) const {
  Record record;
  for (std::string_view rest = old_; !rest.empty();) {
    record.parse(cut(rest, '\n'));
    const auto age = age_of(record);
    if (age && *age <= max_age_s_) take(record);
  }
}

void LinkCache::recall(LinkBook& book, const TakeRecord& take_stale) {
  Record record;
  for (std::string_view rest = old_; !rest.empty();) {
    const std::string_view line = cut(rest, '\n');
    record.parse(line);
    const auto age = age_of(record);
    if (!age || *age / kKeepFactor > max_age_s_) continue;
    if (told_.count(std::string(record.url())) != 0) continue;
    if (*age > max_age_s_) {
      take_stale(record);
    } else {
      book.recall(record.url());
    }
    new_.append(line).push_back('\n');
  }
  old_.clear();
}

Status LinkCache::save() {
  if (path_.empty()) return {};
  return write_file_atomic(path_, std::string(kFormat) + "\n" + new_ + old_);
}

}  // namespace spinneret::check
