// SPDX-License-Identifier: Apache-2.0
#include "frontier/gate.h"

#include "base/excerpt.h"
#include "base/number.h"

namespace spinneret::frontier {
namespace {

// How often rules are fetched for a gate that asks for them again although they were just fetched.
constexpr std::uint8_t kMaxRulesTries = 3;
// Shorter holds, and more than so many, are not worth a message.
constexpr std::int64_t kToldHoldMs = 10'000;
constexpr std::uint32_t kMaxHoldsTold = 20;
constexpr std::size_t kMaxReason = 64;

bool is_on_its_way(Rules rules) { return rules == Rules::kWanted || rules == Rules::kFlying; }

}  // namespace

void Gate::landed(HostSlot slot, bool silent, std::optional<std::string_view> refused) {
  Host& host = hosts_.host(slot);
  // A host that answers, even without a robots.txt, is not down: otherwise its rules would be
  // fetched at its own delay for ever.
  host.rules_down = silent;
  host.rules = Rules::kUntried;
  if (refused) {
    refused_[slot] = *refused;
  } else {
    refused_.erase(slot);
  }
}

void Gate::pass(HostSlot slot) {
  Host& host = hosts_.host(slot);
  host.holds = 0;
  if (host.rules == Rules::kUntried) {
    host.rules = Rules::kHad;
    urls_.erase(slot);
  }
  host.rules_tries = 0;
  HostRow& row = hosts_.play(slot).row;
  if (row.held_until_ms == 0) return;
  host.held_ms = 0;
  row.held_until_ms = 0;
  row.held_reason.clear();
  hosts_.touch(slot);
}

std::optional<Gate::Failed> Gate::need(HostSlot slot, std::string_view url) {
  Host& host = hosts_.host(slot);
  if (is_on_its_way(host.rules)) return std::nullopt;
  const bool usable = parse(url, url_) && url_.is_http();
  // A refused address is our own decision, which no gate has noted: the page would ask for ever.
  // What holds for the robots.txt holds for the page; the next page asks anew, because an address
  // may change.
  const auto refused = refused_.find(slot);
  const bool is_refused = usable && refused != refused_.end();
  if (!is_refused && usable && ++host.rules_tries <= kMaxRulesTries) {
    host.rules = Rules::kWanted;
    urls_[slot] = std::string(url_.href_without_fragment());
    return std::nullopt;
  }
  host.rules = Rules::kUntried;
  host.rules_tries = 0;
  if (!is_refused) {
    return Failed{Outcome::kAborted, usable ? "its robots.txt was fetched and is still needed"
                                            : "what it needs is not a URL"};
  }
  Failed failed{Outcome::kRefusedAddress, std::move(refused->second)};
  refused_.erase(refused);
  return failed;
}

Gate::Hold Gate::hold(HostSlot slot, std::string_view reason, std::int64_t mono_ms) {
  Host& host = hosts_.host(slot);
  // Several pages of the host may have been on their way.
  if (host.finished || is_on_its_way(host.rules) || host.held_ms > mono_ms) return Hold::kAlready;
  // A host that was down is asked for its rules, which shows whether it still is sooner than the
  // rules expire.
  const bool is_down = host.rules_down && urls_.contains(slot);
  host.rules = is_down ? Rules::kWanted : Rules::kUntried;
  host.rules_tries = 0;
  if (is_down) return Hold::kDown;
  const bool is_closed = reason == kVisitTime;
  return !is_closed && ++host.holds >= tries_ ? Hold::kNoRules : Hold::kHeld;
}

void Gate::keep_back(HostSlot slot, const Moment& now, std::int64_t ms, std::string_view reason) {
  hosts_.host(slot).held_ms = now.mono_ms + ms;
  HostRow& row = hosts_.play(slot).row;
  row.held_until_ms = now.wall_ms + ms;
  row.held_reason.clear();
  append_excerpt(row.held_reason, reason, kMaxReason);
  hosts_.touch(slot);
}

void Gate::note_reason(HostSlot slot, std::string_view reason) {
  hosts_.play(slot).row.held_reason = reason;
}

std::string Gate::why_held(const HostRow& row, std::string_view reason) {
  return reason == kVisitTime ? " does not want to be visited at this hour"
                              : " has no robots.txt available (" + row.held_reason + ")";
}

std::optional<std::string> Gate::tell(const Host& host, const std::string& why, std::int64_t ms) {
  if (ms < kToldHoldMs || ++told_ > kMaxHoldsTold) return std::nullopt;
  return std::string(host.origin) + why + ": held for " + seconds_text(ms) + " s" +
         (told_ == kMaxHoldsTold ? "; no more of these are told" : "");
}

}  // namespace spinneret::frontier
