// SPDX-License-Identifier: Apache-2.0
// Runs HTTP exchanges over libcurl's multi interface, driven by a Poller. Only the wire's own files
// use libcurl: wire.cc has the multi handles and what all exchanges share, curl_exchange.h the easy
// handle and how an exchange ends.
//
// A wire moves bytes and does nothing else: it has no redirects, retries, queue, time limits,
// decoding, or cache of names. The owner of an Exchange decides what a response means and when to
// give up. Addresses come with each call, and are checked against the policy when the socket is
// made. Not thread-safe.
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
  std::string cookie_file;  // Netscape format, read once; empty: start without cookies
  // Where save_cookies() writes them, perhaps the same file; both empty: no cookies.
  std::string cookie_jar;
  std::string ca_file;  // trust anchors instead of the system's
  // In PEM, for servers that ask for a certificate; empty: none.
  std::string cert_file;
  std::string key_file;  // the key of that certificate; empty: it is in the same file
  // Name or address of the interface that connections use; empty: any.
  std::string interface;
  bool insecure = false;              // do not verify certificates
  bool http2 = true;                  // use HTTP/2 where TLS offers it
  bool http3 = false;                 // try https by QUIC first; see has_http3()
  bool keep_request = false;          // call WireHandler::on_request
  std::size_t max_connections = 256;  // kept open, idle ones included
  // Number of libcurl's multi handles, 32 at most; see WireCall::multi.
  unsigned multis = 1;
  // Buffer size of an exchange. With libcurl's own 16 KiB a page of 40 KiB takes three reads.
  std::size_t read_buffer = std::size_t{64} << 10;

  bool keeps_cookies() const { return !cookie_file.empty() || !cookie_jar.empty(); }
};

// Why an exchange ended.
enum class WireEnd {
  kDone,            // the message is complete, as far as libcurl can tell
  kStopped,         // a handler returned kStop
  kRefusedAddress,  // the policy forbids all addresses
  kConnect,         // no connection could be made
  kOwnTrouble,      // not the other side's fault: no socket, no memory, or a wrong use of libcurl
  kNoAnswer,  // connected, but closed, or the stream reset, before the first byte of an answer
  kStale,     // nothing was sent: the kept connection was closed, or had received unexpected bytes
  // WireCall::once is set, and a kept connection, or its stream, ended under the request without an
  // answer.
  kDropped,
  // kDone, with 408 on a kept connection: the server may have given it up before the request came.
  kGivenUp,
  kTooFast,  // an HTTP/2 stream was reset with ENHANCE_YOUR_CALM before the first byte of an answer
  kTls,
  kCut,  // the message ended early
  // A kind of kCut: something that HTTP/2 itself had to send met a reset. The rest of the message
  // may have come, but was not read.
  kUnheard,
  kProtocol,  // not HTTP
  kFlood,     // more bytes than WireCall::max_received came
  // A line of the head, or an HTTP/2 head, is longer than libcurl's limit (100 KiB for a line).
  kLongLine,
  kBadUrl,
  kTooLate,  // WireHandler::may_send() said no
};

// Times that libcurl measured, in microseconds from the start; 0: that step did not happen, as with
// a reused connection.
struct WireTimes {
  std::int64_t connect = 0;
  std::int64_t tls = 0;
  std::int64_t first_byte = 0;
  std::int64_t total = 0;
};

enum class WireStep { kGoOn, kStop, kPause };

// The functions are called in this order, all but on_end from within libcurl, where no exchange may
// be started or dropped.
class WireHandler {
 public:
  virtual ~WireHandler() = default;
  // Called before the request goes out on a connection, new or reused. If it returns false nothing
  // is sent, and the exchange ends with kTooLate.
  virtual bool may_send() { return true; }
  // Called when the connection (new or reused) is ready, including TLS; the request goes out now.
  virtual void on_connected(std::string_view ip) = 0;
  // Called with keep_request only: gives the request's head as sent.
  virtual void on_request(std::string_view) {}
  // Gives a line, with its line end, of the head, an interim head, or the trailers.
  virtual WireStep on_header(std::string_view line) = 0;
  // Gives bytes of the body without transfer coding. After kPause the same bytes come again when
  // resume() is called.
  virtual WireStep on_body(std::string_view bytes) = 0;
  // The exchange is over and its handle gone. Others may be started from here.
  virtual void on_end(WireEnd end, std::string_view detail) = 0;
};

struct WireCall {
  std::string url;   // absolute, without fragment and user information
  std::string host;  // as in the URL: with the port it is the key of the addresses
  int port = 0;
  // New for this host in this multi; nullptr: those of earlier calls.
  const std::vector<IpAddress>* addresses = nullptr;
  // Calls in one multi share connections. For each call libcurl looks through all of a multi's
  // connections, and through all of the host's; with 2,000 pages at a time that was a third of the
  // cost, and with eight multis it is a tenth.
  unsigned multi = 0;
  const std::vector<std::string>* headers = nullptr;  // sent beside WireOptions::headers
  bool head_only = false;                             // send HEAD
  bool fresh_connection = false;
  // libcurl may not send the request again by itself: see WireEnd::kDropped.
  bool once = false;
  // For HTTP/1: how many bytes the connection may receive for this exchange, including framing, so
  // that an endless head or chunk extension ends, too. It is checked after each sixteenth read,
  // which may add that much. 0: no limit.
  std::uint64_t max_received = 0;
};

class Wire {
 public:
  // An opaque handle for an exchange.
  class Exchange {};
  // `poller` must outlive the wire.
  static Result<std::unique_ptr<Wire>> create(Poller& poller, const AddressPolicy& policy,
                                              WireOptions options);
  virtual ~Wire() = default;
  // Returns whether this libcurl has HTTP/3, and its version.
  static bool has_http3();
  static std::string libcurl_version();

  // Starts an exchange. `handler` must live until on_end or drop(). An exchange that cannot be
  // started ends by the next advance(), with kOwnTrouble.
  virtual Exchange* start(const WireCall& call, WireHandler& handler) = 0;
  // Ends an exchange now, without on_end. Its connection is closed where it cannot be reused.
  virtual void drop(Exchange* exchange) = 0;
  virtual void resume(Exchange* exchange) = 0;
  virtual WireTimes times(const Exchange* exchange) const = 0;
  // Drops the addresses of `host` in all multis.
  virtual void forget_host(const std::string& host, int port) = 0;

  // Writes the cookie jar, where there is one.
  virtual Status save_cookies() = 0;

  // Returns the milliseconds until libcurl must be called again, or -1 for never.
  virtual int timeout_ms() const = 0;
  // Does the work that is due, and calls on_end for exchanges that are over. Must be called after
  // each Poller::wait.
  virtual void advance() = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_WIRE_H_
