// SPDX-License-Identifier: Apache-2.0
#include "dedupe/original_index.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "dedupe/band_table.h"
#include "dedupe/near_index.h"
#include "dedupe/seen_log.h"
#include "dedupe/text_arena.h"

namespace spinneret::dedupe {
namespace {

class Originals : public OriginalIndex {
 public:
  explicit Originals(const OriginalOptions& options)
      : sync_(options.sync),
        words_(options.method != OriginalOptions::Method::kBytes),
        sketches_(options),
        index_(sketches_.make_index()) {}

  Status open_store(const OriginalOptions& options, std::string* notice);

  bool judge(std::string_view name, std::string_view content, bool markup,
             Verdict& verdict) override {
    if (!sketches_.make(content, markup, sketch_)) return false;
    judge_sketch(name, sketch_, verdict);
    return true;
  }

  void judge_sketch(std::string_view name, std::string_view sketch, Verdict& verdict) override {
    verdict = {};
    Neighbour nearest;
    verdict.copy = index_->find(sketch, nearest);
    if (verdict.copy) {
      verdict.original = names_.get(places_[nearest.number]);
      verdict.similarity = nearest.similarity;
      if (words_ && verdict.original == name) look_back(name, sketch, nearest.number, verdict);
    } else {
      remember(sketch, name);
    }
  }

  Status commit() override {
    const std::uint64_t entries = std::exchange(uncommitted_, 0);
    if (!log_ || entries == 0) return {};
    Status done = log_->append({payload_, entries}, sync_);
    payload_.clear();
    return done;
  }

  std::uint64_t size() const override { return index_->size(); }
  std::uint64_t bytes() const override {
    return index_->bytes() + names_.bytes() + places_.capacity() * sizeof(std::uint64_t) +
           by_name_.bytes();
  }

 private:
  std::string_view name_of(std::uint32_t number) const { return names_.get(places_[number]); }

  // Compares a page with its own earlier visits: an earlier content that comes back after a change
  // is a change, too.
  void look_back(std::string_view name, std::string_view sketch, std::uint32_t nearest,
                 Verdict& verdict) {
    std::uint32_t newest = by_name_.first(hash64(name, name_seed_));
    while (name_of(newest) != name) newest = by_name_.following(newest);
    verdict.unchanged = nearest == newest;
    if (verdict.unchanged) return;
    index_->each_near(sketch, [&](const Neighbour& near) {
      if (near.number != newest) return;
      verdict.unchanged = true;
      verdict.similarity = near.similarity;
    });
    if (!verdict.unchanged) remember(sketch, name);
  }

  void remember(std::string_view sketch, std::string_view name) {
    add(sketch, name);
    if (log_) append_log_entry(payload_, log_->header(), sketch, name);
    ++uncommitted_;
  }

  void add(std::string_view entry, std::string_view name) {
    index_->add(entry);
    places_.push_back(names_.add(name));
    if (!words_) return;
    by_name_.add(hash64(name, name_seed_),
                 [this](std::uint32_t earlier) { return hash64(name_of(earlier), name_seed_); });
  }

  bool sync_;
  bool words_;  // words are compared; for bytes look_back() is not needed
  ContentSketch sketches_;
  std::unique_ptr<NearIndex> index_;
  std::vector<std::uint64_t> places_;  // of each document's name in names_, by number
  TextArena names_;
  BandTable by_name_;  // numbers of documents by their names, newest first
  std::uint64_t name_seed_ = random_seed();
  std::optional<SeenLog> log_;
  std::string payload_;
  std::uint64_t uncommitted_ = 0;
  std::string sketch_;
};

Status Originals::open_store(const OriginalOptions& options, std::string* notice) {
  LogHeader wanted{index_->entry_bytes(), true, sketches_.seed(), options.description};
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
  Result<SeenLog> log =
      SeenLog::open(options.store, SeenLog::Mode::kAppend, wanted, [&](const LogBlock& block) {
        LogEntries entries(wanted, block.payload);
        for (std::string_view entry, name; entries.next(entry, name);) add(entry, name);
      });
  if (!log.ok()) return log.error();
  sketches_.set_seed(log->header().seed);
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

}  // namespace spinneret::dedupe
