// SPDX-License-Identifier: Apache-2.0
// The engine's limits of time and of bytes a second, and how it stops.
#include <algorithm>
#include <climits>
#include <utility>

#include "http/fetch_engine.h"

namespace spinneret::http {
namespace {

constexpr std::int64_t kMs = 1'000'000;
// If a host takes connections and never answers, its waiting URLs get the same outcome after so
// many exchanges in a row. With 20 s for each the host costs 200 s, and 20 s for each later queue
// of URLs.
constexpr int kMaxSilent = 10;
// The time after which bodies that wait for memory are looked at again.
constexpr std::int64_t kMemoryGapNs = 10 * kMs;
// Bodies below this size never wait for memory.
constexpr std::size_t kSmallBody = std::size_t{256} << 10;
// Time limits are checked no more often than this: a scan costs a few ns for each transfer.
constexpr std::int64_t kScanGapNs = 10 * kMs;

}  // namespace

// Returns when the transfer gives its slot back; INT64_MAX: not while nothing changes.
std::int64_t FetchEngine::patience_end(const Transfer& transfer) const {
  if (transfer.patient || transfers_.patient_is_full()) return INT64_MAX;
  if (!transfer.host->answered) return transfer.exchange_ns + transfers_.patience_ns();
  if (transfer.stage == Transfer::Stage::kReceiving) return INT64_MAX;
  return transfer.exchange_ns + TransferTable::kMaxPatienceNs;
}

// Returns when an address that does not answer gives way to the next one, after half of the time
// that is left; INT64_MAX: never.
std::int64_t FetchEngine::address_end(const Transfer& transfer) const {
  if (transfer.stage != Transfer::Stage::kConnecting || transfer.turns >= transfer.host->spare)
    return INT64_MAX;
  const std::int64_t limit = options_.limits.connect_ms * kMs;
  return transfer.stage_ns + limit - (limit >> (transfer.turns + 1));
}

void FetchEngine::give_up_address(const Transfer& transfer) {
  FetchHost& host = *transfer.host;
  // Another page may have turned the addresses by now.
  if (host.spare != 0 && host.addresses.front() == transfer.first_address) host.turn_addresses();
}

// Goes on with another address in the same try, within the same time limits. libcurl has a limit of
// its own for each address, but up to 7.88 it may miss that; and the host's other pages need not
// wait for the dead address again.
void FetchEngine::try_next_address(Transfer& transfer) {
  // The address answers, but TLS takes its time.
  if (parts_.wire->times(transfer.exchange).connect != 0) {
    transfer.turns = transfer.host->spare;
    return;
  }
  give_up_address(transfer);
  parts_.wire->drop(transfer.exchange);
  const unsigned turns = transfer.turns + 1;
  const std::int64_t exchange_ns = transfer.exchange_ns;
  const std::int64_t stage_ns = transfer.stage_ns;
  start_exchange(transfer);
  --transfer.tries;
  transfer.turns = turns;
  transfer.exchange_ns = exchange_ns;
  transfer.stage_ns = stage_ns;
}

std::int64_t FetchEngine::deadline_of(const Transfer& transfer) const {
  return std::min(
      {transfer.deadline_ns(options_.limits), patience_end(transfer), address_end(transfer)});
}

void FetchEngine::on_transfer_stage(Transfer& transfer) {
  leave_lane(transfer);
  if (transfer.stage == Transfer::Stage::kReceiving) {
    FetchHost& host = *transfer.host;
    if (!host.answered && transfers_.learn_patience(now_ns_ - transfer.exchange_ns))
      plan_check(now_ns_);
    host.answered = host.ever_answered = true;
    host.slow = now_ns_ - transfer.exchange_ns > TransferTable::kMaxPatienceNs;
    host.silent = 0;
    transfers_.on_answer(transfer);
    hosts_.update(host);
  }
  plan_check(deadline_of(transfer));
}

// Returns whether the body may grow. Small bodies never wait, so that only a server that sends
// without end does.
bool FetchEngine::has_memory(Transfer& transfer) {
  const std::size_t size = transfer.result.body.size() + transfer.result.wire_body.size();
  held_ += size - std::exchange(transfer.held, size);
  if (held_ <= options_.max_held || size < kSmallBody) return true;
  if (growing_ == nullptr) growing_ = &transfer;
  return growing_ == &transfer;
}

bool FetchEngine::take_bytes(Transfer& transfer, std::size_t count) {
  if (!has_memory(transfer)) {
    // The body is looked at again soon, and the server is not to blame for the wait.
    if (!transfer.paused) paused_.push_back(&transfer);
    transfer.paused = true;
    transfer.add_pause_ns(kMemoryGapNs);
    resume_ns_ = std::min(resume_ns_, now_ns_ + kMemoryGapNs);
    return false;
  }
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
  // Resuming delivers the held bytes at once, which may pause the transfer again.
  std::vector<Transfer*> again;
  again.swap(paused_);
  for (Transfer* const transfer : again) transfer->paused = false;
  for (Transfer* const transfer : again) parts_.wire->resume(transfer->exchange);
}

void FetchEngine::check_transfer(Transfer& transfer) {
  if (now_ns_ >= patience_end(transfer)) transfers_.make_patient(transfer);
  const bool late = transfer.is_late();
  if (!late && now_ns_ < transfer.limit_ns(options_.limits)) {
    if (now_ns_ >= address_end(transfer)) try_next_address(transfer);
    return;
  }
  const std::string error = late ? kCutError : transfer.expire(options_.limits, now_ns_);
  if (error.empty()) return;
  FetchHost& host = *transfer.host;
  const bool silent = !late && transfer.host_is_silent(options_.limits, now_ns_);
  parts_.wire->drop(transfer.exchange);
  leave_active(transfer);
  // If a lease is no longer renewed, that says nothing about the page, nor about its host.
  transfer.result.late = late && transfer.request.by_lease != 0 && options_.deadlines != nullptr;
  transfer.result.outcome = transfer.result.late ? Outcome::kAborted : Outcome::kTimeout;
  transfer.result.error = error;
  transfer.result.whole = false;
  if (!late && transfer.by_head && go_on(transfer)) return hosts_.update(host);
  if (silent) {
    ++host.silent;
    // A host that has answered before may have slow pages, and its next page may be a fast one.
    const bool unreachable = transfer.stage == Transfer::Stage::kConnecting;
    if (unreachable) host.answered = false;
    if (unreachable || (!host.ever_answered && host.silent >= kMaxSilent)) {
      fail_waiting(host, transfer.exchange_ns, Outcome::kTimeout, error);
    }
  }
  answer(transfer);
  hosts_.update(host);
}

void FetchEngine::check_limits() {
  if (now_ns_ >= stop_ns_) abort_all();
  if (now_ns_ < next_check_ns_) return;
  const std::vector<Transfer*>& active = transfers_.active();
  // A transfer that ends moves the last one to its place, so the loop goes backwards.
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
    if (host.waits()) waiting.push_back(&host);
  });
  for (FetchHost* const host : waiting)
    fail_waiting(*host, INT64_MAX, Outcome::kAborted, "stopped");
}

void FetchEngine::abort_all() {
  while (!transfers_.active().empty()) {
    Transfer& transfer = *transfers_.active().back();
    parts_.wire->drop(transfer.exchange);
    leave_active(transfer);
    transfer.result.outcome = Outcome::kAborted;
    transfer.result.error = "stopped";
    transfer.result.whole = false;
    answer(transfer);
  }
  stop_ns_ = INT64_MAX;  // nothing can be started any more
}

void FetchEngine::add_pause_ns(std::int64_t ns) {
  // Otherwise the next exchange would seem to begin before the pause.
  now_ns_ = clock_.monotonic_ns();
  for (Transfer* const transfer : transfers_.active()) transfer->add_pause_ns(ns);
}

int FetchEngine::wait_ms(int max_wait_ms) {
  std::int64_t wait = max_wait_ms < 0 ? INT_MAX : max_wait_ms;
  for (const int ms : {parts_.wire->timeout_ms(), parts_.resolver->timeout_ms()}) {
    if (ms >= 0) wait = std::min<std::int64_t>(wait, ms);
  }
  const std::int64_t wake_ns = stopping_ ? INT64_MAX : hosts_.next_wake_ns();
  for (const std::int64_t at : {next_check_ns_, resume_ns_, stop_ns_, wake_ns}) {
    if (at == INT64_MAX) continue;
    wait = std::min(wait, std::max<std::int64_t>(0, (at - now_ns_ + kMs - 1) / kMs));
  }
  return wait == INT_MAX ? -1 : static_cast<int>(wait);
}

}  // namespace spinneret::http
