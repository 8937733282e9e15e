// SPDX-License-Identifier: Apache-2.0
#include "http/fetch_host.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "http/transfer.h"

namespace spinneret::http {
namespace {

// The interval at which a host asks whether a request of its lane has got its connection.
constexpr std::int64_t kOpeningNs = 5'000'000;
constexpr std::size_t kLanesToSweep = 1024;

}  // namespace

void FetchHost::set_addresses(std::vector<IpAddress> found) {
  const auto fours = static_cast<std::size_t>(
      std::count_if(found.begin(), found.end(), [](const IpAddress& ip) { return ip.v4; }));
  const std::size_t most = std::max(fours, found.size() - fours);
  spare = static_cast<unsigned>(most - std::min<std::size_t>(most, 1));
  addresses = std::move(found);
  told = 0;
}

void FetchHost::turn_addresses() {
  const bool family = addresses.front().v4;
  const auto other = std::find_if(addresses.begin(), addresses.end(),
                                  [family](const IpAddress& ip) { return ip.v4 != family; });
  if (other != addresses.end()) std::rotate(other, other + 1, addresses.end());
  std::rotate(addresses.begin(), addresses.begin() + 1, addresses.end());
  told = 0;
}

PendingFetch FetchHost::take() {
  hop_went = is_hops_turn();
  std::deque<PendingFetch>& from = hop_went ? hops : queue;
  PendingFetch out = std::move(from.front());
  from.pop_front();
  return out;
}

std::int64_t FetchHost::due_ns(std::int64_t now_ns) const {
  const PendingFetch& next = is_hops_turn() ? hops.front() : queue.front();
  const FetchRequest& request = next.transfer != nullptr ? next.transfer->request : next.request;
  if (!lane) return next_ns;
  const std::int64_t gap_ms =
      std::max(request.gap_ms, next.transfer != nullptr ? lane->own_gap_ms : 0);
  // A request without a gap of its own, whose host's time had come, still waits for the gap of a
  // hop from elsewhere.
  if (gap_ms == 0) return std::max(next_ns, lane->kept_ns);
  if (lane->opening != 0) return std::max(next_ns, now_ns + kOpeningNs);
  return std::max(next_ns, lane->last_ns + gap_ms * 1'000'000);
}

bool FetchHost::prefer(std::uint64_t ticket) {
  for (std::deque<PendingFetch>* const from : {&hops, &queue}) {
    const auto at = std::find_if(from->begin(), from->end(), [&](const PendingFetch& pending) {
      const Transfer* const transfer = pending.transfer;
      return (transfer != nullptr ? transfer->request : pending.request).ticket == ticket;
    });
    if (at == from->end()) continue;
    PendingFetch wanted = std::move(*at);
    from->erase(at);
    hops.push_front(std::move(wanted));
    hop_went = false;
    return true;
  }
  return false;
}

std::vector<PendingFetch> FetchHost::take_all(std::int64_t since_ns) {
  std::vector<PendingFetch> out;
  for (std::deque<PendingFetch>* const from : {&hops, &queue}) {
    while (!from->empty() && from->front().since_ns <= since_ns) {
      out.push_back(std::move(from->front()));
      from->pop_front();
    }
  }
  return out;
}

FetchHosts::FetchHosts(const HostRules& rules)
    : rules_(rules), random_(rules.random_wait ? random_seed() : 0) {}

void FetchHosts::wake(std::int64_t now_ns) {
  now_ns_ = now_ns;
  while (!later_.empty() && later_.begin()->first <= now_ns) {
    FetchHost& host = *later_.begin()->second;
    leave_place(host);
    update(host);
  }
}

void FetchHosts::begin_request(FetchHost& host) {
  if (rules_.wait_ns == 0) return;
  std::int64_t wait = rules_.wait_ns;
  if (rules_.random_wait) {
    constexpr std::uint64_t kParts = 1'000;
    const std::uint64_t part = hash64({}, ++random_) % (kParts + 1);
    wait = wait / 2 + wait / static_cast<std::int64_t>(kParts) * static_cast<std::int64_t>(part);
  }
  delay(host, now_ns_ + wait);
}

FetchHost& FetchHosts::of(const Url& url) {
  origin_.assign(url.scheme());
  origin_ += "://";
  origin_ += url.host();
  origin_ += ':';
  origin_ += std::to_string(url.effective_port());
  FetchHost& host = get(origin_);
  if (host.port == 0) {
    host.name = url.host();
    host.port = url.effective_port();
  }
  if (!host.lane) put_into_lane(host, {});
  return host;
}

void FetchHosts::put_into_lane(FetchHost& host, const std::string& name) {
  const std::string& wanted = name.empty() ? host.name : name;
  if (host.lane && host.lane->name == wanted) return;
  if (lanes_.size() > 2 * hosts_.size() + kLanesToSweep)
    std::erase_if(lanes_, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<FetchLane>& known = lanes_[wanted];
  std::shared_ptr<FetchLane> lane = known.lock();
  if (!lane) known = lane = std::make_shared<FetchLane>(FetchLane{wanted});
  // The requests of the old lane count for the new one, too.
  if (host.lane) lane->last_ns = std::max(lane->last_ns, host.lane->last_ns);
  host.lane = std::move(lane);
}

FetchHost& FetchHosts::get(const std::string& origin) {
  std::unique_ptr<FetchHost>& slot = hosts_[origin];
  if (!slot) {
    slot = std::make_unique<FetchHost>();
    slot->origin = origin;
  }
  if (slot->place == FetchHost::Place::kIdle) leave_place(*slot);
  return *slot;
}

// Takes a host out of kLater or kIdle. A host leaves the rotation by next_of() alone.
void FetchHosts::leave_place(FetchHost& host) {
  if (host.place == FetchHost::Place::kLater) later_.erase({host.later_ns, &host});
  if (host.place == FetchHost::Place::kIdle) idle_.erase(host.idle_at);
  host.place = FetchHost::Place::kNowhere;
}

void FetchHosts::update(FetchHost& host) {
  if (host.place == FetchHost::Place::kRotation) return;
  if (ready(host)) {
    leave_place(host);
    (host.answered ? known_ : unknown_).push_back(&host);
    host.place = FetchHost::Place::kRotation;
    return;
  }
  if (host.place != FetchHost::Place::kNowhere) return;
  if (could(host)) {
    host.later_ns = host.due_ns(now_ns_);
    later_.emplace(host.later_ns, &host);
    host.place = FetchHost::Place::kLater;
  } else if (!host.waits() && host.active == 0 && !host.resolving) {
    host.idle_at = idle_.insert(idle_.end(), &host);
    host.place = FetchHost::Place::kIdle;
  }
}

FetchHost* FetchHosts::next_of(std::deque<FetchHost*>& rotation) {
  while (!rotation.empty()) {
    FetchHost* const host = rotation.front();
    rotation.pop_front();
    host->place = FetchHost::Place::kNowhere;
    // The host's queue may have been emptied meanwhile.
    if (ready(*host)) return host;
    update(*host);
  }
  return nullptr;
}

FetchHost* FetchHosts::next(bool known_first) {
  known_turn_ = known_first || !known_turn_;
  FetchHost* const host = next_of(known_turn_ ? known_ : unknown_);
  return host != nullptr ? host : next_of(known_turn_ ? unknown_ : known_);
}

std::unique_ptr<FetchHost> FetchHosts::evict() {
  if (idle_.size() <= rules_.max_idle) return nullptr;
  FetchHost* const host = idle_.front();
  if (host->next_ns > now_ns_) return nullptr;
  if (host->lane && host->lane->kept_ns > now_ns_) return nullptr;
  idle_.pop_front();
  const auto found = hosts_.find(host->origin);
  std::unique_ptr<FetchHost> out = std::move(found->second);
  hosts_.erase(found);
  return out;
}

}  // namespace spinneret::http
