// SPDX-License-Identifier: Apache-2.0
// Which descriptors are ready, one owner for each. The engine's place of waiting: a test has one of its own, in which no
// time passes.
// Not thread-safe.
#ifndef SPINNERET_HTTP_POLLER_H_
#define SPINNERET_HTTP_POLLER_H_

#include <functional>
#include <memory>

#include "base/result.h"

namespace spinneret::http {

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

  // By epoll(7). Changes of interest are gathered and applied right before the next wait, and a descriptor that is only
  // parked keeps its registration: a connection that is reused for one page after another so costs no epoll_ctl at all,
  // where libcurl's own sequence of remove and add would cost two a page.
  static Result<std::unique_ptr<Poller>> create();
  virtual ~Poller() = default;

  // From now on `client` hears of `events` at `fd`. False, with errno, where that cannot be: a regular file, which is
  // always ready (EPERM), or no room for one more (ENOMEM, ENOSPC). Nothing is known of `fd` then.
  virtual bool watch(int fd, unsigned events, Client* client) = 0;
  // Nobody waits for `fd` now, but it stays open and may be watched again soon.
  virtual void park(int fd) = 0;
  // Must be called before `fd` is closed; where that was missed, before its number is watched again for
  // another file. A client that watches a number of another client's takes it for a new file.
  virtual void forget(int fd) = 0;

  // Waits at most `timeout_ms` (-1: for ever) and calls each ready descriptor's client. False where a
  // signal interrupted or nothing came. `before_wait`, where there is one, is called if nothing is ready.
  virtual bool wait(int timeout_ms, const std::function<void()>& before_wait = {}) = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_POLLER_H_
