// SPDX-License-Identifier: Apache-2.0
// Fingerprints: the sets of this module store these instead of the keys themselves.
//
// `high` is never 0 (fingerprint_of() makes sure of that), so that a zeroed slot of a table counts
// as empty. Fingerprints are ordered by (high, low); tables give their content back in this order.
#ifndef SPINNERET_DEDUPE_FINGERPRINT_H_
#define SPINNERET_DEDUPE_FINGERPRINT_H_

#include <cstdint>

#include "base/hash.h"

namespace spinneret::dedupe {

// 128 bits. The probability that two of n keys share one is n^2 / 2^129: 1.5e-21 for 10^9 keys.
struct Fingerprint128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Fingerprint128&, const Fingerprint128&) = default;
};

// 64 bits. The expected number of pairs among n keys that share one is n^2 / 2^65: 0.027 for 10^9
// keys.
struct Fingerprint64 {
  std::uint64_t high = 0;
  friend bool operator==(const Fingerprint64&, const Fingerprint64&) = default;
};

// 128 bits, and a number that belongs to the key: a count, or the place of the key's name.
struct ValuedFingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t value = 0;
};

constexpr bool low_less(const Fingerprint128& a, const Fingerprint128& b) { return a.low < b.low; }
constexpr bool low_less(const Fingerprint64&, const Fingerprint64&) { return false; }
constexpr bool low_less(const ValuedFingerprint& a, const ValuedFingerprint& b) {
  return a.low < b.low;
}
template <typename F>
constexpr bool same_key(const F& a, const F& b) {
  return a.high == b.high && !low_less(a, b) && !low_less(b, a);
}
// The order of keys in tables and runs.
template <typename F>
constexpr bool key_less(const F& a, const F& b) {
  return a.high < b.high || (a.high == b.high && low_less(a, b));
}

template <typename F>
constexpr F fingerprint_of(const Hash128& hash) {
  F out;
  out.high = hash.high != 0 ? hash.high : 1;
  if constexpr (requires { out.low; }) out.low = hash.low;
  return out;
}

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_FINGERPRINT_H_
