// SPDX-License-Identifier: Apache-2.0
#include "dedupe/store_tools.h"

#include <functional>
#include <string_view>

#include "base/hash.h"
#include "dedupe/fingerprint_table.h"

namespace spinneret {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

// Entries that were not there before, by their bytes, gathered to large blocks.
class Gatherer {
 public:
  Gatherer(const LogHeader& header, std::function<Status(std::string_view, std::uint64_t)> write)
      : header_(header), write_(std::move(write)) {}

  // Entries that are in the store already.
  void know(std::string_view payload) {
    for_each(payload, [this](std::string_view entry, std::string_view) { is_fresh(entry); });
  }
  void add(std::string_view payload) {
    for_each(payload, [this](std::string_view entry, std::string_view name) {
      if (!is_fresh(entry)) return;
      append_log_entry(payload_, header_, entry, name);
      ++entries_;
      ++total_;
      if (payload_.size() >= kBlockBytes) flush();
    });
  }
  Status finish() {
    flush();
    return status_;
  }
  std::uint64_t total() const { return total_; }

 private:
  template <typename Visit>
  void for_each(std::string_view payload, const Visit& visit) {
    LogEntries entries(header_, payload);
    for (std::string_view entry, name; entries.next(entry, name);) visit(entry, name);
  }
  bool is_fresh(std::string_view entry) {
    return known_.insert(fingerprint_of<Fingerprint128>(hash128(entry, seed_)));
  }
  void flush() {
    if (entries_ != 0 && status_.ok()) status_ = write_(payload_, entries_);
    payload_.clear();
    entries_ = 0;
  }

  const LogHeader& header_;
  std::function<Status(std::string_view, std::uint64_t)> write_;
  std::uint64_t seed_ = random_seed();
  FingerprintTable<Fingerprint128> known_;
  std::string payload_;
  std::uint64_t entries_ = 0;
  std::uint64_t total_ = 0;
  Status status_;
};

void ignore(std::string_view, std::uint64_t) {}

}  // namespace

Result<std::uint64_t> merge_stores(const std::string& path, const std::string& from) {
  const Result<LogHeader> into = SeenLog::read_header(path);
  if (!into.ok()) return into.error();
  const Result<LogHeader> other = SeenLog::read_header(from);
  if (!other.ok()) return other.error();
  if (!(*into == *other)) {
    const bool only_seed = into->text == other->text && into->entry_bytes == other->entry_bytes;
    return Error{"cannot merge " + from + " into " + path +
                 (only_seed ? ": their seeds differ (make a store with --like " + path +
                                  " for it to be merged later)"
                            : ": it holds \"" + other->text + "\", not \"" + into->text + "\"")};
  }
  SeenLog* log = nullptr;
  Gatherer gatherer(*into, [&](std::string_view block, std::uint64_t entries) {
    return log->append(block, entries, false);
  });
  Result<SeenLog> opened =
      SeenLog::open(path, SeenLog::Mode::kAppend, *into,
                    [&](std::string_view block, std::uint64_t) { gatherer.know(block); });
  if (!opened.ok()) return opened.error();
  log = &*opened;
  const Result<SeenLog> read =
      SeenLog::open(from, SeenLog::Mode::kRead, {},
                    [&](std::string_view block, std::uint64_t) { gatherer.add(block); });
  if (!read.ok()) return read.error();
  if (Status done = gatherer.finish(); !done.ok()) return done.error();
  if (Status synced = opened->sync(); !synced.ok()) return synced.error();
  return gatherer.total();
}

Result<LogStats> compact_store(const std::string& path) {
  const Result<LogHeader> header = SeenLog::read_header(path);
  if (!header.ok()) return header.error();
  Result<SeenLog> log = SeenLog::open(path, SeenLog::Mode::kAppend, *header, ignore);
  if (!log.ok()) return log.error();
  const Status done = log->rewrite([&](SeenLog& into) -> Status {
    Gatherer gatherer(*header, [&](std::string_view block, std::uint64_t entries) {
      return into.append(block, entries, false);
    });
    const Result<SeenLog> read =
        SeenLog::open(path, SeenLog::Mode::kRead, {},
                      [&](std::string_view block, std::uint64_t) { gatherer.add(block); });
    return read.ok() ? gatherer.finish() : Status(read.error());
  });
  if (!done.ok()) return done.error();
  return log->stats();
}

Result<StoreFigures> store_figures(const std::string& path) {
  const Result<SeenLog> log = SeenLog::open(path, SeenLog::Mode::kRead, {}, ignore);
  if (!log.ok()) return log.error();
  return StoreFigures{log->header(), log->stats()};
}

}  // namespace spinneret
