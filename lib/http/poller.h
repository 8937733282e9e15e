// SPDX-License-Identifier: Apache-2.0
// Waits until descriptors are ready; each has one owner. The engine does all its waiting here, and
// a test has a poller of its own in which no time passes. Not thread-safe.
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
  static constexpr unsigned kError = 4;  // never asked for, but may always come

  class Client {
   public:
    virtual ~Client() = default;
    // May watch, park and forget any descriptor.
    virtual void on_ready(int fd, unsigned ready) = 0;
  };

  // Makes a poller over epoll(7). Changes of interest are collected and applied right before the
  // next wait, and a parked descriptor stays registered. A connection that is reused for one page
  // after another therefore costs no epoll_ctl at all, where libcurl's own sequence of remove and
  // add would cost two a page.
  static Result<std::unique_ptr<Poller>> create();
  virtual ~Poller() = default;

  // Tells `client` of `events` at `fd` from now on. Returns false, with errno, for a regular file,
  // which is always ready (EPERM), and where the kernel takes no more descriptors (ENOMEM, ENOSPC);
  // `fd` is then unknown.
  virtual bool watch(int fd, unsigned events, Client* client) = 0;
  // Stops telling of `fd`, which stays open and is likely to be watched again.
  virtual void park(int fd) = 0;
  // Must be called before `fd` is closed or, where that was missed, before its number is watched
  // again for another file. A client that watches a number of another client's is taken to mean a
  // new file.
  virtual void forget(int fd) = 0;

  // Waits for at most `timeout_ms` (-1: for ever) and calls the client of each descriptor that is
  // ready. Returns false where nothing came, or a signal interrupted the wait. Calls `before_wait`,
  // if given, if nothing is ready at once.
  virtual bool wait(int timeout_ms, const std::function<void()>& before_wait = {}) = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_POLLER_H_
