// SPDX-License-Identifier: Apache-2.0
// The sockets of connections: which interface they use, and what the kernel has counted on them.
#ifndef SPINNERET_HTTP_SOCKET_H_
#define SPINNERET_HTTP_SOCKET_H_

#include <cstdint>
#include <string>

namespace spinneret::http {

// Opens a socket as socket(2) does, close-on-exec and non-blocking. If `interface` (its name, or
// one of its addresses) is not empty, the connection goes out through it. Returns -1, with errno,
// on failure.
int open_socket(int family, int type, int protocol, const std::string& interface);

// Returns how many bytes the kernel has received on a TCP connection; 0 where it does not tell.
std::uint64_t received_by(int fd);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_SOCKET_H_
