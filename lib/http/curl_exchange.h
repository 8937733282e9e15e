// SPDX-License-Identifier: Apache-2.0
// One exchange of a Wire: a libcurl easy handle, the options of its calls, and how a call ended. Private to the wire.
//
//   at rest ── begin() ─▶ set up ── join() ─▶ libcurl's ── leave() ─▶ over ── rest() ─▶ at rest
//
// The handle stays for the next call, with the options that are the same for all.
#ifndef SPINNERET_HTTP_CURL_EXCHANGE_H_
#define SPINNERET_HTTP_CURL_EXCHANGE_H_

#include <curl/curl.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/address.h"
#include "http/connection_book.h"
#include "http/poller.h"
#include "http/wire.h"

namespace spinneret::http {

// A curl_slist whose tail may be shared: what was added here is freed, the tail is not.
class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { clear(); }
  // False: out of memory, and nothing was added.
  bool add(const std::string& line);
  curl_slist* with_tail(curl_slist* tail);
  curl_slist* get() const { return own_; }
  bool empty() const { return own_ == nullptr; }
  void clear();

 private:
  curl_slist* own_ = nullptr;
  curl_slist* last_ = nullptr;  // of own_, where a tail may hang on it
};

// What all exchanges of a wire have in common.
struct CurlCommon {
  bool keeps_cookies() const { return !options.cookie_file.empty() || !options.cookie_jar.empty(); }
  // What was known of a descriptor goes when it is closed, and once more when its number comes back: libcurl 7.88 closes a
  // connection that is dropped while it is being made without a word.
  void take_number(curl_socket_t fd);

  Poller& poller;
  AddressPolicy policy;
  WireOptions options;
  CURLSH* share = nullptr;  // TLS sessions, and cookies
  HeaderList headers;       // WireOptions::headers
  ConnectionBook book;
};

class CurlExchange : public Wire::Exchange {
 public:
  // `common` must outlive it.
  explicit CurlExchange(CurlCommon& common) : common_(common) {}
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;
  ~CurlExchange() { discard(); }

  // Sets up a call, with a new handle where there is none that is sound. `forgotten`: what CURLOPT_RESOLVE takes back
  // ("-host:port"), which is cleared. False: out of memory.
  bool begin(const WireCall& call, WireHandler& handler, std::vector<std::string>& forgotten);
  CURLMcode join(CURLM* multi);
  // Has libcurl go on with bytes that the handler held.
  CURLcode resume() { return curl_easy_pause(easy_, CURLPAUSE_CONT); }
  // The handler returned kStop.
  bool stopped() const { return ended_by_us_ == WireEnd::kStopped; }
  // From now on it ends so, whatever libcurl says of it. False: it has been broken off before, or is at rest.
  bool break_off(WireEnd end, std::string detail);
  bool broken() const { return broken_.has_value(); }
  // How it ended, where libcurl says `code` of it.
  WireEnd end(CURLcode code, std::string& detail) const;
  // A handle that libcurl does not give up is not used again.
  void leave();
  void rest();

  WireHandler* handler() const { return handler_; }  // nullptr: at rest
  CURLM* multi() const { return multi_; }
  CURL* easy() const { return easy_; }  // nullptr: out of memory
  WireTimes times() const;

 private:
  void discard();
  void refresh();
  // Sets an option; sound_ tells whether all could be set.
  template <typename Value>
  void set(CURLoption option, Value value) {
    if (easy_ == nullptr || curl_easy_setopt(easy_, option, value) != CURLE_OK) sound_ = false;
  }
  void set_constant_options();
  void set_tls_options();
  void set_callbacks();
  void set_addresses(const WireCall& call, std::vector<std::string>& forgotten);

  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static curl_socket_t on_open(void* self, curlsocktype, curl_sockaddr* address);
  static int on_close(void* common, curl_socket_t fd);
  static int on_resolve(void*, void*, void* self);
  static int on_request_ready(void* self, char* ip, char*, int port, int local_port);
  static int on_read(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  static int on_debug(CURL*, curl_infotype type, char* bytes, std::size_t size, void* self);

  // One of its host's addresses is enough: what was tried outweighs what was refused.
  enum class Tried : std::uint8_t { kNone, kOnlyRefused, kAddress };
  struct Broken {
    WireEnd end;
    std::string detail;
  };
  // WireCall::max_received, and what has been seen of it.
  struct Flood {
    std::uint64_t limit = 0;
    std::optional<std::uint64_t> before;  // received on the connection at the first look
    unsigned reads = 0;
  };
  // A call's own, all new for the next one.
  struct Call {
    bool once = false;       // WireCall::once
    bool literal = false;    // the host is an IPv6 address, which CURLOPT_RESOLVE does not take
    bool got_bytes = false;  // of an answer
    bool sent = false;       // the request has gone out, on a connection that was there
    Tried tried = Tried::kNone;
    std::string refused;                 // the address that the policy forbade, and why
    int trouble = 0;                     // an errno of ours: no socket could be made
    std::vector<curl_socket_t> opened;   // sockets made for it
    curl_socket_t fd = CURL_SOCKET_BAD;  // its connection's, where it is known
    Flood flood;
    std::uint64_t failed_before = 0;  // failed_allocations() when it began
  };

  CurlCommon& common_;
  CURL* easy_ = nullptr;
  CURLM* multi_ = nullptr;  // of the present call
  bool sound_ = true;       // of the options that are set for each call, and of those that stay
  WireHandler* handler_ = nullptr;
  HeaderList headers_;
  HeaderList resolve_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  std::optional<WireEnd> ended_by_us_;  // why a callback had libcurl end it
  std::optional<Broken> broken_;
  Call call_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_CURL_EXCHANGE_H_
