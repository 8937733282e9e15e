// SPDX-License-Identifier: Apache-2.0
#include "http/engine.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "http/fetch_host.h"
#include "http/redirect.h"
#include "http/request_head.h"
#include "http/transfer_table.h"
#include "url/parse.h"

namespace spinneret {
namespace {

constexpr std::int64_t kMs = 1'000'000;
// So many may wait for silent hosts without a slot.
constexpr std::size_t kMaxPatient = 1024;
// Exchanges without an answer after which a host's waiting URLs get the same outcome.
constexpr int kMaxSilent = 3;
// Time limits are looked at no more often than this: a scan costs a few ns for each transfer.
constexpr std::int64_t kScanGapNs = 10 * kMs;
constexpr std::size_t kMaxAddresses = 8;
// RFC 9309 section 2.5 wants at least 500 KiB.
constexpr std::uint64_t kMaxRobots = std::uint64_t{1} << 20;

std::size_t cost_of(const FetchRequest& request) {
  return request.url.size() + request.cargo.size() + request.etag.size();
}

class FetchEngine : public Engine, private TransferOwner {
 public:
  FetchEngine(EngineOptions options, Receiver& receiver, const Clock& clock, Poller poller)
      : options_(std::move(options)),
        receiver_(receiver),
        clock_(clock),
        poller_(std::move(poller)),
        hosts_(options_.per_host),
        bucket_(options_.rate),
        now_ns_(clock.monotonic_ns()) {}
  // Transfers name hosts, and the wire names transfers.
  ~FetchEngine() override { wire_.reset(); }
  Status open();

  void submit(FetchRequest request) override;
  bool has_room() const override {
    return taken_ < options_.max_queue && taken_bytes_ < options_.max_queue_bytes && !stopping_;
  }
  bool idle() const override { return taken_ == 0; }
  void step(int max_wait_ms, const std::function<void()>& before_wait) override;
  void hold(bool held) override { held_ = held; }
  void stop(std::int64_t grace_ms) override;
  void add_pause_ns(std::int64_t ns) override;
  Status save_cookies() override { return wire_->save_cookies(); }
  Poller& poller() override { return poller_; }
  EngineStats stats() const override {
    EngineStats out = stats_;
    out.active = transfers_.active().size();
    out.queued = taken_ - out.active;
    return out;
  }

 private:
  // TransferOwner
  void on_transfer_stage(Transfer& transfer) override;
  bool take_bytes(Transfer& transfer, std::size_t count) override;
  void on_transfer_end(Transfer& transfer, WireEnd end, std::string_view detail) override;
  std::int64_t now_ns() const override { return now_ns_; }

  FetchHost& host_of(const Url& url);
  void look_up(FetchHost& host);
  void on_addresses(const std::string& origin, const Resolution& resolution);
  void start_ready();
  void start_pending(FetchHost& host);
  void start_exchange(Transfer& transfer);
  void set_headers(Transfer& transfer);
  bool follow(Transfer& transfer);
  void leave_active(Transfer& transfer);
  void answer(Transfer& transfer);
  Transfer& begin(PendingFetch& pending);
  void answer_pending(PendingFetch& pending, Outcome outcome, const std::string& error);
  void fail_waiting(FetchHost& host, std::int64_t taken_before_ns, Outcome outcome,
                    const std::string& error);
  void check_limits();
  void check_transfer(Transfer& transfer);
  void abort_all();
  void resume_paused();
  void plan_check(std::int64_t at_ns) { next_check_ns_ = std::min(next_check_ns_, at_ns); }
  std::int64_t deadline_of(const Transfer& transfer) const;
  int wait_ms(int max_wait_ms, int resolver_ms);

  EngineOptions options_;
  Receiver& receiver_;
  const Clock& clock_;
  Poller poller_;
  FetchHosts hosts_;
  std::unique_ptr<Resolver> resolver_;
  std::unique_ptr<Wire> wire_;
  TokenBucket bucket_;
  std::int64_t now_ns_;
  std::int64_t next_check_ns_ = INT64_MAX;
  TransferTable transfers_{kMaxPatient};
  std::vector<Transfer*> paused_;
  std::size_t taken_ = 0;  // requests not yet answered
  std::size_t taken_bytes_ = 0;
  bool held_ = false;
  bool stopping_ = false;
  std::int64_t stop_ns_ = INT64_MAX;
  std::int64_t resume_ns_ = INT64_MAX;
  EngineStats stats_;
};

Status FetchEngine::open() {
  options_.wire.headers.emplace_back("Accept-Encoding: gzip, br, zstd");
  Result<std::unique_ptr<Wire>> wire = Wire::create(poller_, options_.policy, options_.wire);
  if (!wire.ok()) return wire.error();
  wire_ = wire.take();
  options_.resolver.max_ms = std::min(options_.limits.connect_ms, options_.limits.total_ms);
  Result<std::unique_ptr<Resolver>> resolver =
      make_dns_resolver(poller_, clock_, options_.resolver);
  if (!resolver.ok()) return resolver.error();
  resolver_ = resolver.take();
  return {};
}

FetchHost& FetchEngine::host_of(const Url& url) {
  FetchHost& host = hosts_.of(url);
  if (!host.fresh) return host;
  host.fresh = false;
  host.bucket = TokenBucket(options_.host_rate);
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
  FetchHost& host = host_of(url);
  host.queue.push_back(std::move(pending));
  if (!host.resolving && host.expires_ns == 0) look_up(host);
  hosts_.update(host);
}

void FetchEngine::look_up(FetchHost& host) {
  host.resolving = true;
  host.lookup_ns = now_ns_;
  resolver_->lookup(host.name, [this, origin = host.origin](const Resolution& resolution) {
    on_addresses(origin, resolution);
  });
}

// Keeps the addresses that the policy allows; the socket's own check is the one that counts.
void FetchEngine::on_addresses(const std::string& origin, const Resolution& resolution) {
  FetchHost& host = hosts_.get(origin);
  host.resolving = false;
  host.dns_us = (clock_.monotonic_ns() - host.lookup_ns) / 1000;
  std::string refused;
  std::vector<IpAddress> allowed = options_.policy.allowed_of(resolution.addresses, refused);
  if (allowed.size() > kMaxAddresses) allowed.resize(kMaxAddresses);
  host.expires_ns = allowed.empty() ? 0 : resolution.expires_ns;
  if (resolution.addresses.empty()) {
    fail_waiting(host, INT64_MAX, Outcome::kDnsFailed, resolution.error);
  } else if (allowed.empty()) {
    fail_waiting(host, INT64_MAX, Outcome::kRefusedAddress, refused);
  } else if (allowed != host.addresses) {
    host.addresses = std::move(allowed);
    host.told = false;
  }
  hosts_.update(host);
}

void FetchEngine::start_ready() {
  const std::size_t slots = held_ ? 1 : options_.slots;
  while (!stopping_ && transfers_.held_slots() < slots) {
    FetchHost* const host = hosts_.next(2 * transfers_.probes() >= slots);
    if (host == nullptr) break;
    if (host->expires_ns <= now_ns_) {
      look_up(*host);
    } else {
      start_pending(*host);
    }
    hosts_.update(*host);
  }
  while (const std::unique_ptr<FetchHost> old = hosts_.evict()) {
    if (old->told) wire_->forget_host(old->name, old->port);
  }
}

// A transfer for the request, where an earlier hop has not left one.
Transfer& FetchEngine::begin(PendingFetch& pending) {
  if (pending.transfer != nullptr) return *pending.transfer;
  Transfer& transfer = transfers_.fresh();
  transfer.url = std::move(pending.url);
  transfer.begin(*this, std::move(pending.request), now_ns_);
  transfer.result.fetched_unix_ms = clock_.unix_ms();
  return transfer;
}

void FetchEngine::start_pending(FetchHost& host) {
  Transfer& transfer = begin(host.queue.front());
  host.queue.pop_front();
  transfer.host = &host;
  transfer.result.dns_us += std::exchange(host.dns_us, 0);
  ++host.active;
  transfers_.activate(transfer, !host.answered);
  if (host.silent > 0) transfers_.make_patient(transfer);
  start_exchange(transfer);
}

void FetchEngine::set_headers(Transfer& transfer) {
  transfer.headers.clear();
  // Validators are about the URL that they came with.
  transfer.result.conditional =
      transfer.result.hops.empty() && add_validators(transfer.request, transfer.headers);
  add_confidences(transfer.request, transfer.url, options_.auth, transfer.headers);
}

void FetchEngine::start_exchange(Transfer& transfer) {
  FetchHost& host = *transfer.host;
  set_headers(transfer);
  ReceptionRules rules;
  rules.max_size = options_.limits.max_size;
  if (transfer.request.robots) rules.max_size = std::min(rules.max_size, kMaxRobots);
  rules.max_header = options_.limits.max_header;
  rules.types = &options_.types;
  rules.head_only = options_.head_only;
  rules.conditional = transfer.result.conditional;
  rules.cut_large = transfer.request.robots;
  rules.keep_wire = options_.keep_wire;
  transfer.begin_exchange(rules, now_ns_);
  WireCall call;
  call.url = wire_url(transfer.url);
  call.host = host.name;
  call.port = host.port;
  const bool tell = !host.told && !host.addresses.empty();
  if (tell) call.addresses = &host.addresses;
  host.told = host.told || tell;
  call.headers = &transfer.headers;
  call.head_only = options_.head_only;
  call.fresh_connection = transfer.tries > 1 || transfer.stale;
  ++stats_.started;
  transfer.exchange = wire_->start(call, transfer);
  plan_check(deadline_of(transfer));
}

std::int64_t FetchEngine::deadline_of(const Transfer& transfer) const {
  const std::int64_t limit = transfer.deadline_ns(options_.limits);
  if (transfer.patient || transfer.host->answered) return limit;
  return std::min(limit, transfer.begun_ns + transfers_.patience_ns());
}

void FetchEngine::on_transfer_stage(Transfer& transfer) {
  if (transfer.stage == Transfer::Stage::kReceiving) {
    FetchHost& host = *transfer.host;
    if (!host.answered && transfers_.learn_patience(now_ns_ - transfer.begun_ns))
      plan_check(now_ns_);
    host.answered = true;
    host.silent = 0;
    transfers_.on_answer(transfer);
    hosts_.update(host);
  }
  plan_check(deadline_of(transfer));
}

bool FetchEngine::take_bytes(Transfer& transfer, std::size_t count) {
  TokenBucket& host_bucket = transfer.host->bucket;
  const std::int64_t wait = std::max(bucket_.wait_ns(now_ns_), host_bucket.wait_ns(now_ns_));
  if (wait > 0) {
    if (!transfer.paused) paused_.push_back(&transfer);
    transfer.paused = true;
    resume_ns_ = std::min(resume_ns_, now_ns_ + wait);
    return false;
  }
  bucket_.take(count);
  host_bucket.take(count);
  stats_.wire_bytes += count;
  return true;
}

void FetchEngine::resume_paused() {
  if (now_ns_ < resume_ns_) return;
  resume_ns_ = INT64_MAX;
  // Resuming delivers the held bytes at once, which may pause again.
  std::vector<Transfer*> again;
  again.swap(paused_);
  for (Transfer* const transfer : again) transfer->paused = false;
  for (Transfer* const transfer : again) wire_->resume(transfer->exchange);
}

void FetchEngine::leave_active(Transfer& transfer) {
  transfers_.deactivate(transfer);
  if (transfer.paused) std::erase(paused_, &transfer);
  transfer.paused = false;
  transfer.exchange = nullptr;
  --transfer.host->active;
}

void FetchEngine::on_transfer_end(Transfer& transfer, WireEnd end, std::string_view) {
  if (end == WireEnd::kStale && !stopping_) {
    // Nothing was asked yet, so this is no second try; and it happens once, on a new connection.
    transfer.stale = true;
    return start_exchange(transfer);
  }
  const bool no_connection = end == WireEnd::kConnect || end == WireEnd::kNoAnswer;
  const int tries = transfer.tries - (transfer.stale ? 1 : 0);
  if (no_connection && tries <= options_.retry_connect && !stopping_) {
    return start_exchange(transfer);
  }
  FetchHost& host = *transfer.host;
  if (options_.timing) transfer.result.times = wire_->times(transfer.exchange);
  leave_active(transfer);
  if (end == WireEnd::kConnect) {
    host.answered = false;
    fail_waiting(host, transfer.stage_ns, transfer.result.outcome, transfer.result.error);
  }
  if (!follow(transfer)) answer(transfer);
  hosts_.update(host);
}

// Goes after a redirect where it is wanted. False: the result stands as it is.
bool FetchEngine::follow(Transfer& transfer) {
  FetchResult& result = transfer.result;
  Url target;
  if (!next_hop(transfer.url, stopping_ ? 0 : transfer.request.follow, result, target))
    return false;
  receiver_.on_hop(transfer.request, transfer.url.href_without_fragment(), result);
  result.hops.push_back({result.status, result.location});
  transfer.url = target;
  transfer.tries = 0;
  transfer.stale = false;
  FetchHost& host = host_of(target);
  host.queue.push_front({{}, {}, now_ns_, &transfer});
  if (!host.resolving && host.expires_ns == 0) look_up(host);
  hosts_.update(host);
  return true;
}

void FetchEngine::answer(Transfer& transfer) {
  FetchResult& result = transfer.result;
  if (!result.whole) {
    result.body.clear();
    result.wire_body.clear();
  }
  result.time_us = (clock_.monotonic_ns() - transfer.begun_ns) / 1000;
  --taken_;
  taken_bytes_ -= cost_of(transfer.request);
  receiver_.on_result(transfer.request, result);
  transfers_.release(transfer);
}

void FetchEngine::answer_pending(PendingFetch& pending, Outcome outcome, const std::string& error) {
  Transfer& transfer = begin(pending);
  // What an earlier hop left is not this URL's answer.
  transfer.result.head.clear();
  transfer.result.status = 0;
  transfer.result.whole = false;
  transfer.result.outcome = outcome;
  transfer.result.error = error;
  answer(transfer);
}

void FetchEngine::fail_waiting(FetchHost& host, std::int64_t taken_before_ns, Outcome outcome,
                               const std::string& error) {
  // Answering may submit more for the same host: take what is to be failed first.
  std::vector<PendingFetch> failed;
  while (!host.queue.empty() && host.queue.front().since_ns <= taken_before_ns) {
    failed.push_back(std::move(host.queue.front()));
    host.queue.pop_front();
  }
  for (PendingFetch& pending : failed) answer_pending(pending, outcome, error);
}

void FetchEngine::check_transfer(Transfer& transfer) {
  if (!transfer.host->answered && now_ns_ >= transfer.begun_ns + transfers_.patience_ns()) {
    transfers_.make_patient(transfer);
  }
  if (now_ns_ < transfer.deadline_ns(options_.limits)) return;
  const std::string error = transfer.expire(options_.limits, now_ns_);
  if (error.empty()) return;
  FetchHost& host = *transfer.host;
  const bool silent = transfer.stage != Transfer::Stage::kReceiving;
  wire_->drop(transfer.exchange);
  leave_active(transfer);
  transfer.result.outcome = Outcome::kTimeout;
  transfer.result.error = error;
  transfer.result.whole = false;
  if (silent) {
    host.answered = false;
    ++host.silent;
    const bool unreachable = transfer.stage == Transfer::Stage::kConnecting;
    if (unreachable || host.silent >= kMaxSilent) {
      fail_waiting(host, transfer.stage_ns, Outcome::kTimeout, error);
    }
  }
  answer(transfer);
  hosts_.update(host);
}

void FetchEngine::check_limits() {
  if (now_ns_ >= stop_ns_) abort_all();
  if (now_ns_ < next_check_ns_) return;
  const std::vector<Transfer*>& active = transfers_.active();
  // A transfer that ends moves the last one to its place: walk from the end.
  for (std::size_t i = active.size(); i-- > 0;) {
    if (i < active.size() && now_ns_ >= deadline_of(*active[i])) check_transfer(*active[i]);
  }
  next_check_ns_ = INT64_MAX;
  for (const Transfer* const transfer : active) plan_check(deadline_of(*transfer));
  next_check_ns_ = std::max(next_check_ns_, now_ns_ + kScanGapNs);
}

void FetchEngine::stop(std::int64_t grace_ms) {
  stopping_ = true;
  stop_ns_ = std::min(stop_ns_, clock_.monotonic_ns() + grace_ms * kMs);
  std::vector<FetchHost*> waiting;
  hosts_.for_each([&](FetchHost& host) {
    if (!host.queue.empty()) waiting.push_back(&host);
  });
  for (FetchHost* const host : waiting)
    fail_waiting(*host, INT64_MAX, Outcome::kAborted, "stopped");
}

void FetchEngine::abort_all() {
  while (!transfers_.active().empty()) {
    Transfer& transfer = *transfers_.active().back();
    wire_->drop(transfer.exchange);
    leave_active(transfer);
    transfer.result.outcome = Outcome::kAborted;
    transfer.result.error = "stopped";
    transfer.result.whole = false;
    answer(transfer);
  }
}

void FetchEngine::add_pause_ns(std::int64_t ns) {
  for (Transfer* const transfer : transfers_.active()) transfer->add_pause_ns(ns);
}

int FetchEngine::wait_ms(int max_wait_ms, int resolver_ms) {
  std::int64_t wait = max_wait_ms < 0 ? INT_MAX : max_wait_ms;
  for (const int ms : {wire_->timeout_ms(), resolver_ms}) {
    if (ms >= 0) wait = std::min<std::int64_t>(wait, ms);
  }
  for (const std::int64_t at : {next_check_ns_, resume_ns_, stop_ns_}) {
    if (at == INT64_MAX) continue;
    wait = std::min(wait, std::max<std::int64_t>(0, (at - now_ns_ + kMs - 1) / kMs));
  }
  return wait == INT_MAX ? -1 : static_cast<int>(wait);
}

void FetchEngine::step(int max_wait_ms, const std::function<void()>& before_wait) {
  now_ns_ = clock_.monotonic_ns();
  const std::size_t taken_before = taken_;
  const int resolver_ms = resolver_->advance();
  start_ready();
  if (wire_->timeout_ms() == 0) wire_->advance();  // sends what was just started
  // On a warm connection the answer may be here already: the caller has something to write, so no wait.
  poller_.wait(taken_ != taken_before ? 0 : wait_ms(max_wait_ms, resolver_ms), before_wait);
  now_ns_ = clock_.monotonic_ns();
  wire_->advance();
  resume_paused();
  check_limits();
  start_ready();
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions options, Receiver& receiver,
                                               const Clock& clock) {
  Result<Poller> poller = Poller::create();
  if (!poller.ok()) return poller.error();
  auto engine = std::make_unique<FetchEngine>(std::move(options), receiver, clock, poller.take());
  if (const Status opened = engine->open(); !opened.ok()) return opened.error();
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace spinneret
