// SPDX-License-Identifier: Apache-2.0
// Cache lines of keys with the time of their last use. A key may be in either of two lines. A new
// key replaces the one in both lines that was used longest ago.
//
//   line   [ key | key | ... | ages: a byte a key ]     7 keys of 64 bits, 3 of 128
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "dedupe/fingerprint_set.h"
#include "dedupe/region_pool.h"

namespace spinneret::dedupe {
namespace {

template <typename F>
class RecentSet : public FingerprintSet<F> {
 public:
  explicit RecentSet(std::uint64_t memory)
      : count_(std::max<std::uint64_t>(memory / sizeof(Line), 1)),
        lines_(static_cast<Line*>(pool_.take_large(count_ * sizeof(Line)))),
        tick_keys_(std::max<std::uint64_t>(count_ * kWays / kTicks, 1)) {}

  Status insert_batch(std::span<const F> keys, bool* fresh) override {
    prefetch(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) fresh[i] = insert(keys[i]);
    return {};
  }

  Status find_batch(std::span<const F> keys, bool* fresh) override {
    prefetch(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      fresh[i] =
          place(first(keys[i]), keys[i]) == kWays && place(second(keys[i]), keys[i]) == kWays;
    }
    return {};
  }

  std::uint64_t size() const override { return size_; }
  std::uint64_t bytes() const override { return count_ * sizeof(Line); }

 private:
  static constexpr std::size_t kWays = 63 / sizeof(F);
  // The clock ticks so many times while new keys fill the set once. A key that was not used for 256
  // ticks, and is still there, looks new again. There is hardly such a key: 256 ticks are four
  // times the capacity, at seven keys a line.
  static constexpr std::uint64_t kTicks = 64;

  struct Line {
    std::array<F, kWays> keys;
    std::array<std::uint8_t, 64 - kWays * sizeof(F)> used;
  };
  static_assert(sizeof(Line) == 64);

  Line& at(std::uint64_t hash) const {
    return lines_[static_cast<std::size_t>(static_cast<unsigned __int128>(hash) * count_ >> 64)];
  }
  Line& first(const F& key) const { return at(key.high); }
  Line& second(const F& key) const {
    return at((key.high ^ key.high >> 29) * 0x9E3779B97F4A7C15 + 0xD6E8FEB86659FD93);
  }
  void prefetch(std::span<const F> keys) const {
    for (const F& key : keys) {
      __builtin_prefetch(&first(key));
      __builtin_prefetch(&second(key));
    }
  }
  static std::size_t place(const Line& line, const F& key) {
    return static_cast<std::size_t>(std::find(line.keys.begin(), line.keys.end(), key) -
                                    line.keys.begin());
  }

  bool insert(const F& key) {
    Line* const lines[] = {&first(key), &second(key)};
    for (Line* const line : lines) {
      if (const std::size_t found = place(*line, key); found != kWays) {
        line->used[found] = now_;
        return false;
      }
    }
    Line* into = lines[0];
    std::size_t way = 0;
    unsigned oldest = 0;
    std::size_t most_free = 0;
    for (Line* const line : lines) {
      // Free places are together at the end of a line. This chooses the line that has more of them.
      const auto free = static_cast<std::size_t>(std::count_if(
          line->keys.begin(), line->keys.end(), [](const F& k) { return k.high == 0; }));
      if (free > most_free) {
        most_free = free;
        into = line;
        way = kWays - free;
      }
      for (std::size_t i = 0; most_free == 0 && i < kWays; ++i) {
        const unsigned age = static_cast<std::uint8_t>(now_ - line->used[i]) + 1U;
        if (age <= oldest) continue;
        oldest = age;
        into = line;
        way = i;
      }
    }
    into->keys[way] = key;
    into->used[way] = now_;
    size_ += most_free != 0;
    if (++inserted_ % tick_keys_ == 0) ++now_;
    return true;
  }

  RegionPool pool_{4096};
  std::uint64_t count_;
  Line* lines_;
  std::uint64_t tick_keys_;  // so many new keys make a tick
  std::uint64_t inserted_ = 0;
  std::uint64_t size_ = 0;
  std::uint8_t now_ = 0;
};

}  // namespace

template <typename F>
std::unique_ptr<FingerprintSet<F>> make_recent_set(std::uint64_t memory) {
  return std::make_unique<RecentSet<F>>(memory);
}

template std::unique_ptr<FingerprintSet<Fingerprint64>> make_recent_set(std::uint64_t);
template std::unique_ptr<FingerprintSet<Fingerprint128>> make_recent_set(std::uint64_t);

}  // namespace spinneret::dedupe
