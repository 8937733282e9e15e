// SPDX-License-Identifier: Apache-2.0
// For tests/bench/fetch.sh: answers each request with a page of SIZE bytes after DELAY ms. One
// thread serves thousands of connections. Prints its port.
//
//   bench-fetch_server SIZE DELAY
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <string>
#include <utility>

#include "listener.h"

using Clock = std::chrono::steady_clock;
using spinneret::bench::listen_at;
using spinneret::bench::watch;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string body(static_cast<std::size_t>(std::atol(argv[1])), 'x');
  const std::string page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " +
                           std::to_string(body.size()) + "\r\n\r\n" + body;
  const auto delay = std::chrono::milliseconds(std::atol(argv[2]));
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const int listener = listen_at(INADDR_LOOPBACK);
  const int epoll = epoll_create1(0);
  watch(epoll, listener);
  // In order, because all answers have the same delay.
  std::deque<std::pair<Clock::time_point, int>> due;
  while (true) {
    int wait = -1;
    const auto now = Clock::now();
    while (!due.empty() && due.front().first <= now) {
      const int fd = due.front().second;
      due.pop_front();
      if (send(fd, page.data(), page.size(), MSG_NOSIGNAL) < 0) close(fd);
    }
    if (!due.empty()) {
      wait = static_cast<int>(
          std::chrono::ceil<std::chrono::milliseconds>(due.front().first - now).count());
    }
    epoll_event events[256];
    const int count = epoll_wait(epoll, events, 256, wait);
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == listener) {
        for (int one; (one = accept4(listener, nullptr, nullptr, 0)) >= 0;) {
          const int yes = 1;
          setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
          watch(epoll, one);
        }
        continue;
      }
      char request[8192];
      if (recv(fd, request, sizeof request, 0) <= 0) {
        close(fd);
      } else {
        due.emplace_back(Clock::now() + delay, fd);
      }
    }
  }
}
