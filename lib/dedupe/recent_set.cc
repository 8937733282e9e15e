// SPDX-License-Identifier: Apache-2.0
// Buckets of one cache line, each in the order of last use.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "dedupe/fingerprint_set.h"
#include "dedupe/region_pool.h"

namespace spinneret {
namespace {

template <typename F>
class RecentSet : public FingerprintSet<F> {
 public:
  explicit RecentSet(std::uint64_t memory)
      : buckets_(std::max<std::uint64_t>(memory / kBucketBytes, 1)),
        slots_(static_cast<F*>(pool_.take_large(buckets_ * kBucketBytes))) {}

  Status insert_batch(std::span<const F> keys, bool* fresh) override {
    for (const F& key : keys) __builtin_prefetch(bucket(key));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      F* const first = bucket(keys[i]);
      F* const found = std::find(first, first + kWays, keys[i]);
      fresh[i] = found == first + kWays;
      // A new key takes the place of the one that was last asked for longest ago.
      F* const last = fresh[i] ? found - 1 : found;
      size_ += fresh[i] && last->high == 0;
      std::copy_backward(first, last, last + 1);
      *first = keys[i];
    }
    return {};
  }

  Status find_batch(std::span<const F> keys, bool* fresh) override {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const F* const first = bucket(keys[i]);
      fresh[i] = std::find(first, first + kWays, keys[i]) == first + kWays;
    }
    return {};
  }

  std::uint64_t size() const override { return size_; }
  std::uint64_t bytes() const override { return buckets_ * kBucketBytes; }

 private:
  static constexpr std::uint64_t kBucketBytes = 64;
  static constexpr std::size_t kWays = kBucketBytes / sizeof(F);

  F* bucket(const F& key) const {
    return slots_ +
           static_cast<std::size_t>(static_cast<unsigned __int128>(key.high) * buckets_ >> 64) *
               kWays;
  }

  RegionPool pool_{4096};
  std::uint64_t buckets_;
  F* slots_;
  std::uint64_t size_ = 0;
};

}  // namespace

template <typename F>
std::unique_ptr<FingerprintSet<F>> make_recent_set(std::uint64_t memory) {
  return std::make_unique<RecentSet<F>>(memory);
}

template std::unique_ptr<FingerprintSet<Fingerprint64>> make_recent_set(std::uint64_t);
template std::unique_ptr<FingerprintSet<Fingerprint128>> make_recent_set(std::uint64_t);

}  // namespace spinneret
