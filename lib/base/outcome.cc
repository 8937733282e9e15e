// SPDX-License-Identifier: Apache-2.0
#include "base/outcome.h"

namespace spinneret {
namespace {

using enum Outcome;
using enum OutcomeClass;

// In the order of the enumeration, so that an Outcome is its own index.
constexpr OutcomeInfo kOutcomes[] = {
    {kOk, "ok", kDone, "fetched: 2xx with a whole body"},
    {kNotModified, "not-modified", kDone, "304 to a conditional request"},
    {kRedirect, "redirect", kDone, "302, 303, 307: the target is in location"},
    {kMoved, "moved", kDone, "301, 308: the target is in location"},
    {kNotFound, "not-found", kDone, "404"},
    {kGone, "gone", kDone, "410"},
    {kForbidden, "forbidden", kDone, "401, 403, 451"},
    {kClientError, "client-error", kDone, "any other 4xx"},
    {kRateLimited, "rate-limited", kRetry,
     "429, 503 with Retry-After, or HTTP/2's ENHANCE_YOUR_CALM"},
    {kServerError, "server-error", kRetry, "5xx"},
    {kDnsFailed, "dns-failed", kPersistent, "the host name has no address"},
    {kConnectFailed, "connect-failed", kPersistent, "no connection, at the second try too"},
    {kTlsFailed, "tls-failed", kPersistent, "handshake or certificate refused"},
    {kTimeout, "timeout", kPersistent, "a time limit ran out"},
    {kAborted, "aborted", kRetry, "stopped before it was done"},
    {kBadResponse, "bad-response", kPersistent, "not HTTP, or a message that contradicts itself"},
    {kTooLarge, "too-large", kDone, "over a size limit"},
    {kRefusedAddress, "refused-address", kBlocked, "the address policy forbids the address"},
    {kUnsupportedType, "unsupported-type", kDone, "a type that was not asked for"},
    {kBlockedByRobots, "blocked-by-robots", kBlocked, "robots.txt disallows it"},
    {kBlockedByPolicy, "blocked-by-policy", kBlocked, "the crawl policy rejects it"},
    {kNeeds, "needs", kRetry, "something must be fetched first: see the needs field"},
    {kDuplicate, "duplicate", kDone, "fetched: content already seen"},
    {kNoindex, "noindex", kDone, "fetched: the page asks not to be indexed"},
    {kNonCanonical, "non-canonical", kDone, "fetched: the page names another as canonical"},
    {kChallenged, "challenged", kDone, "a wall that only a browser passes stood before the page"},
    {kPaymentRequired, "payment-required", kDone, "402: what it costs is in price"},
    {kItem, "item", kDone, "no answer: an item that extract-items found on the page"},
};

}  // namespace

std::span<const OutcomeInfo> all_outcomes() { return kOutcomes; }

std::string_view to_string(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)].name;
}

OutcomeClass class_of(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)].outcome_class;
}

std::optional<Outcome> parse_outcome(std::string_view name) {
  for (const OutcomeInfo& info : kOutcomes) {
    if (info.name == name) return info.outcome;
  }
  return std::nullopt;
}

}  // namespace spinneret
