// SPDX-License-Identifier: Apache-2.0
// Compares keys by their bytes: a fingerprint finds a candidate, and its bytes decide. Two
// different keys are never taken for the same, whatever the hash does. Memory: the keys, and some
// 34 bytes for each.
#ifndef SPINNERET_DEDUPE_EXACT_SET_H_
#define SPINNERET_DEDUPE_EXACT_SET_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "dedupe/fingerprint_table.h"
#include "dedupe/seen_set.h"
#include "dedupe/text_arena.h"

namespace spinneret::dedupe {

class ExactSet : public SeenSet {
 public:
  ExactSet(std::uint64_t seed, KeyHash hash) : seed_(seed), hash_(hash) {}
  Status insert_batch(std::span<const std::string_view> keys, bool* fresh) override;
  Status find_batch(std::span<const std::string_view> keys, bool* fresh) override;
  std::uint64_t size() const override { return table_.size() + collided_.size(); }
  std::uint64_t bytes() const override { return table_.bytes() + arena_.bytes(); }

 private:
  std::uint64_t seed_;
  KeyHash hash_;
  FingerprintTable<ValuedFingerprint> table_;  // value: the key's number in arena_
  TextArena arena_;
  // Keys whose fingerprint an earlier key has already; with 128 bits none is to be expected.
  std::unordered_set<std::string> collided_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_EXACT_SET_H_
