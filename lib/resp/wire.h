// SPDX-License-Identifier: Apache-2.0
// Sends bytes to a server and receives bytes from it, plain or through TLS. No wait is longer than
// the time limit, and a server that disappears does not kill the process (no SIGPIPE). Not
// thread-safe.
//
//   bool refused = false;                                 // true: another try would fail, too
//   Result<std::unique_ptr<Wire>> wire = Wire::open(host, {.on = true}, 2000, refused);
//   Status sent = (*wire)->write("PING\r\n");
//   Result<std::size_t> got = (*wire)->read(buffer);      // at least one byte
//
// With TLS the server's certificate is checked against its name, or its address if `host` is one,
// and against the authorities in `ca`, or the system's (SSL_CERT_FILE and SSL_CERT_DIR name
// others).
#ifndef SPINNERET_RESP_WIRE_H_
#define SPINNERET_RESP_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "resp/address.h"

namespace spinneret::resp {

class Wire {
 public:
  static Result<std::unique_ptr<Wire>> open(const Host& host, const Tls& tls, std::int64_t limit_ms,
                                            bool& refused);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Sets how long a single wait may take from now on.
  void set_limit(std::int64_t limit_ms) { limit_ms_ = limit_ms; }
  std::int64_t limit() const { return limit_ms_; }
  // Sends all pieces, one behind the other.
  Status write(std::span<const std::string_view> pieces);
  Result<std::size_t> read(std::span<char> into);
  // Returns whether read() failed because the server has closed the connection, or cut it.
  bool has_ended() const { return has_ended_; }

 private:
  struct Session;  // a TLS session

  explicit Wire(std::int64_t limit_ms);
  Status connect(const Host& host);
  Status shake_hands(const Host& host, const Tls& tls, bool& refused);
  Status wait(short events);
  Status send(std::string_view bytes);
  Status send_all(std::span<const std::string_view> pieces);
  Status encrypt(std::string_view bytes);
  Result<std::size_t> receive(std::span<char> into);
  Status flush();
  Status feed();

  Fd socket_;
  std::int64_t limit_ms_;
  bool has_ended_ = false;
  std::unique_ptr<Session> session_;
};

}  // namespace spinneret::resp

#endif  // SPINNERET_RESP_WIRE_H_
