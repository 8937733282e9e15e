// SPDX-License-Identifier: Apache-2.0
// The sockets of connections: how they go out, and what the kernel has counted on them.
#ifndef SPINNERET_HTTP_SOCKET_H_
#define SPINNERET_HTTP_SOCKET_H_

#include <cstdint>
#include <string>

namespace spinneret::http {

// As socket(2), closed on exec and non-blocking, and of an `interface` that is not empty (its name, or an address of it) the
// connection goes out by that. -1, with errno, where that cannot be.
int open_socket(int family, int type, int protocol, const std::string& interface);

// Bytes that the kernel has received on a TCP connection; 0 where it does not tell.
std::uint64_t received_by(int fd);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_SOCKET_H_
