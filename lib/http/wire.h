// SPDX-License-Identifier: Apache-2.0
// One HTTP exchange after another over libcurl's multi interface, driven by a Poller. Only its files know libcurl: wire.cc the
// multi handles and what all exchanges share, curl_exchange.h the easy handle and how an exchange ends.
//
// It moves bytes and nothing else: no redirect, no retry, no queue, no time limit, no decoding, no cache
// of names. What a response means and when to give up is for the Exchange's owner. Addresses come with
// each call and are checked against the policy when the socket is made.
// Not thread-safe.
#ifndef SPINNERET_HTTP_WIRE_H_
#define SPINNERET_HTTP_WIRE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/address.h"
#include "http/poller.h"

namespace spinneret::http {

struct WireOptions {
  std::string agent;                 // User-Agent
  std::vector<std::string> headers;  // "Name: value" or "Name:", sent with every request
  std::string proxy;  // "http://host:port", "socks5h://..."; empty: none, whatever the environment
  std::string cookie_file;  // Netscape format, read once; empty: none to begin with
  std::string
      cookie_jar;       // where save_cookies() writes them, maybe the same; both empty: no cookies
  std::string ca_file;  // trust anchors instead of the system's
  std::string cert_file;              // PEM: shown to servers that ask for one; empty: none
  std::string key_file;               // of that certificate; empty: in the same file
  std::string interface;              // name or address that connections go out by; empty: any
  bool insecure = false;              // certificates are not verified
  bool http2 = true;                  // where TLS offers it
  bool http3 = false;                 // https by QUIC first; see has_http3()
  bool keep_request = false;          // WireHandler::on_request is called
  std::size_t max_connections = 256;  // kept open, idle ones included
  unsigned multis = 1;                // libcurl multi handles, see WireCall::multi; 32 at most
  // For each exchange; with libcurl's 16 KiB a page of 40 KiB costs three reads.
  std::size_t read_buffer = std::size_t{64} << 10;
};

// Why an exchange ended.
enum class WireEnd {
  kDone,            // the message is complete, as far as libcurl can tell
  kStopped,         // a handler returned kStop
  kRefusedAddress,  // the policy forbids every address
  kConnect,         // no connection
  kOwnTrouble,  // nothing that the other side did: no socket, no memory, an error of libcurl's use
  kNoAnswer,    // connected, and closed or reset before the first byte of an answer
  kStale,  // nothing was sent: the kept connection had been closed, or held bytes nobody asked for
  kDropped,  // WireCall::once: a kept connection ended under the request, with no answer
  kTls,
  kCut,       // the message ended early
  kProtocol,  // not HTTP
  kFlood,     // more than WireCall::max_received came
  kLongLine,  // a line of the head that is longer than libcurl holds (100 KiB)
  kBadUrl,
  kTooLate,  // WireHandler::may_send() said no
};

// What libcurl measured, in microseconds from the start; 0: did not happen (a reused connection).
struct WireTimes {
  std::int64_t connect = 0;
  std::int64_t tls = 0;
  std::int64_t first_byte = 0;
  std::int64_t total = 0;
};

enum class WireStep { kGoOn, kStop, kPause };

// Called in this order; all but on_end from within libcurl, where no exchange may be started or dropped.
class WireHandler {
 public:
  virtual ~WireHandler() = default;
  // Before the request goes out on a connection, new or reused. False: nothing is sent, and it ends with kTooLate.
  virtual bool may_send() { return true; }
  // A connection is there (new or reused), TLS and all; the request goes out now.
  virtual void on_connected(std::string_view ip) = 0;
  // With keep_request only: the request's head as sent.
  virtual void on_request(std::string_view) {}
  // A line of the head, of an interim head, or of the trailers, with its line end.
  virtual WireStep on_header(std::string_view line) = 0;
  // Body bytes without transfer coding. kPause: the same bytes come again after resume().
  virtual WireStep on_body(std::string_view bytes) = 0;
  // The exchange is over and its handle gone; others may be started from here.
  virtual void on_end(WireEnd end, std::string_view detail) = 0;
};

struct WireCall {
  std::string url;   // absolute, without fragment and user information
  std::string host;  // as in the url, with port: the key under which addresses are known
  int port = 0;
  const std::vector<IpAddress>* addresses =
      nullptr;  // new for this host in this multi, or nullptr: as before
  // Connections are shared among the calls of one multi. libcurl looks through all of them, and through all of their host's,
  // for each call: of 2,000 pages at a time that was a third of the cost, and in eight multis it is a tenth.
  unsigned multi = 0;
  const std::vector<std::string>* headers = nullptr;  // beside WireOptions::headers
  bool head_only = false;                             // HEAD
  bool fresh_connection = false;
  bool once = false;  // libcurl may not send the request again by itself: see WireEnd::kDropped
  // Of HTTP/1: bytes that the connection may receive for this exchange, framing and all: what is no body has an end, too
  // (chunk extensions). It is looked at after each sixteenth read, so as much as these may take comes on top. 0: no limit.
  std::uint64_t max_received = 0;
};

class Wire {
 public:
  // A handle: what is behind it is the wire's own.
  class Exchange {};
  // `poller` must outlive it.
  static Result<std::unique_ptr<Wire>> create(Poller& poller, const AddressPolicy& policy,
                                              WireOptions options);
  virtual ~Wire() = default;
  // Whether this libcurl was built with HTTP/3, and its version.
  static bool has_http3();
  static std::string libcurl_version();

  // `handler` must live until on_end or drop(). What cannot be started ends by the next advance(), with kOwnTrouble.
  virtual Exchange* start(const WireCall& call, WireHandler& handler) = 0;
  // Ends an exchange now, without on_end. Its connection is closed where it cannot be reused.
  virtual void drop(Exchange* exchange) = 0;
  virtual void resume(Exchange* exchange) = 0;
  virtual WireTimes times(const Exchange* exchange) const = 0;
  // Addresses of `host` are no longer needed, in no multi.
  virtual void forget_host(const std::string& host, int port) = 0;

  // Writes the cookie jar, where there is one.
  virtual Status save_cookies() = 0;

  // Milliseconds until libcurl wants attention, or -1.
  virtual int timeout_ms() const = 0;
  // Does what is due and calls on_end for what is over. To be called after each Poller::wait.
  virtual void advance() = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_WIRE_H_
