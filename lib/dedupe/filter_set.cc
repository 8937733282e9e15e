// SPDX-License-Identifier: Apache-2.0
#include "dedupe/filter_set.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace spinneret::dedupe {
namespace {

constexpr std::size_t kPiece = 256;

// Hashes pieces of the keys, prefetches their blocks, and calls visit(index, hash) for each.
template <typename Visit>
void in_pieces(std::span<const std::string_view> keys, const BlockedFilter& filter, KeyHash hash,
               std::uint64_t seed, const Visit& visit) {
  std::array<Hash128, kPiece> hashes;
  for (std::size_t first = 0; first < keys.size(); first += kPiece) {
    const std::size_t count = std::min(kPiece, keys.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = hash(keys[first + i], seed);
      filter.prefetch(hashes[i].high);
    }
    for (std::size_t i = 0; i < count; ++i) visit(first + i, hashes[i]);
  }
}

}  // namespace

FilterSet::FilterSet(std::uint64_t memory, double rate, std::uint64_t seed, KeyHash hash)
    : plan_(plan_filter(memory, rate)),
      filter_(memory, plan_.probes),
      rate_(rate),
      seed_(seed),
      hash_(hash) {}

Status FilterSet::insert_batch(std::span<const std::string_view> keys, bool* fresh) {
  in_pieces(keys, filter_, hash_, seed_, [&](std::size_t i, const Hash128& hash) {
    fresh[i] = filter_.insert(hash.high, hash.low);
    size_ += fresh[i];
  });
  return {};
}

Status FilterSet::find_batch(std::span<const std::string_view> keys, bool* fresh) {
  in_pieces(keys, filter_, hash_, seed_, [&](std::size_t i, const Hash128& hash) {
    fresh[i] = !filter_.may_contain(hash.high, hash.low);
  });
  return {};
}

std::string FilterSet::report() const {
  const double now = filter_.false_rate();
  char text[256];
  std::snprintf(
      text, sizeof text,
      "approximate: %llu keys in %llu bytes; a fresh line is now taken for seen at a rate "
      "of %.3g",
      static_cast<unsigned long long>(size_), static_cast<unsigned long long>(filter_.bytes()),
      now);
  std::string out = text;
  if (now > rate_) {
    std::snprintf(text, sizeof text, ", more than the %.3g asked for: --memory holds %llu keys",
                  rate_, static_cast<unsigned long long>(plan_.capacity));
    out += text;
  }
  return out;
}

}  // namespace spinneret::dedupe
