// SPDX-License-Identifier: Apache-2.0
#include "http/connection_book.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/hash.h"

namespace spinneret::http {
namespace {

std::uint64_t key_of(const ConnectionBook::Ends& ends) {
  const auto port = static_cast<std::uint64_t>(ends.port);
  return hash64(ends.ip, port << 16 | static_cast<unsigned>(ends.local_port));
}

}  // namespace

ConnectionBook::Socket& ConnectionBook::at(int fd) {
  const auto index = static_cast<std::size_t>(fd);
  if (index >= sockets_.size()) sockets_.resize(index + 64);
  return sockets_[index];
}

int ConnectionBook::note(const Ends& ends, const std::vector<int>& opened) {
  for (const int fd : opened) {
    sockaddr_in6 own{};
    socklen_t size = sizeof own;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) != 0) continue;
    // The port stands at the same place in both families' addresses.
    if (ntohs(own.sin6_port) != ends.local_port) continue;
    at(fd).connection = key_of(ends);
    by_ends_[at(fd).connection] = fd;
    return fd;
  }
  return -1;
}

void ConnectionBook::forget(int fd) {
  Socket& known = at(fd);
  if (known.connection != 0) by_ends_.erase(known.connection);
  known = {};
}

int ConnectionBook::descriptor(const Ends& ends) const {
  const auto found = by_ends_.find(key_of(ends));
  return found == by_ends_.end() ? -1 : found->second;
}

bool ConnectionBook::is_stale(const Ends& ends) {
  const auto found = by_ends_.find(key_of(ends));
  if (found == by_ends_.end() || !at(found->second).http1) return false;
  char byte = 0;
  return ::recv(found->second, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

}  // namespace spinneret::http
