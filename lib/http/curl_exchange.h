// SPDX-License-Identifier: Apache-2.0
// One exchange of a Wire: a libcurl easy handle, the options of its calls, and how a call ended.
// Private to the wire.
//
//   at rest ── begin() ─▶ set up ── join() ─▶ libcurl's ── leave() ─▶ over ── rest() ─▶ at rest
//
// The handle is kept for the next call, together with the options that never change.
#ifndef SPINNERET_HTTP_CURL_EXCHANGE_H_
#define SPINNERET_HTTP_CURL_EXCHANGE_H_

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/address.h"
#include "http/connection_book.h"
#include "http/cookie_limit.h"
#include "http/poller.h"
#include "http/tls_guard.h"
#include "http/wire.h"

namespace spinneret::http {

// A curl_slist whose tail may be shared: clear() frees the lines that were added here, but not the
// tail.
class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { clear(); }
  // Returns false where memory ran out; nothing is added then.
  bool add(const std::string& line);
  curl_slist* with_tail(curl_slist* tail);
  curl_slist* get() const { return own_; }
  bool empty() const { return own_ == nullptr; }
  void clear();

 private:
  curl_slist* own_ = nullptr;
  curl_slist* last_ = nullptr;  // last line of own_, to which a tail may be attached
};

// The state that all exchanges of a wire share.
struct CurlCommon {
  bool keeps_cookies() const { return options.keeps_cookies(); }
  // Forgets all that is known of a descriptor. Called when it is closed, and again when its number
  // comes back, since libcurl 7.88 does not tell when it closes a connection that is dropped while
  // it is being made.
  void take_number(curl_socket_t fd);

  Poller& poller;
  AddressPolicy policy;
  WireOptions options;
  CURLSH* share = nullptr;  // of TLS sessions and cookies
  HeaderList headers;       // lines of WireOptions::headers
  ConnectionBook book;
  CookieLimit cookies;
  TlsGuard guard;
};

class CurlExchange : public Wire::Exchange {
 public:
  // `common` must outlive the exchange.
  explicit CurlExchange(CurlCommon& common) : common_(common) {}
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;
  ~CurlExchange() { discard(); }

  // Sets up a call, with a new handle where the present one cannot be relied on. `forgotten` lists
  // the entries that CURLOPT_RESOLVE is to take back ("-host:port"), and is cleared. Returns false
  // where memory ran out.
  bool begin(const WireCall& call, WireHandler& handler, std::vector<std::string>& forgotten);
  CURLMcode join(CURLM* multi);
  // Lets libcurl continue with bytes that the handler would not take before.
  CURLcode resume() { return curl_easy_pause(easy_, CURLPAUSE_CONT); }
  // Returns whether the handler returned kStop.
  bool stopped() const { return ended_by_us_ == WireEnd::kStopped; }
  // Ends the call with this result, whatever libcurl reports for it. Returns false where the call
  // was broken off before, or none is set up.
  bool break_off(WireEnd end, std::string detail);
  bool broken() const { return broken_.has_value(); }
  // Takes note that the guard has ended the connection of this descriptor.
  void note_ended_by_guard(int fd) {
    const bool ours =
        call_.fd == fd || std::count(call_.opened.begin(), call_.opened.end(), fd) != 0;
    if (ours && fd >= 0) call_.guarded = true;
  }
  // Returns how the call ended, given that libcurl reports `code` for it.
  WireEnd end(CURLcode code, std::string& detail) const;
  WireEnd end_unanswered(CURLcode code, WireEnd end) const;
  long status() const;  // status of the last answer
  // Takes the handle from libcurl. A handle that libcurl does not release is not used again.
  void leave();
  void rest();

  WireHandler* handler() const { return handler_; }  // nullptr: at rest
  CURLM* multi() const { return multi_; }
  CURL* easy() const { return easy_; }  // nullptr: out of memory
  WireTimes times() const;

 private:
  void discard();
  void refresh();
  // Sets an option; sound_ becomes false where it cannot be set.
  template <typename Value>
  void set(CURLoption option, Value value) {
    if (easy_ == nullptr || curl_easy_setopt(easy_, option, value) != CURLE_OK) sound_ = false;
  }
  void set_constant_options();
  void set_version();
  void set_tls_options();
  void set_callbacks();
  void set_addresses(const WireCall& call, std::vector<std::string>& forgotten);

  bool is_of_another_version(std::string_view line) const;
  bool agreed_on_http2() const;
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static curl_socket_t on_open(void* self, curlsocktype, curl_sockaddr* address);
  static int on_close(void* common, curl_socket_t fd);
  static int on_resolve(void*, void*, void* self);
  static int on_request_ready(void* self, char* ip, char*, int port, int local_port);
  static CURLcode on_tls(CURL*, void* context, void* common);
  static int on_read(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  static int on_debug(CURL*, curl_infotype type, char* bytes, std::size_t size, void* self);

  // Whether any of the host's addresses was tried: one that was tried outweighs those that were
  // refused.
  enum class Tried : std::uint8_t { kNone, kOnlyRefused, kAddress };
  struct Broken {
    WireEnd end;
    std::string detail;
  };
  // How much of WireCall::max_received has come so far.
  struct Flood {
    std::uint64_t limit = 0;
    // Bytes that the connection had received when it was first looked at.
    std::optional<std::uint64_t> before;
    unsigned reads = 0;
  };
  // The state of one call; reset for the next one.
  struct Call {
    bool once = false;       // WireCall::once
    bool secure = false;     // the URL is https
    std::string host;        // where cookies are kept: the host that may set them
    bool literal = false;    // the host is an IPv6 address, which CURLOPT_RESOLVE does not take
    bool got_bytes = false;  // some bytes of a response have come
    bool guarded = false;    // TlsGuard has ended its connection
    bool sent = false;       // the request has been sent
    Tried tried = Tried::kNone;
    // The address that the policy refused, and why.
    std::string refused;
    // An errno of this process: no socket could be made.
    int trouble = 0;
    std::vector<curl_socket_t> opened;  // sockets that were made for the call
    // The descriptor of the call's connection, where it is known.
    curl_socket_t fd = CURL_SOCKET_BAD;
    Flood flood;
    std::uint64_t failed_before = 0;  // failed_allocations() when the call began
  };

  CurlCommon& common_;
  CURL* easy_ = nullptr;
  CURLM* multi_ = nullptr;  // the multi in which the present call runs
  bool sound_ = true;       // all options could be set
  WireHandler* handler_ = nullptr;
  HeaderList headers_;
  HeaderList resolve_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  // How the call ends, where a callback made libcurl end it.
  std::optional<WireEnd> ended_by_us_;
  std::optional<Broken> broken_;
  Call call_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_CURL_EXCHANGE_H_
