// SPDX-License-Identifier: Apache-2.0
#include "dedupe/exact_set.h"

namespace spinneret::dedupe {

Status ExactSet::insert_batch(std::span<const std::string_view> keys, bool* fresh) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto wanted = fingerprint_of<ValuedFingerprint>(hash_(keys[i], seed_));
    ValuedFingerprint& held = table_.find_or_insert(wanted, fresh[i]);
    if (fresh[i]) {
      held.value = arena_.add(keys[i]);
    } else if (arena_.get(held.value) != keys[i]) {
      fresh[i] = collided_.emplace(keys[i]).second;
    }
  }
  return {};
}

Status ExactSet::find_batch(std::span<const std::string_view> keys, bool* fresh) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const ValuedFingerprint* const held =
        table_.find(fingerprint_of<ValuedFingerprint>(hash_(keys[i], seed_)));
    fresh[i] = held == nullptr ||
               (arena_.get(held->value) != keys[i] && !collided_.contains(std::string(keys[i])));
  }
  return {};
}

}  // namespace spinneret::dedupe
