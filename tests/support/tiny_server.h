// SPDX-License-Identifier: Apache-2.0
// A server in a thread, for unit tests: answers each request with what a function returns. It
// speaks HTTP, unless another function says how long a request is.
#ifndef SPINNERET_TESTS_SUPPORT_TINY_SERVER_H_
#define SPINNERET_TESTS_SUPPORT_TINY_SERVER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace spinneret {

class TinyServer {
 public:
  // Gets the request's head and returns the bytes to send. An empty answer closes the connection.
  using Answer = std::function<std::string(const std::string& head)>;

  // Returns the length of the request with which the bytes begin, or 0 if it is not complete.
  using Length = std::function<std::size_t(const std::string& bytes)>;

  // `piece`: the number of bytes sent at once.
  explicit TinyServer(Answer answer, Length length = head_length, std::size_t piece = 1 << 30)
      : answer_(std::move(answer)), length_(std::move(length)), piece_(piece) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    listen(listener_, 128);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    threads_.emplace_back([this] { accept_all(); });
  }
  ~TinyServer() {
    stopping_ = true;
    threads_.front().join();
    threads_.pop_front();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }
  int port() const { return port_; }
  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  int connections() const { return connections_; }
  std::vector<std::string> requests() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return requests_;
  }

  static std::size_t head_length(const std::string& bytes) {
    const std::size_t end = bytes.find("\r\n\r\n");
    return end == std::string::npos ? 0 : end + 4;
  }
  static std::string ok(const std::string& body, const std::string& fields = "") {
    return "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }

 private:
  bool readable(int fd) const {
    while (!stopping_) {
      pollfd ready{fd, POLLIN, 0};
      if (poll(&ready, 1, 20) > 0) return true;
    }
    return false;
  }
  void accept_all() {
    while (readable(listener_)) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      ++connections_;
      threads_.emplace_back([this, fd] { serve(fd); });
    }
  }
  bool reply(int fd, const std::string& request) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      requests_.push_back(request);
    }
    const std::string text = answer_(request);
    for (std::size_t at = 0; at < text.size(); at += piece_) {
      const std::string_view part = std::string_view(text).substr(at, piece_);
      if (::send(fd, part.data(), part.size(), MSG_NOSIGNAL) < 0) return false;
    }
    return !text.empty();
  }
  void serve(int fd) {
    std::string data;
    while (readable(fd)) {
      char block[4096];
      const ssize_t got = ::recv(fd, block, sizeof block, 0);
      if (got <= 0) break;
      data.append(block, static_cast<std::size_t>(got));
      bool open = true;
      for (std::size_t size = 0; open && (size = length_(data)) != 0; data.erase(0, size))
        open = reply(fd, data.substr(0, size));
      if (!open) break;
    }
    ::close(fd);
  }

  Answer answer_;
  Length length_;
  std::size_t piece_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  std::vector<std::string> requests_;
  // The first thread accepts connections and adds the others.
  std::list<std::thread> threads_;
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_TINY_SERVER_H_
