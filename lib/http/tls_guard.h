// SPDX-License-Identifier: Apache-2.0
// Ends a TLS connection that keeps this process from all others, and tells what it speaks. Private to the wire.
//
// OpenSSL reads on for as long as what comes is no data (session tickets, wishes for another handshake), and libcurl 7.88
// for as long as it is frames of HTTP/2's own. A server that sends such faster than they are read was never left: no
// time limit was looked at, and no other host had its turn. So the processor time is measured that a connection takes
// in one turn of libcurl, without what our callbacks take of it. 1.3 MB/s of tickets are enough to fill a core; a page
// of 10 MB takes some 20 ms.
#ifndef SPINNERET_HTTP_TLS_GUARD_H_
#define SPINNERET_HTTP_TLS_GUARD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

struct ssl_st;  // a connection of OpenSSL

namespace spinneret::http {

class TlsGuard {
 public:
  // A connection may take so much in one turn.
  explicit TlsGuard(std::int64_t most_ns = 250'000'000) : most_ns_(most_ns) {}
  // Whether it can watch the connections of a libcurl with this TLS library ("OpenSSL/3.0.22").
  static bool knows(const char* library) {
    return library != nullptr && std::string_view(library).starts_with("OpenSSL/");
  }
  // Watches the connections of an SSL_CTX, which must not outlive the guard. To the one that takes too long it looks as if
  // its server had closed it, in the middle of whatever was to come.
  void watch(void* context);
  // Whether the client and the server of an SSL have agreed on HTTP/2.
  static bool is_http2(const void* connection);
  void begin_turn() {
    connection_ = nullptr;
    ended_ = false;
  }
  // Whether it has ended a connection in this turn, for which libcurl blames the server in words of its own.
  bool ended() const { return ended_; }
  static constexpr const char* kWhy = "the server sent more TLS records than can be read in a turn";
  // What passes between these two is no connection's time.
  void pause();
  void resume();

 private:
  static void on_piece(int written, int version, int type, const void* bytes, std::size_t size,
                       ssl_st* connection, void* self);
  bool measures() const { return connection_ != nullptr && pieces_ >= kPiecesPerLook; }

  // Records and messages between two looks at the clock, which is a system call. Most turns read fewer.
  static constexpr unsigned kPiecesPerLook = 64;

  std::int64_t most_ns_;
  const void* connection_ = nullptr;  // the one that is being read
  bool ended_ = false;
  unsigned pieces_ = 0;        // of it, in this turn
  std::int64_t since_ns_ = 0;  // processor time at the first look
  std::int64_t paused_ns_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_TLS_GUARD_H_
