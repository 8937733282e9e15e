// SPDX-License-Identifier: Apache-2.0
// A set of keys that compares fingerprints: a hash function, a set of fingerprints and, for a
// store, the log that remembers them.
#ifndef SPINNERET_DEDUPE_HASHED_SET_H_
#define SPINNERET_DEDUPE_HASHED_SET_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dedupe/fingerprint_set.h"
#include "dedupe/seen_log.h"
#include "dedupe/seen_set.h"

namespace spinneret::dedupe {

template <typename F>
class HashedSet : public SeenSet {
 public:
  HashedSet(std::unique_ptr<FingerprintSet<F>> set, std::uint64_t seed, KeyHash hash)
      : set_(std::move(set)), seed_(seed), hash_(hash) {}

  // Sets the clock for sets that forget and for logs with times.
  void set_clock(std::function<std::int64_t()> now) { now_ = std::move(now); }
  // From now on every fresh key is in the log before insert_batch() returns.
  void remember_in(SeenLog log, bool sync) {
    log_.emplace(std::move(log));
    sync_ = sync;
  }

  Status insert_batch(std::span<const std::string_view> keys, bool* fresh) override {
    payload_.clear();
    const std::uint64_t now = take_time();
    while (!keys.empty()) {
      const std::span<const F> hashes = hash_some(keys);
      if (Status done = set_->insert_batch(hashes, fresh); !done.ok()) return done;
      if (log_) collect(hashes, fresh);
      fresh += hashes.size();
    }
    if (!log_) return {};
    if (!payload_.empty()) {
      Status done = log_->append({payload_, payload_.size() / sizeof(F), now}, sync_);
      if (!done.ok()) return done;
    }
    set_->logged(log_->mark());
    return {};
  }

  Status find_batch(std::span<const std::string_view> keys, bool* fresh) override {
    take_time();
    while (!keys.empty()) {
      const std::span<const F> hashes = hash_some(keys);
      if (Status done = set_->find_batch(hashes, fresh); !done.ok()) return done;
      fresh += hashes.size();
    }
    return {};
  }

  Status close() override { return set_->close(); }
  std::string report() const override { return set_->report(); }
  std::uint64_t size() const override { return set_->size(); }
  std::uint64_t bytes() const override { return set_->bytes(); }

 private:
  // Keys are hashed in pieces of this size, whose hashes stay in the first-level cache from when
  // they are made until they are used.
  static constexpr std::size_t kPiece = 512;

  std::uint64_t take_time() {
    if (!now_) return 0;
    const auto now = static_cast<std::uint64_t>(std::max<std::int64_t>(now_(), 0));
    set_->set_time(now);
    return now;
  }

  // Takes the keys of one piece off the front, and returns their fingerprints.
  std::span<const F> hash_some(std::span<const std::string_view>& keys) {
    const std::size_t count = std::min(keys.size(), hashes_.size());
    for (std::size_t i = 0; i < count; ++i) {
      hashes_[i] = fingerprint_of<F>(hash_(keys[i], seed_));
    }
    keys = keys.subspan(count);
    return std::span(hashes_).first(count);
  }

  void collect(std::span<const F> hashes, const bool* fresh) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (fresh[i]) payload_.append(reinterpret_cast<const char*>(&hashes[i]), sizeof(F));
    }
  }

  std::unique_ptr<FingerprintSet<F>> set_;
  std::uint64_t seed_;
  KeyHash hash_;
  std::optional<SeenLog> log_;
  bool sync_ = false;
  std::function<std::int64_t()> now_;
  std::string payload_;
  std::array<F, kPiece> hashes_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_HASHED_SET_H_
