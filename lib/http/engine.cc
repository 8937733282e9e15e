// SPDX-License-Identifier: Apache-2.0
#include "http/engine.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/robots_limit.h"
#include "http/ask_again.h"
#include "http/fetch_engine.h"
#include "http/request_head.h"
#include "url/parse.h"
#include "url/public_suffix.h"

namespace spinneret::http {
namespace {

constexpr std::size_t kMaxAddresses = 8;
// libcurl holds a request's head in at most 1 MiB, and reports only "out of memory" for a larger
// one.
constexpr std::size_t kMaxUrl = 1'000'000;

std::size_t cost_of(const FetchRequest& request) {
  return request.url.size() + request.cargo.size() + request.etag.size();
}

// Returns how much a server may send for a body of the largest size: twice the size, for chunks and
// TLS records, and an allowance for small bodies.
std::uint64_t most_received(const ReceptionRules& rules) {
  constexpr std::uint64_t kRoom = std::uint64_t{1} << 20;
  if (rules.max_size > UINT64_MAX / 4) return 0;
  return 2 * rules.max_size + rules.max_header + kRoom;
}

// Chooses a multi. A host's connections are in one multi, where each can be used for the host's
// next page; they are spread only beyond 64, far above a browser's number. The first multi below
// that is the one where a connection has just become free: when the number of all active ones
// decided, four of five pages, of 2,000 at a time, opened a new connection.
unsigned multi_of(const FetchHost& host) {
  constexpr std::uint32_t kInOne = 64;
  const auto multis = static_cast<unsigned>(host.in_multi.size());
  const auto first = static_cast<unsigned>(hash64(host.origin) % multis);
  unsigned least = first;
  for (unsigned k = 0; k < multis; ++k) {
    const unsigned multi = (first + k) % multis;
    if (host.in_multi[multi] < kInOne) return multi;
    if (host.in_multi[multi] < host.in_multi[least]) least = multi;
  }
  return least;
}

}  // namespace

Result<EngineParts> EngineParts::open(EngineOptions& options, const Clock& clock) {
  EngineParts parts;
  Result<std::unique_ptr<Poller>> poller = Poller::create();
  if (!poller.ok()) return poller.error();
  parts.poller = poller.take();
  options.wire.multis = std::clamp(options.wire.multis, 1U, 32U);
  options.wire.headers.emplace_back("Accept-Encoding: gzip, br, zstd");
  // The proxy resolves hosts itself. Only the family of the proxy's own address can still be
  // chosen.
  if (!options.wire.proxy.empty()) options.policy.allow_all();
  Result<std::unique_ptr<Wire>> wire = Wire::create(*parts.poller, options.policy, options.wire);
  if (!wire.ok()) return wire.error();
  parts.wire = wire.take();
  options.resolver.max_ms = std::min(options.limits.connect_ms, options.limits.total_ms);
  options.resolver.wants_v4 = options.policy.takes_v4();
  options.resolver.wants_v6 = options.policy.takes_v6();
  Result<std::unique_ptr<Resolver>> resolver =
      make_dns_resolver(*parts.poller, clock, options.resolver);
  if (!resolver.ok()) return resolver.error();
  parts.resolver = resolver.take();
  return parts;
}

FetchHost& FetchEngine::host_of(const Url& url) {
  FetchHost& host = hosts_.of(url);
  if (!host.fresh) return host;
  host.fresh = false;
  host.bucket = TokenBucket(options_.host_rate);
  host.in_multi.resize(options_.wire.multis);
  if (const std::optional<IpAddress> ip = parse_ip(host.name)) {
    host.addresses = {*ip};
    host.expires_ns = INT64_MAX;
  } else if (!options_.wire.proxy.empty()) {
    host.expires_ns = INT64_MAX;  // the proxy looks names up
  }
  return host;
}

void FetchEngine::submit(FetchRequest request) {
  if (taken_ == 0) now_ns_ = clock_.monotonic_ns();  // the caller may have been away for long
  ++taken_;
  taken_bytes_ += cost_of(request);
  PendingFetch pending{std::move(request), {}, now_ns_, nullptr};
  Url& url = pending.url;
  UrlError why;
  if (!parse(pending.request.url, url, &why)) {
    return answer_pending(pending, Outcome::kBlockedByPolicy, "not a URL: " + why.message);
  }
  if (!url.is_http()) {
    return answer_pending(pending, Outcome::kBlockedByPolicy, "scheme is neither http nor https");
  }
  if (stopping_) return answer_pending(pending, Outcome::kAborted, "stopped");
  if (url.href().size() > kMaxUrl) {
    return answer_pending(pending, Outcome::kTooLarge,
                          "URL is longer than " + std::to_string(kMaxUrl) + " bytes");
  }
  FetchHost& host = host_of(url);
  if (!pending.request.lane.empty()) hosts_.put_into_lane(host, pending.request.lane);
  host.queue.push_back(std::move(pending));
  if (!host.resolving && host.expires_ns == 0) look_up(host);
  hosts_.update(host);
}

void FetchEngine::look_up(FetchHost& host) {
  host.resolving = true;
  host.lookup_ns = now_ns_;
  parts_.resolver->lookup(host.name, [this, origin = host.origin](const Resolution& resolution) {
    on_addresses(origin, resolution);
  });
}

// Keeps the addresses that the policy allows. The check when the socket is made is the one that
// counts.
void FetchEngine::on_addresses(const std::string& origin, const Resolution& resolution) {
  FetchHost& host = hosts_.get(origin);
  host.resolving = false;
  host.dns_us = (clock_.monotonic_ns() - host.lookup_ns) / 1000;
  std::string refused;
  std::vector<IpAddress> allowed = options_.policy.allowed_of(resolution.addresses, refused);
  if (allowed.size() > kMaxAddresses) allowed.resize(kMaxAddresses);
  host.expires_ns = allowed.empty() ? 0 : resolution.expires_ns;
  if (resolution.addresses.empty()) {
    const Outcome outcome = resolution.own_trouble ? Outcome::kAborted : Outcome::kDnsFailed;
    fail_waiting(host, INT64_MAX, outcome, resolution.error);
  } else if (allowed.empty()) {
    fail_waiting(host, INT64_MAX, Outcome::kRefusedAddress, refused);
  } else if (!std::is_permutation(allowed.begin(), allowed.end(), host.addresses.begin(),
                                  host.addresses.end())) {
    host.set_addresses(std::move(allowed));
  }
  hosts_.update(host);
}

void FetchEngine::start_next(FetchHost& host) {
  if (host.expires_ns <= now_ns_) look_up(host);
  // A name whose addresses are kept is answered within look_up().
  if (hosts_.ready(host) && host.expires_ns > now_ns_) start_pending(host);
  hosts_.update(host);
}

// Starts the request with this ticket, wherever it stands, and even without a slot: all others wait
// for it.
void FetchEngine::start_only(std::uint64_t ticket) {
  for (const Transfer* const transfer : transfers_.active()) {
    if (transfer->request.ticket == ticket) return;
  }
  FetchHost* at = nullptr;
  hosts_.for_each([&](FetchHost& host) {
    if (at == nullptr && host.prefer(ticket)) at = &host;
  });
  if (at != nullptr && hosts_.ready(*at)) start_next(*at);
}

void FetchEngine::start_ready() {
  hosts_.wake(now_ns_);
  if (held_for_) return stopping_ ? void() : start_only(*held_for_);
  while (!stopping_ && transfers_.held_slots() < options_.slots) {
    FetchHost* const host = hosts_.next(2 * transfers_.probes() >= options_.slots);
    if (host == nullptr) break;
    start_next(*host);
  }
  while (const std::unique_ptr<FetchHost> old = hosts_.evict()) {
    if (old->told != 0) parts_.wire->forget_host(old->name, old->port);
  }
}

// Returns a transfer for the request: a new one, unless an earlier hop has left one.
Transfer& FetchEngine::begin(PendingFetch& pending) {
  if (pending.transfer != nullptr) {
    pending.transfer->go_on(pending.since_ns, now_ns_);
    return *pending.transfer;
  }
  Transfer& transfer = transfers_.fresh();
  transfer.url = std::move(pending.url);
  transfer.begin(*this, std::move(pending.request), now_ns_);
  return transfer;
}

void FetchEngine::start_pending(FetchHost& host) {
  PendingFetch pending = host.take();
  Transfer& transfer = begin(pending);
  transfer.host = &host;
  transfer.result.dns_us += std::exchange(host.dns_us, 0);
  if (transfer.is_late_to_send()) {
    transfer.result.late = true;
    pending.transfer = &transfer;
    return answer_pending(pending, Outcome::kAborted, kLateError);
  }
  ++host.active;
  transfer.multi = multi_of(host);
  ++host.in_multi[transfer.multi];
  transfers_.activate(transfer, !host.answered);
  if (host.silent > 0 || host.slow || transfer.request.unheard) transfers_.make_patient(transfer);
  start_exchange(transfer);
}

void FetchEngine::start_exchange(Transfer& transfer) {
  FetchHost& host = *transfer.host;
  set_headers(transfer, options_, clock_.unix_ms() / 1000);
  hosts_.begin_request(host);
  ReceptionRules rules;
  rules.max_size = options_.limits.max_size;
  // A robots.txt has its own limit, however much of a page is taken: a truncated file would allow
  // what its missing rules forbid.
  if (transfer.request.robots) rules.max_size = kRobotsSizeLimit;
  if (transfer.request.sitemap) rules.max_size = std::max(rules.max_size, kSitemapSizeLimit);
  rules.max_header = options_.limits.max_header;
  if (!transfer.request.sitemap) {
    rules.types = &options_.types;
    rules.page_types = &transfer.request.types;
  }
  rules.head_only = options_.head_only || transfer.by_head;
  rules.want = transfer.request.want;
  rules.conditional = transfer.result.conditional;
  rules.cut_large = transfer.request.robots;
  rules.proxied = !options_.wire.proxy.empty();
  rules.keep_wire = options_.keep_wire;
  if (rules.want == Want::kBody) rules.digest_only = options_.digest_only;
  transfer.begin_exchange(rules, now_ns_);
  if (!host.addresses.empty()) transfer.first_address = host.addresses.front();
  transfer.result.fetched_unix_ms = clock_.unix_ms();
  WireCall call;
  call.url = wire_url(transfer.url);
  call.host = host.name;
  call.port = host.port;
  call.multi = transfer.multi;
  const std::uint32_t bit = std::uint32_t{1} << call.multi;
  const bool tell = (host.told & bit) == 0 && !host.addresses.empty();
  if (tell) call.addresses = &host.addresses;
  if (tell) host.told |= bit;
  call.headers = &transfer.headers;
  call.head_only = rules.head_only;
  call.fresh_connection = transfer.tries > 1 || transfer.stale;
  call.once = options_.retry_connect == 0;
  call.max_received = most_received(rules);
  ++stats_.started;
  open_lane(transfer);
  transfer.exchange = parts_.wire->start(call, transfer);
  plan_check(deadline_of(transfer));
}

// The request counts for its lane from now on, and again when it is sent, since making a connection
// takes time.
void FetchEngine::open_lane(Transfer& transfer) {
  leave_lane(transfer);
  transfer.opening = transfer.host->lane;
  ++transfer.opening->opening;
  if (transfer.result.hops.empty())
    transfer.opening->own_gap_ms = std::max(transfer.request.gap_ms, transfer.request.delay_ms);
  note_sent(transfer, now_ns_);
}

void FetchEngine::leave_lane(Transfer& transfer) {
  if (!transfer.opening) return;
  --transfer.opening->opening;
  note_sent(transfer, clock_.monotonic_ns());
  transfer.opening.reset();
}

void FetchEngine::note_sent(const Transfer& transfer, std::int64_t at_ns) {
  FetchLane& lane = *transfer.opening;
  const std::int64_t own_ms = transfer.result.hops.empty() ? 0 : lane.own_gap_ms;
  lane.last_ns = at_ns;
  lane.kept_ns = at_ns + std::max(transfer.request.gap_ms, own_ms) * 1'000'000;
}

void FetchEngine::leave_active(Transfer& transfer) {
  leave_lane(transfer);
  // Another transfer may become patient now.
  if (transfers_.patient_is_full()) plan_check(now_ns_);
  transfers_.deactivate(transfer);
  if (transfer.paused) std::erase(paused_, &transfer);
  transfer.paused = false;
  transfer.exchange = nullptr;
  held_ -= std::exchange(transfer.held, 0);
  if (growing_ == &transfer) growing_ = nullptr;
  --transfer.host->active;
  --transfer.host->in_multi[transfer.multi];
}

void FetchEngine::on_transfer_end(Transfer& transfer, WireEnd end, std::string_view) {
  if (end == WireEnd::kStale && !stopping_) {
    // Nothing has been asked yet, so this is no second try. It happens once: the new connection
    // cannot be stale.
    transfer.stale = true;
    return start_exchange(transfer);
  }
  const bool no_connection = end == WireEnd::kConnect || end == WireEnd::kNoAnswer;
  // If a machine takes connections and is no server, another address of the host may have one.
  if (end == WireEnd::kNoAnswer) give_up_address(transfer);
  const int tries = transfer.tries - (transfer.stale ? 1 : 0);
  if (no_connection && tries <= options_.retry_connect && !stopping_) {
    return start_exchange(transfer);
  }
  FetchHost& host = *transfer.host;
  // The wire may have failed before it took the addresses.
  if (end == WireEnd::kOwnTrouble) host.told = 0;
  if (options_.timing) transfer.result.times = parts_.wire->times(transfer.exchange);
  leave_active(transfer);
  if (end == WireEnd::kConnect) {
    host.answered = false;
    // If the host has another connection, or one that may still succeed, it only takes no more of
    // them.
    if (host.active == 0)
      fail_waiting(host, transfer.exchange_ns, transfer.result.outcome, transfer.result.error);
  }
  heed_pause(transfer);
  if (!go_on(transfer)) answer(transfer);
  hosts_.update(host);
}

// Makes redirects that lead to this host from elsewhere heed a pause that it asks for: nobody who
// sends them has heard of it. No server can make them wait for longer than a minute.
void FetchEngine::heed_pause(const Transfer& transfer) {
  constexpr std::int64_t kMostSeconds = 60;
  const FetchResult& result = transfer.result;
  if (result.outcome != Outcome::kRateLimited) return;
  const auto wait = retry_after(result.head, result.fetched_unix_ms / 1000);
  std::int64_t& gap_ms = transfer.host->lane->own_gap_ms;
  if (wait) gap_ms = std::max(gap_ms, std::min(*wait, kMostSeconds) * 1000);
}

// Queues another exchange for this transfer at its host. Returns false where the result stands.
bool FetchEngine::go_on(Transfer& transfer) {
  Url target;
  const Again next = ask_again(transfer, options_, stopping_, trail_, target);
  if (next == Again::kNo) return false;
  const std::int64_t since_ns = now_ns_;
  FetchResult& result = transfer.result;
  if (result.whole) {
    receiver_.on_hop(transfer.request, transfer.url.href_without_fragment(), result);
    now_ns_ = clock_.monotonic_ns();  // on_hop() may have written for a while
  }
  hosts_.delay(*transfer.host,
               transfer.exchange_ns + gap_before(next, transfer, options_) * 1'000'000);
  FetchHost* host = transfer.host;
  if (next == Again::kHop) {
    // User information in a URL must not appear in a record.
    result.hops.push_back({result.status, wire_url(target)});
    transfer.url = target;
    host = &host_of(target);
    // Where lanes are not hosts, a host of the same domain counts to the same lane, until a line of
    // its own says otherwise.
    const std::string& lane = transfer.request.lane;
    if (!lane.empty() && host->lane->name == host->name &&
        registrable_domain(host->name) == registrable_domain(transfer.host->name))
      hosts_.put_into_lane(*host, lane);
  }
  transfer.stale = next == Again::kSame;
  if (!transfer.stale) {
    transfer.for_rest = next == Again::kRest;
    transfer.tries = 0;
  }
  result.ip.clear();
  host->hops.push_back({{}, {}, since_ns, &transfer});
  if (!host->resolving && host->expires_ns == 0) look_up(*host);
  hosts_.update(*host);
  return true;
}

void FetchEngine::answer(Transfer& transfer) {
  FetchResult& result = transfer.result;
  if (!result.whole) {
    result.body.clear();
    result.wire_body.clear();
  }
  // An interim answer does not count as an answer.
  if (result.status < 200 && result.status != 101) result.status = 0;
  result.time_us = (clock_.monotonic_ns() - transfer.begun_ns) / 1000;
  answered_ = true;
  --taken_;
  taken_bytes_ -= cost_of(transfer.request);
  receiver_.on_result(transfer.request, result);
  result.clear();  // now: the transfer may rest for long, and a body is large
  transfers_.release(transfer);
}

void FetchEngine::answer_pending(PendingFetch& pending, Outcome outcome, const std::string& error) {
  Transfer& transfer = begin(pending);
  // The fields that an earlier hop left do not belong to this URL's answer.
  transfer.result.head.clear();
  transfer.result.status = 0;
  transfer.result.whole = false;
  transfer.result.outcome = outcome;
  transfer.result.error = error;
  answer(transfer);
}

void FetchEngine::fail_waiting(FetchHost& host, std::int64_t taken_before_ns, Outcome outcome,
                               const std::string& error) {
  // Answering may submit more requests for the same host, so those that fail are taken out first.
  std::vector<PendingFetch> failed = host.take_all(taken_before_ns);
  for (PendingFetch& pending : failed) answer_pending(pending, outcome, error);
}

// Starts all requests that are ready, and sends them. On a warm connection an answer may come while
// its request is being sent, and makes more requests ready (a hop, a host below its window, a free
// slot). These are started, too, and the wire's timer is due then.
void FetchEngine::start_and_send() {
  start_ready();
  if (parts_.wire->timeout_ms() != 0) return;
  parts_.wire->advance();
  start_ready();
}

// When the poller waits, nothing is left that could be started, and each wait ends with the first
// of all timers.
void FetchEngine::step(int max_wait_ms, const std::function<void()>& before_wait) {
  now_ns_ = clock_.monotonic_ns();
  parts_.resolver->advance();
  start_and_send();
  // A caller that has got an answer may have more to submit, and output to write.
  parts_.poller->wait(answered_ ? 0 : wait_ms(max_wait_ms), before_wait);
  now_ns_ = clock_.monotonic_ns();
  parts_.wire->advance();
  resume_paused();
  check_limits();
  start_ready();
  // From here on submit() may answer requests. If no name server can be reached, nothing else would
  // end the next wait.
  answered_ = false;
}

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions options, Receiver& receiver,
                                               const Clock& clock) {
  Result<EngineParts> parts = EngineParts::open(options, clock);
  if (!parts.ok()) return parts.error();
  auto engine = std::make_unique<FetchEngine>(std::move(options), receiver, clock, parts.take());
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace spinneret::http
