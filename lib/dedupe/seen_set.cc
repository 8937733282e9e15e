// SPDX-License-Identifier: Apache-2.0
#include "dedupe/seen_set.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "dedupe/exact_set.h"
#include "dedupe/filter_set.h"
#include "dedupe/hashed_set.h"
#include "dedupe/indexed_set.h"
#include "dedupe/temporary_file.h"

namespace spinneret::dedupe {
namespace {

template <typename F>
std::unique_ptr<FingerprintSet<F>> make_set(const SeenSetOptions& options, std::uint64_t expected) {
  if (options.max_age != 0) return make_aging_set<F>(options.max_age, expected);
  if (options.recent) return make_recent_set<F>(options.memory);
  if (options.memory != 0) return make_spilling_set<F>(options.memory, temporary_folder());
  return make_table_set<F>(expected);
}

// Puts blocks of fingerprints, as the log gives them, into a set.
template <typename F>
class Loader {
 public:
  explicit Loader(std::unique_ptr<FingerprintSet<F>>& set) : set_(set) {}
  void add(const LogBlock& block) {
    keys_.resize(block.payload.size() / sizeof(F));
    if (keys_.empty()) return;
    set_->set_time(block.time);
    std::copy_n(block.payload.data(), keys_.size() * sizeof(F),
                reinterpret_cast<char*>(keys_.data()));
    // Tables rely on a `high` that is not 0, and a file may hold anything.
    for (F& key : keys_) key.high += key.high == 0;
    std::span<const F> rest = keys_;
    while (status_.ok() && !rest.empty()) {
      const std::size_t some = std::min(rest.size(), fresh_.size());
      status_ = set_->recall_batch(rest.first(some), fresh_.data());
      rest = rest.subspan(some);
    }
    set_->logged(block.mark);
  }
  const Status& status() const { return status_; }

 private:
  std::unique_ptr<FingerprintSet<F>>& set_;
  std::vector<F> keys_;
  std::array<bool, 4096> fresh_{};  // the set's answers, which are not used
  Status status_;
};

// Returns the header that a new store gets, or an old one must have.
Result<LogHeader> wanted_header(const SeenSetOptions& options) {
  LogHeader header{options.bits / 8, false, random_seed(), options.key_description,
                   options.max_age != 0};
  if (options.like.empty()) return header;
  Result<LogHeader> like = SeenLog::read_header(options.like);
  if (!like.ok()) return like.error();
  header.seed = like->seed;
  header.entry_bytes = like->entry_bytes;
  return header;
}

Status check_header(const SeenSetOptions& options, const LogHeader& header) {
  const auto refused = [&](const std::string& why) { return Error{options.store + " " + why}; };
  if (header.named || (header.entry_bytes != 8 && header.entry_bytes != 16)) {
    return refused("holds pages (\"" + header.text + "\"), not keys of lines");
  }
  if (header.text != options.key_description) {
    return refused("holds keys of another kind: \"" + header.text + "\", not \"" +
                   options.key_description + "\"");
  }
  return {};
}

// Makes a store's set, and returns the place in the log from which to read it. An index is used
// where possible. Ages, however, are kept only for keys in memory; and neither a reader, nor a
// process that may write to nothing except the log, can make an index.
template <typename F>
LogMark choose_set(const SeenSetOptions& options, const SeenLog& log,
                   std::unique_ptr<FingerprintSet<F>>& set) {
  StoreIndex<F> index(options.store, options.memory == 0, options.fault);
  if (options.max_age == 0 && (options.read_only || index.may_write())) {
    auto indexed =
        std::make_unique<IndexedSet<F>>(std::move(index), options.memory, options.read_only);
    const LogMark from = indexed->open(log);
    if (!options.read_only || from.begin != 0) set = std::move(indexed);
    if (set != nullptr) return from;
  }
  // No key is known before the file is read, but its length tells how many there are.
  set = make_set<F>(options, SeenLog::file_size(options.store) / sizeof(F));
  return SeenLog::start();
}

template <typename F>
Result<std::unique_ptr<SeenSet>> open_stored(const SeenSetOptions& options, const LogHeader& wanted,
                                             std::string* notice) {
  const auto mode = options.read_only ? SeenLog::Mode::kRead : SeenLog::Mode::kAppend;
  std::unique_ptr<FingerprintSet<F>> set;
  const auto start = [&](const SeenLog& there) { return choose_set(options, there, set); };
  Loader<F> loader(set);
  Result<SeenLog> log = SeenLog::open(
      options.store, mode, wanted, [&](const LogBlock& block) { loader.add(block); }, start);
  if (!log.ok()) return log.error();
  if (!loader.status().ok()) return loader.status().error();
  if (Status fits = check_header(options, log->header()); !fits.ok()) return fits.error();
  if (!options.like.empty() && log->header().seed != wanted.seed) {
    return Error{options.store + " is there already, and not like " + options.like};
  }
  if (notice != nullptr && !options.read_only) *notice = log->torn_notice();
  if (options.max_age != 0 && !options.read_only && !log->header().timed) {
    if (Status timed = log->add_times(); !timed.ok()) return timed.error();
  }
  const std::uint64_t seed = log->header().seed;
  auto stored = std::make_unique<HashedSet<F>>(std::move(set), seed, options.hash);
  stored->set_clock(options.now);
  if (!options.read_only) stored->remember_in(log.take(), options.sync);
  return std::unique_ptr<SeenSet>(std::move(stored));
}

template <typename F>
std::unique_ptr<SeenSet> make_hashed(const SeenSetOptions& options) {
  return std::make_unique<HashedSet<F>>(make_set<F>(options, 0), random_seed(), options.hash);
}

}  // namespace

Result<std::unique_ptr<SeenSet>> make_seen_set(const SeenSetOptions& options, std::string* notice) {
  if (!options.store.empty()) {
    Result<LogHeader> wanted = wanted_header(options);
    if (!wanted.ok()) return wanted.error();
    // An existing store decides how wide its keys are.
    if (SeenLog::file_size(options.store) >= SeenLog::kHeaderBytes) {
      const Result<LogHeader> there = SeenLog::read_header(options.store);
      if (!there.ok()) return there.error();
      if (Status fits = check_header(options, *there); !fits.ok()) return fits.error();
      wanted->entry_bytes = there->entry_bytes;
    }
    return wanted->entry_bytes == 8 ? open_stored<Fingerprint64>(options, *wanted, notice)
                                    : open_stored<Fingerprint128>(options, *wanted, notice);
  }
  if (options.exact) return std::unique_ptr<SeenSet>(new ExactSet(random_seed(), options.hash));
  if (options.approximate > 0) {
    return std::unique_ptr<SeenSet>(
        new FilterSet(options.memory, options.approximate, random_seed(), options.hash));
  }
  return options.bits == 64 ? make_hashed<Fingerprint64>(options)
                            : make_hashed<Fingerprint128>(options);
}

}  // namespace spinneret::dedupe
