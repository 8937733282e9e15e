// SPDX-License-Identifier: Apache-2.0
// Runs HTTP exchanges over libcurl's multi interface, driven by a Poller. Only its own files use libcurl: wire.cc the
// multi handles and what all exchanges share, curl_exchange.h the easy handle and how an exchange ends.
//
// It moves bytes and does nothing else: it has no redirects, retries, queue, time limits, decoding, or cache of
// names. The owner of an Exchange decides what a response means and when to give up. Addresses come with each call,
// and are checked against the policy when the socket is made. Not thread-safe.
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
  std::string
      cookie_jar;       // where save_cookies() writes them, maybe the same; both empty: no cookies
  std::string ca_file;  // trust anchors instead of the system's
  // PEM, shown to servers that ask for a certificate; empty: none
  std::string cert_file;
  std::string key_file;  // the key of that certificate; empty: it is in the same file
  // name or address of the interface that connections use; empty: any
  std::string interface;
  bool insecure = false;              // certificates are not verified
  bool http2 = true;                  // where TLS offers it
  bool http3 = false;                 // https by QUIC first; see has_http3()
  bool keep_request = false;          // call WireHandler::on_request
  std::size_t max_connections = 256;  // kept open, idle ones included
  unsigned multis = 1;                // libcurl multi handles, see WireCall::multi; 32 at most
  // A buffer for each exchange. With libcurl's own 16 KiB a page of 40 KiB takes three reads.
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
  kNoAnswer,  // connected, but closed, or its stream reset, before the first byte of an answer
  kStale,     // nothing was sent: the kept connection was closed, or had received unexpected bytes
  kDropped,  // WireCall::once: a kept connection ended under the request, or its stream was reset, without an answer
  kGivenUp,  // kDone, with 408 on a kept connection, which the server may have given up before the request came
  kTooFast,  // an HTTP/2 stream was reset with ENHANCE_YOUR_CALM before the first byte of an answer
  kTls,
  kCut,  // the message ended early
  kUnheard,  // kCut, for what HTTP/2 itself had to send met a reset: the rest may have come, and was not read
  kProtocol,  // not HTTP
  kFlood,     // more than WireCall::max_received came
  kLongLine,  // a line of the head, or an HTTP/2 head, that is longer than libcurl holds (100 KiB)
  kBadUrl,
  kTooLate,  // WireHandler::may_send() said no
};

// Times that libcurl measured, in microseconds from the start; 0: it did not happen (a reused connection).
struct WireTimes {
  std::int64_t connect = 0;
  std::int64_t tls = 0;
  std::int64_t first_byte = 0;
  std::int64_t total = 0;
};

enum class WireStep { kGoOn, kStop, kPause };

// The functions are called in this order, all but on_end from within libcurl, where no exchange may be started or
// dropped.
class WireHandler {
 public:
  virtual ~WireHandler() = default;
  // Called before the request goes out on a connection, new or reused. False: nothing is sent, and the exchange ends
  // with kTooLate.
  virtual bool may_send() { return true; }
  // The connection (new or reused) is ready, including TLS; the request goes out now.
  virtual void on_connected(std::string_view ip) = 0;
  // With keep_request only: the request's head as sent.
  virtual void on_request(std::string_view) {}
  // A line, with its line end, of the head, an interim head, or the trailers.
  virtual WireStep on_header(std::string_view line) = 0;
  // Bytes of the body without transfer coding. After kPause the same bytes come again when resume() is called.
  virtual WireStep on_body(std::string_view bytes) = 0;
  // The exchange is over and its handle gone. Others may be started from here.
  virtual void on_end(WireEnd end, std::string_view detail) = 0;
};

struct WireCall {
  std::string url;   // absolute, without fragment and user information
  std::string host;  // as in the url, with port: the key under which addresses are known
  int port = 0;
  const std::vector<IpAddress>* addresses =
      nullptr;  // new for this host in this multi, or nullptr: as before
  // Calls in one multi share connections. For each call libcurl looks through all of a multi's connections, and
  // through all of the host's; with 2,000 pages at a time that was a third of the cost, and with eight multis it is a
  // tenth.
  unsigned multi = 0;
  const std::vector<std::string>* headers = nullptr;  // beside WireOptions::headers
  bool head_only = false;                             // HEAD
  bool fresh_connection = false;
  bool once = false;  // libcurl may not send the request again by itself: see WireEnd::kDropped
  // For HTTP/1: how many bytes the connection may receive for this exchange, including framing, so that an endless
  // head or chunk extension ends, too. It is checked after each sixteenth read, which may add that much. 0: no limit.
  std::uint64_t max_received = 0;
};

class Wire {
 public:
  // An opaque handle for an exchange.
  class Exchange {};
  // `poller` must outlive it.
  static Result<std::unique_ptr<Wire>> create(Poller& poller, const AddressPolicy& policy,
                                              WireOptions options);
  virtual ~Wire() = default;
  // Whether this libcurl has HTTP/3, and its version.
  static bool has_http3();
  static std::string libcurl_version();

  // `handler` must live until on_end or drop(). An exchange that cannot be started ends by the next advance(), with
  // kOwnTrouble.
  virtual Exchange* start(const WireCall& call, WireHandler& handler) = 0;
  // Ends an exchange now, without on_end. Its connection is closed where it cannot be reused.
  virtual void drop(Exchange* exchange) = 0;
  virtual void resume(Exchange* exchange) = 0;
  virtual WireTimes times(const Exchange* exchange) const = 0;
  // Drops the addresses of `host` in all multis.
  virtual void forget_host(const std::string& host, int port) = 0;

  // Writes the cookie jar, where there is one.
  virtual Status save_cookies() = 0;

  // Milliseconds until libcurl must be called again, or -1 for never.
  virtual int timeout_ms() const = 0;
  // Does what is due and calls on_end for exchanges that are over. Call it after each Poller::wait.
  virtual void advance() = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_WIRE_H_
