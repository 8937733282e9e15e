// SPDX-License-Identifier: Apache-2.0
#ifndef SPINNERET_TESTS_SUPPORT_FREE_PORT_H_
#define SPINNERET_TESTS_SUPPORT_FREE_PORT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace spinneret {

// Returns a port of loopback at which nobody listens at this moment, or 0 if there is none.
inline int free_port() {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&at), size) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size) == 0;
  close(fd);
  return bound ? ntohs(at.sin_port) : 0;
}

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_FREE_PORT_H_
