// SPDX-License-Identifier: Apache-2.0
#include "http/fetch_host.h"

#include <algorithm>
#include <utility>

#include "http/transfer.h"

namespace spinneret {

PendingFetch FetchHost::take() {
  std::deque<PendingFetch>& from = hops.empty() ? queue : hops;
  PendingFetch out = std::move(from.front());
  from.pop_front();
  return out;
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
  return host;
}

FetchHost& FetchHosts::get(const std::string& origin) {
  std::unique_ptr<FetchHost>& slot = hosts_[origin];
  if (!slot) {
    slot = std::make_unique<FetchHost>();
    slot->origin = origin;
  }
  if (slot->idle) {
    idle_.erase(slot->idle_at);
    slot->idle = false;
  }
  return *slot;
}

void FetchHosts::update(FetchHost& host) {
  if (ready(host)) {
    if (!host.in_rotation) (host.answered ? known_ : unknown_).push_back(&host);
    host.in_rotation = true;
    return;
  }
  const bool rests = !host.waits() && host.active == 0 && !host.resolving;
  if (rests && !host.idle) {
    host.idle_at = idle_.insert(idle_.end(), &host);
    host.idle = true;
  }
}

FetchHost* FetchHosts::next_of(std::deque<FetchHost*>& rotation) {
  while (!rotation.empty()) {
    FetchHost* const host = rotation.front();
    rotation.pop_front();
    host->in_rotation = false;
    // Its queue may have been emptied since.
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
  if (idle_.size() <= max_idle_) return nullptr;
  FetchHost* const host = idle_.front();
  // It may still stand in the rotation, if its queue was emptied there: its turn comes soon.
  if (host->in_rotation) return nullptr;
  idle_.pop_front();
  const auto found = hosts_.find(host->origin);
  std::unique_ptr<FetchHost> out = std::move(found->second);
  hosts_.erase(found);
  return out;
}

}  // namespace spinneret
