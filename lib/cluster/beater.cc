// SPDX-License-Identifier: Apache-2.0
#include "cluster/beater.h"

#include <chrono>
#include <cstddef>
#include <utility>

#include "cluster/member.h"

namespace spinneret::cluster {

void renew(std::span<Member* const> members, lease::Leases& leases, const Clock& clock,
           Deadlines* deadlines) {
  std::vector<lease::Lease> held;
  for (Member* const member : members) held.push_back(member->lease());
  std::vector<lease::Renewed> answers;
  const std::int64_t asked_ns = clock.boot_ns();
  if (!leases.renew(held, answers).ok() || answers.size() != held.size()) return;
  for (std::size_t i = 0; i < held.size(); ++i) {
    members[i]->hear(held[i], answers[i], asked_ns);
    // The deadline of a lost lease stays as it was.
    if (deadlines != nullptr) deadlines->put_off(members[i]->partition(), members[i]->end_by_ms());
  }
}

Beater::Beater(std::unique_ptr<lease::Leases> leases, const Clock& clock, std::int64_t ttl_ms,
               std::unique_ptr<Deadlines> deadlines)
    : leases_(std::move(leases)),
      clock_(clock),
      gap_ns_(lease::Tenure(ttl_ms).beat_ns()),
      deadlines_(std::move(deadlines)),
      thread_([this] { run(); }) {}

Beater::~Beater() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Beater::add(Member& member) {
  const std::lock_guard lock(mutex_);
  members_.push_back(&member);
}

void Beater::remove(const Member& member) {
  const std::lock_guard lock(mutex_);
  std::erase(members_, &member);
}

void Beater::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    wake_.wait_for(lock, std::chrono::nanoseconds(gap_ns_), [this] { return ending_; });
    if (!ending_ && !members_.empty()) renew(members_, *leases_, clock_, deadlines_.get());
  }
}

}  // namespace spinneret::cluster
