// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dedupe/fingerprint_set.h"
#include "dedupe/fingerprint_table.h"

namespace spinneret::dedupe {
namespace {

template <typename F>
class TableSet : public FingerprintSet<F> {
 public:
  explicit TableSet(std::uint64_t expected) : table_(expected) {}

  Status insert_batch(std::span<const F> keys, bool* fresh) override {
    table_.insert_batch(keys, fresh);
    return {};
  }
  Status find_batch(std::span<const F> keys, bool* fresh) override {
    table_.find_batch(keys, fresh);
    for (std::size_t i = 0; i < keys.size(); ++i) fresh[i] = !fresh[i];
    return {};
  }
  std::uint64_t size() const override { return table_.size(); }
  std::uint64_t bytes() const override { return table_.bytes(); }

 private:
  FingerprintTable<F> table_;
};

template <typename F>
class AgingSet : public FingerprintSet<F> {
 public:
  AgingSet(std::uint64_t max_age, std::uint64_t expected) : max_age_(max_age), table_(expected) {}

  Status insert_batch(std::span<const F> keys, bool* fresh) override {
    each(keys, [&](std::size_t i, const ValuedFingerprint& key) {
      ValuedFingerprint& held = table_.find_or_insert(key, fresh[i]);
      fresh[i] |= is_old(held);
      if (fresh[i]) held.value = now_;
    });
    return {};
  }

  Status find_batch(std::span<const F> keys, bool* fresh) override {
    each(keys, [&](std::size_t i, const ValuedFingerprint& key) {
      const ValuedFingerprint* const held = table_.find(key);
      fresh[i] = held == nullptr || is_old(*held);
    });
    return {};
  }

  void set_time(std::uint64_t now) override { now_ = now; }
  // The last time counts. Under the max_age of another run, a key may have been fresh again before
  // it was old under this one.
  Status recall_batch(std::span<const F> keys, bool* fresh) override {
    each(keys, [&](std::size_t i, const ValuedFingerprint& key) {
      ValuedFingerprint& held = table_.find_or_insert(key, fresh[i]);
      held.value = std::max(held.value, now_);
    });
    return {};
  }

  std::uint64_t size() const override { return table_.size(); }
  std::uint64_t bytes() const override { return table_.bytes(); }

 private:
  template <typename Visit>
  void each(std::span<const F> keys, const Visit& visit) {
    constexpr std::size_t kAhead = 12;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i + kAhead < keys.size()) table_.prefetch(with_value(keys[i + kAhead]));
      visit(i, with_value(keys[i]));
    }
  }
  static ValuedFingerprint with_value(const F& key) {
    if constexpr (requires { key.low; }) return {key.high, key.low, 0};
    return {key.high, 0, 0};
  }
  // A clock that was set back makes nothing old.
  bool is_old(const ValuedFingerprint& held) const {
    return now_ > held.value && now_ - held.value > max_age_;
  }

  std::uint64_t max_age_;
  std::uint64_t now_ = 0;
  FingerprintTable<ValuedFingerprint> table_;  // value: when the key was last fresh
};

}  // namespace

template <typename F>
std::unique_ptr<FingerprintSet<F>> make_table_set(std::uint64_t expected) {
  return std::make_unique<TableSet<F>>(expected);
}

template std::unique_ptr<FingerprintSet<Fingerprint64>> make_table_set(std::uint64_t);
template std::unique_ptr<FingerprintSet<Fingerprint128>> make_table_set(std::uint64_t);

template <typename F>
std::unique_ptr<FingerprintSet<F>> make_aging_set(std::uint64_t max_age, std::uint64_t expected) {
  return std::make_unique<AgingSet<F>>(max_age, expected);
}

template std::unique_ptr<FingerprintSet<Fingerprint64>> make_aging_set(std::uint64_t,
                                                                       std::uint64_t);
template std::unique_ptr<FingerprintSet<Fingerprint128>> make_aging_set(std::uint64_t,
                                                                        std::uint64_t);

}  // namespace spinneret::dedupe
