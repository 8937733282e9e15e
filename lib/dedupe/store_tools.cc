// SPDX-License-Identifier: Apache-2.0
#include "dedupe/store_tools.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "dedupe/fingerprint_table.h"

namespace spinneret::dedupe {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

// Gathers entries, which it compares by their bytes, into large blocks of one time each.
class Gatherer {
 public:
  Gatherer(const LogHeader& header, std::function<Status(const LogBlock&)> write)
      : header_(header), write_(std::move(write)) {}

  // Takes note of entries that are in the store already.
  void know(const LogBlock& block) {
    for_each(block, [&](std::string_view entry, std::string_view) { is_newer(entry, block.time); });
  }
  // Writes the entries that are not known, or only with an earlier time.
  void add(const LogBlock& block) {
    for_each(block, [&](std::string_view entry, std::string_view name) {
      if (is_newer(entry, block.time)) write(block.time, entry, name);
    });
  }
  // Writes the known entries, each once and with its last time.
  void add_last(const LogBlock& block) {
    for_each(block, [&](std::string_view entry, std::string_view name) {
      bool fresh = false;
      ValuedFingerprint& held = known_.find_or_insert(key_of(entry), fresh);
      if (held.value != block.time) return;
      held.value = UINT64_MAX;
      write(block.time, entry, name);
    });
  }
  Status finish() {
    flush();
    return status_;
  }
  std::uint64_t total() const { return total_; }

 private:
  template <typename Visit>
  void for_each(const LogBlock& block, const Visit& visit) {
    LogEntries entries(header_, block.payload);
    for (std::string_view entry, name; entries.next(entry, name);) visit(entry, name);
  }
  ValuedFingerprint key_of(std::string_view entry) const {
    return fingerprint_of<ValuedFingerprint>(hash128(entry, seed_));
  }
  // Returns whether the entry is new, or has a later time than before. Entries without times all
  // have the same.
  bool is_newer(std::string_view entry, std::uint64_t time) {
    bool fresh = false;
    ValuedFingerprint& held = known_.find_or_insert(key_of(entry), fresh);
    const bool newer = fresh || (header_.timed && time > held.value);
    if (newer) held.value = time;
    return newer;
  }
  void write(std::uint64_t time, std::string_view entry, std::string_view name) {
    if (header_.timed && time != time_) flush();
    time_ = time;
    append_log_entry(payload_, header_, entry, name);
    ++entries_;
    ++total_;
    if (payload_.size() >= kBlockBytes) flush();
  }
  void flush() {
    if (entries_ != 0 && status_.ok()) status_ = write_({payload_, entries_, time_});
    payload_.clear();
    entries_ = 0;
  }

  const LogHeader& header_;
  std::function<Status(const LogBlock&)> write_;
  std::uint64_t seed_ = random_seed();
  FingerprintTable<ValuedFingerprint> known_;  // value: the last time of the entry
  std::string payload_;
  std::uint64_t entries_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t total_ = 0;
  Status status_;
};

void ignore(const LogBlock&) {}

// Says why two stores cannot be merged.
std::string difference(const LogHeader& into, const LogHeader& other, const std::string& path) {
  if (into.text != other.text || into.entry_bytes != other.entry_bytes) {
    return ": it holds \"" + other.text + "\", not \"" + into.text + "\"";
  }
  if (into.seed != other.seed) {
    return ": their seeds differ (make a store with --like " + path + " for it to be merged later)";
  }
  return ": only one of them has times (use the other once with --max-age)";
}

}  // namespace

Result<std::uint64_t> merge_stores(const std::string& path, const std::string& from) {
  const Result<LogHeader> into = SeenLog::read_header(path);
  if (!into.ok()) return into.error();
  const Result<LogHeader> other = SeenLog::read_header(from);
  if (!other.ok()) return other.error();
  if (!(*into == *other)) {
    return Error{"cannot merge " + from + " into " + path + difference(*into, *other, path)};
  }
  SeenLog* log = nullptr;
  Gatherer gatherer(*into, [&](const LogBlock& block) { return log->append(block, false); });
  Result<SeenLog> opened = SeenLog::open(path, SeenLog::Mode::kAppend, *into,
                                         [&](const LogBlock& block) { gatherer.know(block); });
  if (!opened.ok()) return opened.error();
  log = &*opened;
  const Result<SeenLog> read = SeenLog::open(from, SeenLog::Mode::kRead, {},
                                             [&](const LogBlock& block) { gatherer.add(block); });
  if (!read.ok()) return read.error();
  if (Status done = gatherer.finish(); !done.ok()) return done.error();
  if (Status synced = opened->sync(); !synced.ok()) return synced.error();
  return gatherer.total();
}

Result<LogStats> compact_store(const std::string& path, std::uint64_t oldest) {
  const Result<LogHeader> header = SeenLog::read_header(path);
  if (!header.ok()) return header.error();
  if (oldest != 0 && !header->timed) {
    return Error{path +
                 " does not say when its keys came: use it with --store and --max-age first"};
  }
  Result<SeenLog> log = SeenLog::open(path, SeenLog::Mode::kAppend, *header, ignore);
  if (!log.ok()) return log.error();
  const auto each = [&](const SeenLog::Visit& visit) -> Status {
    const Result<SeenLog> read = SeenLog::open(path, SeenLog::Mode::kRead, {}, visit);
    return read.ok() ? Status() : Status(read.error());
  };
  const Status done = log->rewrite([&](SeenLog& into) -> Status {
    Gatherer gatherer(*header, [&](const LogBlock& block) { return into.append(block, false); });
    if (!header->timed) {
      const Status read = each([&](const LogBlock& block) { gatherer.add(block); });
      return read.ok() ? gatherer.finish() : read;
    }
    Status read = each([&](const LogBlock& block) { gatherer.know(block); });
    if (read.ok()) {
      read = each([&](const LogBlock& block) {
        if (block.time >= oldest) gatherer.add_last(block);
      });
    }
    return read.ok() ? gatherer.finish() : read;
  });
  if (!done.ok()) return done.error();
  return log->stats();
}

Result<StoreFigures> store_figures(const std::string& path) {
  const Result<SeenLog> log = SeenLog::open(path, SeenLog::Mode::kRead, {}, ignore);
  if (!log.ok()) return log.error();
  return StoreFigures{log->header(), log->stats()};
}

}  // namespace spinneret::dedupe
