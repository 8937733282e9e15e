// SPDX-License-Identifier: Apache-2.0
#include "dedupe/original_index.h"

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "dedupe/fingerprint_table.h"
#include "dedupe/near_index.h"
#include "dedupe/page_text.h"
#include "dedupe/seen_log.h"
#include "dedupe/sketch.h"
#include "dedupe/text_arena.h"

namespace spinneret {
namespace {

using Method = OriginalOptions::Method;

// Digests in a table behind the interface of sketches: near is what is equal.
class DigestIndex : public NearIndex {
 public:
  bool find(std::string_view sketch, Neighbour& nearest) const override {
    const ValuedFingerprint* const held = table_.find(key_of(sketch));
    if (held == nullptr) return false;
    nearest = {static_cast<std::uint32_t>(held->value), 1};
    return true;
  }
  void each_near(std::string_view sketch, const Visit& visit) const override {
    Neighbour held;
    if (find(sketch, held)) visit(held);
  }
  void add(std::string_view sketch) override {
    bool fresh = false;
    ValuedFingerprint& held = table_.find_or_insert(key_of(sketch), fresh);
    if (fresh) held.value = size_;
    ++size_;
  }
  std::uint32_t size() const override { return size_; }
  std::uint64_t bytes() const override { return table_.bytes(); }
  std::uint32_t entry_bytes() const override { return sizeof(Hash128); }

 private:
  static ValuedFingerprint key_of(std::string_view sketch) {
    Hash128 digest;
    std::memcpy(&digest, sketch.data(), sizeof digest);
    return fingerprint_of<ValuedFingerprint>(digest);
  }
  FingerprintTable<ValuedFingerprint> table_;
  std::uint32_t size_ = 0;
};

std::unique_ptr<NearIndex> make_index(const OriginalOptions& options) {
  switch (options.method) {
    case Method::kSimhash: return make_simhash_index(options.distance);
    case Method::kMinhash: return make_minhash_index(options.similarity, options.values);
    case Method::kBytes:
    case Method::kText: break;
  }
  return std::make_unique<DigestIndex>();
}

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

class Originals : public OriginalIndex {
 public:
  explicit Originals(const OriginalOptions& options)
      : options_(options), index_(make_index(options)) {}

  Status open_store(const OriginalOptions& options, std::string* notice);

  bool judge(std::string_view name, std::string_view content, bool markup,
             Verdict& verdict) override {
    if (options_.method != Method::kBytes) {
      page_text(content, markup, text_);
      if (text_.empty()) return false;
      content = text_;
    }
    sketch(content);
    verdict = {};
    Neighbour nearest;
    verdict.copy = index_->find(sketch_, nearest);
    if (verdict.copy) {
      verdict.original = names_.get(places_[nearest.number]);
      verdict.similarity = nearest.similarity;
    } else {
      add(sketch_, name);
      if (log_) append_log_entry(payload_, log_->header(), sketch_, name);
      ++uncommitted_;
    }
    return true;
  }

  Status commit() override {
    const std::uint64_t entries = std::exchange(uncommitted_, 0);
    if (!log_ || entries == 0) return {};
    Status done = log_->append(payload_, entries, options_.sync);
    payload_.clear();
    return done;
  }

  std::uint64_t size() const override { return index_->size(); }
  std::uint64_t bytes() const override {
    return index_->bytes() + names_.bytes() + places_.capacity() * sizeof(std::uint64_t);
  }

 private:
  void add(std::string_view entry, std::string_view name) {
    index_->add(entry);
    places_.push_back(names_.add(name));
  }

  void sketch(std::string_view content) {
    switch (options_.method) {
      case Method::kBytes:
      case Method::kText: sketch_ = bytes_of(hash128(content, seed_)); break;
      case Method::kSimhash: sketch_ = bytes_of(simhash(content, options_.shingling)); break;
      case Method::kMinhash: minhash(content, options_.shingling, options_.values, sketch_); break;
    }
  }

  OriginalOptions options_;
  std::uint64_t seed_ = random_seed();
  std::unique_ptr<NearIndex> index_;
  std::vector<std::uint64_t> places_;  // of names, by number
  TextArena names_;
  std::optional<SeenLog> log_;
  std::string payload_;
  std::uint64_t uncommitted_ = 0;
  std::string text_;
  std::string sketch_;
};

Status Originals::open_store(const OriginalOptions& options, std::string* notice) {
  LogHeader wanted{index_->entry_bytes(), true, seed_, options.description};
  if (!options.like.empty()) {
    const Result<LogHeader> like = SeenLog::read_header(options.like);
    if (!like.ok()) return like.error();
    wanted.seed = like->seed;
  }
  if (SeenLog::file_size(options.store) >= SeenLog::kHeaderBytes) {
    const Result<LogHeader> there = SeenLog::read_header(options.store);
    if (!there.ok()) return there.error();
    if (there->text != wanted.text || !there->named || there->entry_bytes != wanted.entry_bytes) {
      return Error{options.store + " holds other things: \"" + there->text + "\", not \"" +
                   wanted.text + "\""};
    }
    if (!options.like.empty() && there->seed != wanted.seed) {
      return Error{options.store + " is there already, and not like " + options.like};
    }
    wanted = *there;
  }
  Result<SeenLog> log = SeenLog::open(
      options.store, SeenLog::Mode::kAppend, wanted, [&](std::string_view payload, std::uint64_t) {
        LogEntries entries(wanted, payload);
        for (std::string_view entry, name; entries.next(entry, name);) add(entry, name);
      });
  if (!log.ok()) return log.error();
  seed_ = log->header().seed;
  if (notice != nullptr) *notice = log->torn_notice();
  log_.emplace(log.take());
  return {};
}

}  // namespace

Result<std::unique_ptr<OriginalIndex>> make_original_index(const OriginalOptions& options,
                                                           std::string* notice) {
  auto originals = std::make_unique<Originals>(options);
  if (!options.store.empty()) {
    if (Status opened = originals->open_store(options, notice); !opened.ok()) {
      return opened.error();
    }
  }
  return std::unique_ptr<OriginalIndex>(std::move(originals));
}

}  // namespace spinneret
