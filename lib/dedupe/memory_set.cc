// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "dedupe/fingerprint_table.h"
#include "dedupe/seen_set.h"

namespace spinneret {
namespace {

template <typename F>
class MemorySet : public SeenSet {
 public:
  MemorySet(std::uint64_t seed, std::uint64_t expected) : seed_(seed), table_(expected) {}

  Status insert_batch(std::span<const std::string_view> keys, bool* fresh) override {
    while (!keys.empty()) {
      const std::span<const F> hashes = hash_some(keys);
      table_.insert_batch(hashes, fresh);
      fresh += hashes.size();
    }
    return {};
  }

  Status find_batch(std::span<const std::string_view> keys, bool* fresh) override {
    while (!keys.empty()) {
      const std::span<const F> hashes = hash_some(keys);
      table_.find_batch(hashes, fresh);
      for (std::size_t i = 0; i < hashes.size(); ++i) fresh[i] = !fresh[i];
      fresh += hashes.size();
    }
    return {};
  }

  std::uint64_t size() const override { return table_.size(); }
  std::uint64_t bytes() const override { return table_.bytes(); }

 private:
  // Takes the first keys off, as many as there is room for.
  std::span<const F> hash_some(std::span<const std::string_view>& keys) {
    const std::size_t count = std::min(keys.size(), hashes_.size());
    for (std::size_t i = 0; i < count; ++i) {
      hashes_[i] = fingerprint_of<F>(hash128(keys[i], seed_));
    }
    keys = keys.subspan(count);
    return std::span(hashes_).first(count);
  }

  std::uint64_t seed_;
  FingerprintTable<F> table_;
  std::array<F, kSeenBatch> hashes_;
};

}  // namespace

std::unique_ptr<SeenSet> make_memory_set(unsigned bits, std::uint64_t seed,
                                         std::uint64_t expected) {
  if (bits == 64) return std::make_unique<MemorySet<Fingerprint64>>(seed, expected);
  return std::make_unique<MemorySet<Fingerprint128>>(seed, expected);
}

}  // namespace spinneret
