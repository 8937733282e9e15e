// SPDX-License-Identifier: Apache-2.0
#include "frontier/slots.h"

#include <algorithm>
#include <utility>

namespace spinneret::frontier {
namespace {

constexpr std::uint64_t kSilentForEach = 8;
constexpr std::uint64_t kLeastSilent = 1024;
// Flights that are back stay behind one that is not, until they outnumber the others by so much.
constexpr std::size_t kMostGone = 1024;
// What comes out later than this may have been held up elsewhere.
constexpr std::int64_t kMostLateMs = 2'000;
// At least this part of the most may be unheard.
constexpr std::uint64_t kLeastUnheardPart = 16;

}  // namespace

Slots::Slots(std::uint32_t in_flight)
    : most_silent_(std::max(kSilentForEach * in_flight, kLeastSilent)),
      most_unheard_(kUnheardForEach * std::max(in_flight, 1U)),
      pools_{Pool{std::max(in_flight, 1U), {}, {}}, Pool{most_unheard_, {}, {}}} {}

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

// Learns by rounds: what a change does shows only in flights that were sent after it.
void Slots::note_return(std::int64_t sent_ms, std::int64_t answered_ms, bool is_known,
                        std::int64_t now_ms) {
  answered_ms = std::min(answered_ms, now_ms);
  answered_ms_ = std::max(answered_ms_, answered_ms);
  output_ms_ = now_ms;
  late_ms_ = std::min(now_ms - answered_ms_, kMostLateMs);
  if (!is_known || sent_ms < round_ms_) return;
  least_lag_ms_ = std::min(least_lag_ms_, now_ms - answered_ms);
  if (now_ms - round_ms_ < kLagMs) return;
  const auto lag = static_cast<std::uint64_t>(std::max(least_lag_ms_, kLagMs / 2));
  std::uint64_t& most = pools_[static_cast<std::size_t>(Kind::kUnheard)].most;
  most = std::clamp(most * kLagMs / lag,
                    std::max<std::uint64_t>(most_unheard_ / kLeastUnheardPart, 1), most_unheard_);
  round_ms_ = now_ms;
  least_lag_ms_ = INT64_MAX;
}

void Slots::end(std::uint64_t number) {
  for (Pool& pool : pools_) {
    if (pool.holding.erase(number) != 0) return drop_gone(pool);
  }
  --silent_;
}

void Slots::age(std::int64_t now_ms) {
  const std::int64_t by_ms = quiet_ms() <= now_ms ? now_ms : answered_ms_;
  for (Pool& pool : pools_) {
    while (!pool.by_age.empty() && pool.by_age.front().sent_ms + patience_ms_ <= by_ms &&
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
  return std::max(own.by_age.front().sent_ms + patience_ms_, quiet_ms());
}

}  // namespace spinneret::frontier
