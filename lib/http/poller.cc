// SPDX-License-Identifier: Apache-2.0
#include "http/poller.h"

#include <sys/epoll.h>

#include <cerrno>

namespace spinneret {
namespace {

std::uint32_t to_epoll(unsigned events) {
  return ((events & Poller::kRead) != 0 ? static_cast<std::uint32_t>(EPOLLIN) : 0U) |
         ((events & Poller::kWrite) != 0 ? static_cast<std::uint32_t>(EPOLLOUT) : 0U);
}

unsigned from_epoll(std::uint32_t events) {
  unsigned out = 0;
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLRDHUP)) != 0) out |= Poller::kRead;
  if ((events & EPOLLOUT) != 0) out |= Poller::kWrite;
  if ((events & EPOLLERR) != 0) out |= Poller::kError;
  return out;
}

}  // namespace

Result<Poller> Poller::create() {
  Fd fd(epoll_create1(EPOLL_CLOEXEC));
  if (!fd) return system_error("cannot create an epoll instance", errno);
  return Poller(std::move(fd));
}

Poller::Entry& Poller::entry(int fd) {
  const auto index = static_cast<std::size_t>(fd);
  if (index >= entries_.size()) entries_.resize(index + 64);
  return entries_[index];
}

// Brings the kernel's interest to what is wanted.
bool Poller::apply(int fd, Entry& entry) {
  epoll_event event{};
  event.events = to_epoll(entry.wanted);
  event.data.fd = fd;
  const int operation = entry.known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(epoll_.get(), operation, fd, &event) != 0) return false;
  entry.known = true;
  entry.registered = entry.wanted;
  return true;
}

bool Poller::watch(int fd, unsigned events, Client* client) {
  Entry& at = entry(fd);
  if (at.client != nullptr && at.client != client) forget(fd);
  at.client = client;
  at.wanted = static_cast<std::uint8_t>(events);
  if (at.registered == at.wanted && at.known) return true;
  // The first registration is made at once: only it tells whether the descriptor can be watched.
  if (!at.known) return apply(fd, at);
  if (!at.dirty) dirty_.push_back(fd);
  at.dirty = true;
  return true;
}

// The kernel keeps reporting what it was last told; wait() silences it if something comes.
void Poller::park(int fd) { entry(fd).wanted = 0; }

void Poller::forget(int fd) {
  Entry& at = entry(fd);
  epoll_event unused{};
  if (at.known) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, &unused);
  const bool dirty = at.dirty;
  at = Entry();
  at.dirty = dirty;  // its number still stands in dirty_
}

void Poller::apply_changes() {
  for (const int fd : dirty_) {
    Entry& at = entry(fd);
    at.dirty = false;
    if (at.client != nullptr && at.wanted != 0 && at.wanted != at.registered) apply(fd, at);
  }
  dirty_.clear();
}

bool Poller::wait(int timeout_ms, const std::function<void()>& before_wait) {
  apply_changes();
  constexpr int kBatch = 128;
  epoll_event events[kBatch];
  int count = epoll_wait(epoll_.get(), events, kBatch, before_wait ? 0 : timeout_ms);
  if (count == 0 && before_wait && timeout_ms != 0) {
    before_wait();
    count = epoll_wait(epoll_.get(), events, kBatch, timeout_ms);
  }
  for (int i = 0; i < count; ++i) {
    const int fd = events[i].data.fd;
    Entry& at = entry(fd);
    if (at.client == nullptr) continue;  // forgotten by a client before it in this batch
    if (at.wanted == 0) {
      // A parked descriptor stirs: an idle connection was closed, or sent bytes nobody asked for. With
      // no events asked for epoll would still report a hang-up for ever, so it goes out altogether.
      epoll_event unused{};
      epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, &unused);
      at.known = false;
      at.registered = 0;
      continue;
    }
    at.client->on_ready(fd, from_epoll(events[i].events));
  }
  return count > 0;
}

}  // namespace spinneret
