// SPDX-License-Identifier: Apache-2.0
// Which descriptors are ready: epoll(7) with one owner for each descriptor.
//
// Changes of interest are gathered and applied right before the next wait, and a descriptor that is only
// parked keeps its registration: a connection that is reused for one page after another so costs no
// epoll_ctl at all, where libcurl's own sequence of remove and add would cost two a page.
// Not thread-safe.
#ifndef SPINNERET_HTTP_POLLER_H_
#define SPINNERET_HTTP_POLLER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace spinneret {

class Poller {
 public:
  // Bits of `events` and `ready`.
  static constexpr unsigned kRead = 1;
  static constexpr unsigned kWrite = 2;
  static constexpr unsigned kError = 4;  // never asked for, may always come

  class Client {
   public:
    virtual ~Client() = default;
    // May watch, park and forget any descriptor.
    virtual void on_ready(int fd, unsigned ready) = 0;
  };

  static Result<Poller> create();

  // From now on `client` hears of `events` at `fd`. False where epoll cannot watch it: a regular file,
  // which is always ready.
  bool watch(int fd, unsigned events, Client* client);
  // Nobody waits for `fd` now, but it stays open and may be watched again soon.
  void park(int fd);
  // Must be called before `fd` is closed; where that was missed, before its number is watched again for
  // another file. A client that watches a number of another client's takes it for a new file.
  void forget(int fd);

  // Waits at most `timeout_ms` (-1: for ever) and calls each ready descriptor's client. False where a
  // signal interrupted or nothing came. `before_wait`, where there is one, is called if nothing is ready.
  bool wait(int timeout_ms, const std::function<void()>& before_wait = {});

 private:
  struct Entry {
    Client* client = nullptr;
    std::uint8_t wanted = 0;
    std::uint8_t registered = 0;  // what the kernel knows; 0: nothing
    bool known = false;           // the kernel has an entry
    bool dirty = false;
  };
  explicit Poller(Fd epoll) : epoll_(std::move(epoll)) {}
  Entry& entry(int fd);
  bool apply(int fd, Entry& entry);
  void apply_changes();

  Fd epoll_;
  std::vector<Entry> entries_;  // by descriptor
  std::vector<int> dirty_;
};

}  // namespace spinneret

#endif  // SPINNERET_HTTP_POLLER_H_
