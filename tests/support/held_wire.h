// SPDX-License-Identifier: Apache-2.0
// A relay to a PostgreSQL on loopback, for one connection without TLS. It holds the server's
// answers back until the client has ended a given number of transactions: a client that waits for
// an answer before it ends the next transaction waits in vain, however fast or slow the machine is.
#ifndef SPINNERET_TESTS_SUPPORT_HELD_WIRE_H_
#define SPINNERET_TESTS_SUPPORT_HELD_WIRE_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "pg/address.h"

namespace spinneret {

class HeldWire {
 public:
  // Leads to the server at that address.
  explicit HeldWire(pg::Address address) : address_(std::move(address)) {
    far_port_ = address_.hosts[0].port;
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at = loopback(0);
    socklen_t size = sizeof at;
    bind(listener_, reinterpret_cast<sockaddr*>(&at), size);
    listen(listener_, 1);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    address_.hosts[0].port = ntohs(at.sin_port);
    address_.words.emplace_back("sslmode", "disable");
    address_.words.emplace_back("gssencmode", "disable");
    thread_ = std::thread([this] { carry(); });
  }
  ~HeldWire() {
    shutdown(listener_, SHUT_RDWR);
    ended_ = true;
    thread_.join();
    for (const int fd : {near_, far_, listener_}) close(fd);
  }
  HeldWire(const HeldWire&) = delete;
  HeldWire& operator=(const HeldWire&) = delete;

  // The address at which the relay itself listens.
  const pg::Address& address() const { return address_; }
  // Holds answers back from now on. Must be called between two calls of the client.
  void hold_until(int transactions) {
    seen_ = 0;
    wanted_ = transactions;
  }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
  }

  void carry() {
    near_ = accept(listener_, nullptr, nullptr);
    far_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in at = loopback(far_port_);
    if (near_ < 0 || connect(far_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return;
    while (!ended_) {
      const bool holds = seen_ < wanted_;
      std::array<pollfd, 2> both = {{{near_, POLLIN, 0}, {holds ? -1 : far_, POLLIN, 0}}};
      if (poll(both.data(), both.size(), 20) <= 0) continue;
      if (both[0].revents != 0 && !pass(near_, far_, true)) break;
      if (both[1].revents != 0 && !pass(far_, near_, false)) break;
    }
    shutdown(near_, SHUT_RDWR);
    shutdown(far_, SHUT_RDWR);
  }

  bool pass(int from, int to, bool is_client) {
    std::array<char, 65536> bytes;
    const ssize_t got = read(from, bytes.data(), bytes.size());
    if (got <= 0) return false;
    const std::string_view all(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t sent = 0; sent < all.size();) {
      const ssize_t put = send(to, all.data() + sent, all.size() - sent, MSG_NOSIGNAL);
      if (put <= 0) return false;
      sent += static_cast<std::size_t>(put);
    }
    if (is_client) count(all);
    return true;
  }

  // Counts transactions in the client's messages. A message is a letter, and the length of all that
  // follows; the first message has no letter. 'S' (Sync) ends a transaction.
  void count(std::string_view bytes) {
    from_client_ += bytes;
    while (true) {
      const std::size_t head = started_ ? 1 : 0;
      if (from_client_.size() < head + 4) return;
      std::size_t size = 0;
      for (std::size_t i = 0; i < 4; ++i)
        size = size << 8 | static_cast<unsigned char>(from_client_[head + i]);
      if (from_client_.size() < head + size) return;
      if (started_ && from_client_[0] == 'S') ++seen_;
      from_client_.erase(0, head + size);
      started_ = true;
    }
  }

  pg::Address address_;
  int far_port_ = 0, listener_ = -1, near_ = -1, far_ = -1;
  std::atomic<bool> ended_{false};
  std::atomic<int> seen_{0}, wanted_{0};
  std::string from_client_;
  bool started_ = false;
  std::thread thread_;
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_HELD_WIRE_H_
