// SPDX-License-Identifier: Apache-2.0
#include "http/socket.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/ip_address.h"

namespace spinneret::http {
namespace {

// Returns false, with errno, where the socket's connection cannot go out by that interface.
bool bind_to(int fd, int family, const std::string& interface) {
  const std::optional<IpAddress> ip = parse_ip(interface);
  if (!ip) {
    const auto size = static_cast<socklen_t>(interface.size());
    return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface.data(), size) == 0;
  }
  if (ip->v4 != (family == AF_INET)) {
    errno = EADDRNOTAVAIL;
    return false;
  }
  if (ip->v4) {
    sockaddr_in from{};
    from.sin_family = AF_INET;
    std::memcpy(&from.sin_addr, ip->bytes.data() + 12, sizeof from.sin_addr);
    return ::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0;
  }
  sockaddr_in6 from{};
  from.sin6_family = AF_INET6;
  std::memcpy(&from.sin6_addr, ip->bytes.data(), sizeof from.sin6_addr);
  return ::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0;
}

}  // namespace

int open_socket(int family, int type, int protocol, const std::string& interface) {
  const int fd = ::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
  if (fd < 0 || interface.empty() || bind_to(fd, family, interface)) return fd;
  const int reason = errno;
  ::close(fd);
  errno = reason;
  return -1;
}

std::uint64_t received_by(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return info.tcpi_bytes_received;
}

}  // namespace spinneret::http
