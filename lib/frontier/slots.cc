// SPDX-License-Identifier: Apache-2.0
#include "frontier/slots.h"

#include <algorithm>
#include <utility>

namespace spinneret::frontier {
namespace {

constexpr std::uint64_t kSilentForEach = 8;
constexpr std::uint64_t kLeastSilent = 1024;
// Those that are back already stand behind one that is not until they outnumber the others so much.
constexpr std::size_t kMostGone = 1024;

}  // namespace

Slots::Slots(std::uint32_t in_flight)
    : most_silent_(std::max(kSilentForEach * in_flight, kLeastSilent)),
      pools_{Pool{std::max(in_flight, 1U), {}, {}},
             Pool{kUnheardForEach * std::max(in_flight, 1U), {}, {}}} {}

void Slots::drop_gone(Pool& pool) {
  const auto is_gone = [&pool](const Flight& each) { return !pool.holding.contains(each.number); };
  while (!pool.by_age.empty() && is_gone(pool.by_age.front())) pool.by_age.pop_front();
  if (pool.by_age.size() > 2 * pool.holding.size() + kMostGone) std::erase_if(pool.by_age, is_gone);
}

std::uint64_t Slots::begin(Kind kind, std::int64_t now_ms) {
  Pool& pool = pools_[static_cast<std::size_t>(kind)];
  pool.holding.insert(++last_);
  pool.by_age.push_back({now_ms, last_});
  return last_;
}

std::uint64_t Slots::begin_silent() {
  ++silent_;
  return ++last_;
}

void Slots::learn(std::int64_t answer_ms) {
  const std::int64_t wanted = 8 * std::min(answer_ms, kSilentMs);
  const std::int64_t from = std::exchange(learned_, true) ? patience_ms_ : wanted;
  patience_ms_ = std::clamp(from + (wanted - from) / 4, kLeastSilentMs, kSilentMs);
}

void Slots::end(std::uint64_t number) {
  for (Pool& pool : pools_) {
    if (pool.holding.erase(number) != 0) return drop_gone(pool);
  }
  --silent_;
}

void Slots::age(std::int64_t now_ms) {
  for (Pool& pool : pools_) {
    while (!pool.by_age.empty() && pool.by_age.front().sent_ms + patience_ms_ <= now_ms &&
           silent_ < most_silent_) {
      pool.holding.erase(pool.by_age.front().number);
      ++silent_;
      drop_gone(pool);
    }
  }
}

std::int64_t Slots::free_ms(Kind kind) const {
  const Pool& own = pool(kind);
  if (own.by_age.empty() || silent_ >= most_silent_) return INT64_MAX;
  return own.by_age.front().sent_ms + patience_ms_;
}

}  // namespace spinneret::frontier
