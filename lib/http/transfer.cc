// SPDX-License-Identifier: Apache-2.0
#include "http/transfer.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret::http {
namespace {

constexpr std::int64_t kMs = 1'000'000;

}  // namespace

void Transfer::begin(TransferOwner& owner, FetchRequest taken, std::int64_t now_ns) {
  owner_ = &owner;
  request = std::move(taken);
  result.clear();
  begun_ns = now_ns;
  tries = 0;
  stale = dropped = patient = paused = has_offered = has_returned = for_rest = false;
  by_head = request.want == Want::kAnswer;
  offer.reset();
}

void Transfer::begin_exchange(const ReceptionRules& rules, std::int64_t now_ns) {
  if (for_rest) {
    reception_.go_on();
  } else {
    reception_.start(rules, result);
  }
  result.request_head.clear();
  result.ip.clear();
  stage = Stage::kConnecting;
  exchange_ns = stage_ns = now_ns;
  turns = 0;
  ++tries;
}

std::int64_t Transfer::limit_ns(const FetchLimits& limits) const {
  // If HEAD gets no answer, GET is tried in the rest of the time.
  const std::int64_t first_byte_ms =
      by_head ? std::min(limits.first_byte_ms, limits.total_ms / 2) : limits.first_byte_ms;
  std::int64_t stage_end = 0;
  switch (stage) {
    case Stage::kConnecting: stage_end = stage_ns + limits.connect_ms * kMs; break;
    case Stage::kWaiting: stage_end = stage_ns + first_byte_ms * kMs; break;
    case Stage::kReceiving: stage_end = window_ns_ + limits.low_speed_ms * kMs; break;
  }
  return std::min(stage_end, begun_ns + limits.total_ms * kMs);
}

std::int64_t Transfer::deadline_ns(const FetchLimits& limits) const {
  const std::int64_t end = limit_ns(limits);
  if (request.end_by_ms == 0) return end;
  const std::int64_t end_by_ns = (request.end_by_ms + put_off_ms()) * kMs;
  return std::min(end, owner_->now_ns() + end_by_ns - owner_->boot_ns());
}

std::int64_t Transfer::put_off_ms() const {
  if (request.by_lease == 0) return 0;
  return std::max<std::int64_t>(owner_->lease_ms(request.by_lease) - request.end_by_ms, 0);
}

std::string Transfer::expire(const FetchLimits& limits, std::int64_t now_ns) {
  if (now_ns >= begun_ns + limits.total_ms * kMs) {
    return "not done within " + seconds_text(limits.total_ms) + " s";
  }
  switch (stage) {
    case Stage::kConnecting:
      return "no connection within " + seconds_text(limits.connect_ms) + " s";
    case Stage::kWaiting: return "no answer within " + seconds_text(limits.first_byte_ms) + " s";
    case Stage::kReceiving: break;
  }
  const std::uint64_t bytes = reception_.bytes();
  if (!paused && bytes - window_bytes_ < limits.low_speed_bytes) {
    return "fewer than " + std::to_string(limits.low_speed_bytes) + " bytes within " +
           seconds_text(limits.low_speed_ms) + " s";
  }
  window_bytes_ = bytes;
  window_ns_ = now_ns;
  return {};
}

bool Transfer::host_is_silent(const FetchLimits& limits, std::int64_t now_ns) const {
  if (stage == Stage::kReceiving) return false;
  if (now_ns >= exchange_ns + limits.total_ms * kMs) return true;
  const bool connecting = stage == Stage::kConnecting;
  return now_ns >= stage_ns + (connecting ? limits.connect_ms : limits.first_byte_ms) * kMs;
}

void Transfer::add_pause_ns(std::int64_t ns) {
  begun_ns += ns;
  exchange_ns += ns;
  stage_ns += ns;
  window_ns_ += ns;
}

void Transfer::enter(Stage next) {
  stage = next;
  stage_ns = owner_->now_ns();
  window_ns_ = stage_ns;
  window_bytes_ = reception_.bytes();
  owner_->on_transfer_stage(*this);
}

bool Transfer::may_send() {
  result.late = is_late_to_send();
  return !result.late;
}

void Transfer::on_connected(std::string_view ip) {
  result.ip = ip;
  enter(Stage::kWaiting);
}

void Transfer::on_request(std::string_view head) { result.request_head += head; }

WireStep Transfer::on_header(std::string_view line) {
  if (stage != Stage::kReceiving) enter(Stage::kReceiving);
  return reception_.header(line) ? WireStep::kGoOn : WireStep::kStop;
}

WireStep Transfer::on_body(std::string_view bytes) {
  if (!owner_->take_bytes(*this, bytes.size())) return WireStep::kPause;
  return reception_.body(bytes) ? WireStep::kGoOn : WireStep::kStop;
}

void Transfer::on_end(WireEnd end, std::string_view detail) {
  reception_.end(end, detail);
  // A server closes a connection after its last answer (RFC 9113 section 6.8). If an
  // acknowledgement, or the next request, comes too late for it, libcurl drops the input that is
  // still unread.
  const bool unheard = end == WireEnd::kUnheard && !for_rest;
  // A 408 that closes a kept connection most likely only tells of its end, and is no answer (RFC
  // 9110 section 15.5.9).
  const bool given_up = end == WireEnd::kGivenUp && result.whole &&
                        equals_ignore_case(result.head.get("connection").value_or(""), "close");
  // This happens once: the next connection is a new one.
  dropped = (end == WireEnd::kDropped || given_up || unheard) && !stale;
  if (end == WireEnd::kDropped)
    result.error = "the connection, or its stream, was closed before an answer";
  if (end == WireEnd::kTooLate) result.error = kLateError;
  owner_->on_transfer_end(*this, end, detail);
}

}  // namespace spinneret::http
