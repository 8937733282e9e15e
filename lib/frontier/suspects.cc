// SPDX-License-Identifier: Apache-2.0
#include "frontier/suspects.h"

namespace spinneret::frontier {
namespace {

// One death can have any cause; a URL in flight at two in a row hardly was there by chance.
constexpr int kDeathsToSuspect = 2;
// So many deaths of the pipeline while a URL was in flight, the last time alone, convict it.
constexpr int kDeathsToConvict = 4;

}  // namespace

int Suspects::deaths(std::string_view key) const {
  const auto at = deaths_.find(key);
  return at == deaths_.end() ? 0 : at->second;
}

bool Suspects::is_suspect(std::string_view key) const {
  return !deaths_.empty() && deaths(key) >= kDeathsToSuspect;
}

void Suspects::clear(std::string_view key) {
  if (deaths_.empty()) return;
  if (const auto at = deaths_.find(key); at != deaths_.end()) deaths_.erase(at);
}

bool Suspects::must_go_alone(const Flight& next, bool any_in_flight) {
  if (!any_in_flight || !is_suspect(next.key)) return false;
  next_ = {next.host, next.frontier};
  return true;
}

std::optional<Suspects::Slot> Suspects::take_next(std::uint32_t frontier) {
  if (!next_ || next_->frontier != frontier) return std::nullopt;
  return std::exchange(next_, std::nullopt)->host;
}

Suspects::Blame Suspects::blame(const std::vector<Flight>& in_flight, Death death) {
  if (death == Death::kEnded) return Blame::kOthersFirst;
  const bool alone = alive_ && in_flight.size() == 1 && is_suspect(in_flight.front().key);
  if (alone && (death == Death::kFresh || deaths(in_flight.front().key) >= kDeathsToConvict))
    return Blame::kGuilty;
  for (const Flight& each : in_flight) ++deaths_[std::string(each.key)];
  next_.reset();
  // The next pipeline gets it first, if its host may be asked by then.
  if (alone) next_ = {in_flight.front().host, in_flight.front().frontier};
  return alive_ ? Blame::kAgain : Blame::kOthersFirst;
}

}  // namespace spinneret::frontier
