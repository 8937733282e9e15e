// SPDX-License-Identifier: Apache-2.0
// Finds the descriptor of a kept connection, to tell whether the next request may go over it.
// Private to the wire.
//
// libcurl tells the addresses at both ends of a request's connection, but never its descriptor. So
// descriptors are noted by those addresses when they are connected.
#ifndef SPINNERET_HTTP_CONNECTION_BOOK_H_
#define SPINNERET_HTTP_CONNECTION_BOOK_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace spinneret::http {

class ConnectionBook {
 public:
  // Both ends of a connection.
  struct Ends {
    std::string_view ip;
    int port = 0;
    int local_port = 0;
  };

  // Finds out which of the sockets in `opened` was connected with these ends, and notes it. Returns
  // it, or -1.
  int note(const Ends& ends, const std::vector<int>& opened);
  // Notes that an HTTP/1 response has come over `fd`.
  void note_http1(int fd) { at(fd).http1 = true; }
  bool is_http1(int fd) { return at(fd).http1; }
  // Returns the descriptor of a kept connection, or -1.
  int descriptor(const Ends& ends) const;
  // Must be called when `fd` was closed, or when its number is used again.
  void forget(int fd);
  // Returns whether a kept HTTP/1 connection has received bytes, or its end, before the request is
  // sent. Such bytes would be taken for the response, and libcurl 7.88 takes them to mean that the
  // connection is alive. Costs one recv(2).
  bool is_stale(const Ends& ends);

 private:
  struct Socket {
    std::uint64_t connection = 0;  // key of its ends; 0: not known
    bool http1 = false;
  };
  Socket& at(int fd);

  std::vector<Socket> sockets_;  // by descriptor
  std::unordered_map<std::uint64_t, int> by_ends_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_CONNECTION_BOOK_H_
