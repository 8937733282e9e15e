// SPDX-License-Identifier: Apache-2.0
#include "http/poller.h"

#include <sys/epoll.h>

#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/file.h"

namespace spinneret::http {
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

class EpollPoller : public Poller {
 public:
  explicit EpollPoller(Fd epoll) : epoll_(std::move(epoll)) {}
  bool watch(int fd, unsigned events, Client* client) override;
  void park(int fd) override;
  void forget(int fd) override;
  bool wait(int timeout_ms, const std::function<void()>& before_wait) override;

 private:
  struct Entry {
    Client* client = nullptr;
    std::uint8_t wanted = 0;
    std::uint8_t registered = 0;  // events that the kernel knows; 0: none
    bool known = false;           // the kernel has an entry
    bool dirty = false;
  };
  Entry& entry(int fd);
  bool apply(int fd, Entry& entry);
  void apply_changes();

  Fd epoll_;
  std::vector<Entry> entries_;  // by descriptor
  std::vector<int> dirty_;
  std::vector<int> lost_;
};

EpollPoller::Entry& EpollPoller::entry(int fd) {
  const auto index = static_cast<std::size_t>(fd);
  if (index >= entries_.size()) entries_.resize(index + 64);
  return entries_[index];
}

// Tells the kernel which events are wanted.
bool EpollPoller::apply(int fd, Entry& entry) {
  epoll_event event{};
  event.events = to_epoll(entry.wanted);
  event.data.fd = fd;
  const int operation = entry.known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(epoll_.get(), operation, fd, &event) != 0) return false;
  entry.known = true;
  entry.registered = entry.wanted;
  return true;
}

bool EpollPoller::watch(int fd, unsigned events, Client* client) {
  Entry& at = entry(fd);
  if (at.client != nullptr && at.client != client) forget(fd);
  at.client = client;
  at.wanted = static_cast<std::uint8_t>(events);
  if (at.registered == at.wanted && at.known) return true;
  // The first registration is made at once: only it tells whether the descriptor can be watched.
  if (!at.known) {
    if (apply(fd, at)) return true;
    at.client = nullptr;
    return false;
  }
  if (!at.dirty) dirty_.push_back(fd);
  at.dirty = true;
  return true;
}

// The kernel goes on reporting the events that it was told last; wait() silences it if one comes.
void EpollPoller::park(int fd) { entry(fd).wanted = 0; }

void EpollPoller::forget(int fd) {
  Entry& at = entry(fd);
  epoll_event unused{};
  if (at.known) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, &unused);
  const bool dirty = at.dirty;
  at = Entry();
  at.dirty = dirty;  // fd is still in dirty_
}

void EpollPoller::apply_changes() {
  for (const int fd : dirty_) {
    Entry& at = entry(fd);
    at.dirty = false;
    if (at.client == nullptr || at.wanted == 0 || at.wanted == at.registered) continue;
    // The kernel does not know the descriptor: it was closed without forget(). Its owner must find
    // out.
    if (!apply(fd, at)) lost_.push_back(fd);
  }
  dirty_.clear();
  for (const int fd : std::exchange(lost_, {})) {
    if (Client* const client = entry(fd).client) client->on_ready(fd, kError);
  }
}

bool EpollPoller::wait(int timeout_ms, const std::function<void()>& before_wait) {
  apply_changes();
  constexpr int kBatch = 128;
  epoll_event events[kBatch];
  int count = epoll_wait(epoll_.get(), events, kBatch, before_wait ? 0 : timeout_ms);
  if (count == 0 && before_wait && timeout_ms != 0) {
    before_wait();
    count = epoll_wait(epoll_.get(), events, kBatch, timeout_ms);
  }
  // SIGCONT is the usual signal: all input that came while the process was stopped must be read
  // before a time limit is checked.
  if (count < 0 && errno == EINTR) count = epoll_wait(epoll_.get(), events, kBatch, 0);
  for (int i = 0; i < count; ++i) {
    const int fd = events[i].data.fd;
    Entry& at = entry(fd);
    if (at.client == nullptr) continue;  // forgotten by an earlier client of this batch
    if (at.wanted == 0) {
      // An idle connection on a parked descriptor was closed, or sent bytes that nobody asked for.
      // Without requested events epoll would still report a hang-up for ever, so that the
      // descriptor is removed.
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

}  // namespace

Result<std::unique_ptr<Poller>> Poller::create() {
  Fd fd(epoll_create1(EPOLL_CLOEXEC));
  if (!fd) return system_error("cannot create an epoll instance", errno);
  return std::unique_ptr<Poller>(std::make_unique<EpollPoller>(std::move(fd)));
}

}  // namespace spinneret::http
