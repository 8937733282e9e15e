// SPDX-License-Identifier: Apache-2.0
// Ends a TLS connection that keeps this process from serving all others, and tells which protocol a
// connection speaks. Private to the wire.
//
// OpenSSL goes on reading as long as what comes is no data (session tickets, requests for another
// handshake), and libcurl 7.88 as long as HTTP/2's own frames come. A server that sent these faster
// than they are read was never left: no time limit was checked, and no other host had its turn. So
// the guard measures the processor time that a connection takes in one turn of libcurl, less the
// time of our callbacks. 1.3 MB/s of tickets are enough to fill a core; a page of 10 MB takes some
// 20 ms.
#ifndef SPINNERET_HTTP_TLS_GUARD_H_
#define SPINNERET_HTTP_TLS_GUARD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

struct ssl_st;  // a TLS connection of OpenSSL

namespace spinneret::http {

class TlsGuard {
 public:
  // `most_ns` is the processor time that a connection may take in one turn.
  explicit TlsGuard(std::int64_t most_ns = 250'000'000) : most_ns_(most_ns) {}
  // Returns whether the guard can watch the connections of a libcurl with this TLS library
  // ("OpenSSL/3.0.22").
  static bool knows(const char* library) {
    return library != nullptr && std::string_view(library).starts_with("OpenSSL/");
  }
  // Watches the connections of an SSL_CTX, which must not outlive the guard. A connection that
  // takes too long is ended as if its server had closed it, in the middle of its data.
  void watch(void* context);
  // Returns whether the client and the server of an SSL have agreed on HTTP/2.
  static bool is_http2(const void* connection);
  void begin_turn() {
    connection_ = nullptr;
    ended_ = false;
  }
  // Returns whether the guard has ended a connection in this turn. libcurl blames the server for
  // that, in words of its own.
  bool ended() const { return ended_; }
  static constexpr const char* kWhy = "the server sent more TLS records than can be read in a turn";
  // Time between these two counts for no connection.
  void pause();
  void resume();

 private:
  static void on_piece(int written, int version, int type, const void* bytes, std::size_t size,
                       ssl_st* connection, void* self);
  bool measures() const { return connection_ != nullptr && pieces_ >= kPiecesPerLook; }

  // Number of records and messages between two looks at the clock, which is a system call. Most
  // turns read fewer.
  static constexpr unsigned kPiecesPerLook = 64;

  std::int64_t most_ns_;
  const void* connection_ = nullptr;  // the connection that is being read
  bool ended_ = false;
  unsigned pieces_ = 0;        // pieces of connection_ in this turn
  std::int64_t since_ns_ = 0;  // processor time at the first look
  std::int64_t paused_ns_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_TLS_GUARD_H_
