// SPDX-License-Identifier: Apache-2.0
// What the servers of the benchmarks have in common.
#ifndef SPINNERET_BENCH_LISTENER_H_
#define SPINNERET_BENCH_LISTENER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>

namespace spinneret::bench {

// Opens a non-blocking listener on a free port of `host`, an address in host byte order. Prints the
// port, or ends the program.
inline int listen_at(in_addr_t host) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(host);
  socklen_t size = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 4096) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::perror("listen");
    std::exit(1);
  }
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return fd;
}

// Makes epoll report when `fd` can be read.
inline void watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace spinneret::bench

#endif  // SPINNERET_BENCH_LISTENER_H_
