// SPDX-License-Identifier: Apache-2.0
#include "http/ask_again.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "http/request_head.h"
#include "http/request_signer.h"

namespace spinneret::http {
namespace {

// Decides whether a page is asked for once more by GET. Answers to HEAD that say that a page is not
// there, or that the server is broken, often hold for HEAD alone. The answers of a wall or a limit
// do not depend on HEAD. Some servers do not answer HEAD at all.
bool ask_by_get(Transfer& transfer) {
  if (!transfer.by_head) return false;
  const FetchResult& result = transfer.result;
  switch (result.outcome) {
    case Outcome::kForbidden: transfer.by_head = result.status != 403; break;
    case Outcome::kNotFound:
    case Outcome::kGone:
    case Outcome::kClientError:
    case Outcome::kServerError:
    case Outcome::kBadResponse: transfer.by_head = false; break;
    // The server hung up, or did not answer.
    case Outcome::kTimeout:
    case Outcome::kConnectFailed: transfer.by_head = result.ip.empty(); break;
    default: break;
  }
  return !transfer.by_head;
}

bool ask_signed(Transfer& transfer, const EngineOptions& options) {
  const FetchResult& result = transfer.result;
  if (!options.signer || transfer.is_signed || !result.whole ||
      !asks_for_signature(result.status, result.head)) {
    return false;
  }
  transfer.host->wants_signature = true;
  return true;
}

// Records what became of an offer. An offer stays offered, and so spent, where no whole answer
// came.
void settle_offer(Transfer& transfer, Ledger& ledger) {
  const std::optional<Price> offer = std::exchange(transfer.offer, std::nullopt);
  FetchResult& result = transfer.result;
  if (!offer || !result.whole) return;
  const bool paid = result.outcome == Outcome::kOk;
  const auto said = parse_price(result.head.get("crawler-charged").value_or(""));
  const Status settled = ledger.settle(
      *offer, paid ? std::optional(said.value_or(*offer)) : std::nullopt, wire_url(transfer.url));
  if (settled.ok()) return;
  result.outcome = Outcome::kAborted;
  result.whole = false;
  result.error = settled.message();
}

bool pay(Transfer& transfer, Ledger& ledger) {
  FetchResult& result = transfer.result;
  if (std::exchange(transfer.has_offered, true) || !result.whole) return false;
  const auto price = parse_price(result.head.get("crawler-price").value_or(""));
  if (!price || !ledger.allows(*price)) return false;
  if (const Status offered = ledger.offer(*price, wire_url(transfer.url)); !offered.ok()) {
    result.outcome = Outcome::kAborted;
    result.whole = false;
    result.error = offered.message();
    return false;
  }
  transfer.offer = price;
  return true;
}

// Some sites show a page only to those who bring back the cookie that came with a redirect to the
// same page, or with redirects that come back to it. A crawl knows that page by then, and would not
// ask for it again; so it is asked for here, once, with the cookie. The result tells of a circle
// without a cookie, or whose cookie is not kept. A page of another host is not asked for, since
// that host may have to be left alone now.
Again ask_with_cookie(Transfer& transfer, const EngineOptions& options, const Url& target,
                      RedirectTrail& trail) {
  FetchResult& result = transfer.result;
  if (!is_redirect(result.outcome) || !result.error.empty() || !target.is_http()) return Again::kNo;
  const bool sets_cookie = result.head.get("set-cookie").has_value();
  const bool itself = leads_to_itself(transfer.url, target);
  const Circle circle = itself ? Circle::kBare : trail.add(transfer.url, target, sets_cookie);
  if (circle == Circle::kNone || (circle == Circle::kKnown && !transfer.has_returned))
    return Again::kNo;
  const std::string where = itself ? "redirect to itself" : "redirect back to where it began";
  const bool with_cookie = itself ? sets_cookie : circle == Circle::kWithCookie;
  if (transfer.has_returned || !with_cookie || !options.wire.keeps_cookies() ||
      target.origin() != transfer.url.origin()) {
    const bool unkept = with_cookie && !options.wire.keeps_cookies();
    result.error = where + (unkept ? ", with a cookie that --cookies would keep" : "");
    return Again::kNo;
  }
  transfer.has_returned = result.whole;
  if (!result.whole) return Again::kNo;
  return itself ? Again::kCookie : Again::kHop;
}

}  // namespace

Again ask_again(Transfer& transfer, const EngineOptions& options, bool stopping,
                RedirectTrail& trail, Url& target) {
  FetchResult& result = transfer.result;
  if (transfer.dropped && !stopping) return Again::kSame;
  if (options.ledger) settle_offer(transfer, *options.ledger);
  if (next_hop(transfer.url, stopping ? 0 : transfer.request.follow, result, target)) {
    return Again::kHop;
  }
  if (stopping) return Again::kNo;
  if (const Again next = ask_with_cookie(transfer, options, target, trail); next != Again::kNo)
    return next;
  if (ask_signed(transfer, options)) return Again::kSigned;
  if (ask_by_get(transfer)) return Again::kByGet;
  if (options.ledger && result.outcome == Outcome::kPaymentRequired &&
      pay(transfer, *options.ledger)) {
    return Again::kPaid;
  }
  if (result.continued >= options.continue_cut || !transfer.body_may_go_on()) return Again::kNo;
  ++result.continued;
  return Again::kRest;
}

std::int64_t gap_before(Again next, const Transfer& transfer, const EngineOptions& options) {
  const std::int64_t wait = std::max(options.wait_ms, transfer.request.delay_ms);
  return next == Again::kHop ? wait : std::max(wait, options.again_ms);
}

void set_headers(Transfer& transfer, const EngineOptions& options, std::int64_t unix_seconds) {
  std::vector<std::string>& lines = transfer.headers;
  lines.clear();
  // Validators hold for the URL with which they came, and for no hop.
  transfer.result.conditional =
      transfer.result.hops.empty() && add_validators(transfer.request, lines);
  add_confidences(transfer.request, transfer.url, options.auth, lines);
  if (transfer.offer) lines.push_back("crawler-exact-price: " + to_string(*transfer.offer));
  transfer.ask_for_rest(lines);
  transfer.is_signed = options.signer && (options.sign_all || transfer.host->wants_signature);
  if (transfer.is_signed) options.signer->sign(transfer.url, unix_seconds, fresh_nonce(), lines);
}

}  // namespace spinneret::http
