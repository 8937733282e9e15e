// SPDX-License-Identifier: Apache-2.0
#include "http/wire.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/file.h"
#include "http/connection_book.h"

namespace spinneret {
namespace {

using SteadyClock = std::chrono::steady_clock;

WireEnd end_of(CURLcode code, bool got_bytes) {
  switch (code) {
    case CURLE_OK: return WireEnd::kDone;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_OPERATION_TIMEDOUT: return WireEnd::kConnect;
    case CURLE_GOT_NOTHING: return WireEnd::kNoAnswer;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: return got_bytes ? WireEnd::kCut : WireEnd::kNoAnswer;
    case CURLE_PARTIAL_FILE: return WireEnd::kCut;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return WireEnd::kTls;
    case CURLE_URL_MALFORMAT: return WireEnd::kBadUrl;
    case CURLE_UNSUPPORTED_PROTOCOL:  // HTTP/0.9
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_HTTP3:
    case CURLE_FILESIZE_EXCEEDED: return WireEnd::kProtocol;
    case CURLE_OUT_OF_MEMORY: return WireEnd::kLongLine;  // so libcurl calls a full line buffer
    default: return WireEnd::kOther;
  }
}

// A curl_slist whose tail may be shared: what was prepended is freed, the tail is not.
class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { clear(); }
  void add(const std::string& line) { own_ = curl_slist_append(own_, line.c_str()); }
  curl_slist* with_tail(curl_slist* tail) {
    if (own_ == nullptr) return tail;
    last_ = own_;
    while (last_->next != nullptr) last_ = last_->next;
    last_->next = tail;
    return own_;
  }
  curl_slist* get() const { return own_; }
  bool empty() const { return own_ == nullptr; }
  void clear() {
    if (last_ != nullptr) last_->next = nullptr;
    curl_slist_free_all(own_);
    own_ = last_ = nullptr;
  }

 private:
  curl_slist* own_ = nullptr;
  curl_slist* last_ = nullptr;  // of own_, where a tail may hang on it
};

}  // namespace

class Wire::Exchange {
 public:
  ~Exchange() {
    if (easy != nullptr) curl_easy_cleanup(easy);
  }
  CURL* easy = nullptr;
  WireHandler* handler = nullptr;
  HeaderList headers;
  HeaderList resolve;
  bool stopped = false;
  bool refused = false;  // the policy forbade an address
  bool reached = false;  // and another one was connected to
  bool got_bytes = false;
  std::vector<curl_socket_t> opened;   // sockets made for it
  curl_socket_t fd = CURL_SOCKET_BAD;  // the one that was connected, if it is one of these
  bool stale = false;
  int trouble = 0;       // an errno of ours: no socket could be made
  bool literal = false;  // the host is an IPv6 address, which CURLOPT_RESOLVE does not take
  std::string refused_text;
  std::array<char, CURL_ERROR_SIZE> error{};
  class CurlWire* wire = nullptr;
};

class CurlWire : public Wire, private Poller::Client {
 public:
  CurlWire(Poller& poller, const AddressPolicy& policy, WireOptions options)
      : poller_(poller), policy_(policy), options_(std::move(options)) {}
  ~CurlWire() override;
  Status open();

  Exchange* start(const WireCall& call, WireHandler& handler) override;
  void drop(Exchange* exchange) override;
  void resume(Exchange* exchange) override { curl_easy_pause(exchange->easy, CURLPAUSE_CONT); }
  WireTimes times(const Exchange* exchange) const override;
  void forget_host(const std::string& host, int port) override {
    forgotten_.push_back("-" + host + ":" + std::to_string(port));
  }
  Status save_cookies() override;
  int timeout_ms() const override;
  void advance() override;

 private:
  void on_ready(int fd, unsigned ready) override;
  Exchange* fresh();
  void take_number(curl_socket_t fd);
  void load_cookies();
  void set_constant_options(Exchange& exchange);
  void recycle(Exchange* exchange);
  void set_addresses(Exchange& exchange, const WireCall& call);

  static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int on_timer(CURLM*, long timeout_ms, void* self);
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* exchange);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* exchange);
  static curl_socket_t on_open(void* exchange, curlsocktype, curl_sockaddr* address);
  static int on_close(void* self, curl_socket_t fd);
  static int on_resolve(void*, void*, void* exchange) {
    return static_cast<Exchange*>(exchange)->literal ? 0 : 1;
  }
  static int on_request_ready(void* exchange, char* ip, char*, int, int);
  static int on_debug(CURL*, curl_infotype type, char* bytes, std::size_t size, void* exchange);

  Poller& poller_;
  const AddressPolicy& policy_;
  WireOptions options_;
  CURLM* multi_ = nullptr;
  CURLSH* cookies_ = nullptr;
  HeaderList common_;
  std::vector<std::unique_ptr<Exchange>> all_;
  std::vector<Exchange*> free_;
  std::vector<std::string> forgotten_;
  ConnectionBook book_;
  bool timer_set_ = false;
  SteadyClock::time_point timer_;
};

CurlWire::~CurlWire() {
  for (const auto& exchange : all_) {
    if (exchange->handler != nullptr) curl_multi_remove_handle(multi_, exchange->easy);
  }
  all_.clear();
  if (multi_ != nullptr) curl_multi_cleanup(multi_);
  if (cookies_ != nullptr) curl_share_cleanup(cookies_);
}

Status CurlWire::open() {
  static const CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (global != CURLE_OK) return Error{"cannot start libcurl"};
  multi_ = curl_multi_init();
  if (multi_ == nullptr) return Error{"cannot start libcurl"};
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.max_connections));
  if (!options_.cookie_file.empty()) {
    // Now, and not after the last page: a file that cannot be written is wrong usage.
    const Result<Fd> file = open_file(options_.cookie_file, O_RDWR | O_CREAT, 0600);
    if (!file.ok()) return file.error();
    load_cookies();
  }
  for (std::string header : options_.headers) {
    // To libcurl "Name:" takes a field away, and "Name;" is one without a value.
    if (header.find(':') + 1 == header.size()) header.back() = ';';
    common_.add(header);
  }
  return {};
}

// Once: each handle that is given the file reads it again, and brings back what servers have deleted since.
void CurlWire::load_cookies() {
  cookies_ = curl_share_init();
  curl_share_setopt(cookies_, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
  CURL* const reader = curl_easy_init();
  curl_easy_setopt(reader, CURLOPT_SHARE, cookies_);
  curl_easy_setopt(reader, CURLOPT_COOKIEFILE, options_.cookie_file.c_str());
  curl_easy_setopt(reader, CURLOPT_COOKIELIST, "RELOAD");
  curl_easy_cleanup(reader);
}

// Not by CURLOPT_COOKIEJAR, which keeps silent where the file cannot be written.
Status CurlWire::save_cookies() {
  if (cookies_ == nullptr || all_.empty()) return {};
  curl_slist* lines = nullptr;
  if (curl_easy_getinfo(all_.front()->easy, CURLINFO_COOKIELIST, &lines) != CURLE_OK) {
    return Error{"cannot list the cookies"};
  }
  std::string text = "# Netscape HTTP Cookie File\n";
  for (const curl_slist* line = lines; line != nullptr; line = line->next)
    text.append(line->data).append("\n");
  curl_slist_free_all(lines);
  return write_file_atomic(options_.cookie_file, text);
}

void CurlWire::set_constant_options(Exchange& exchange) {
  CURL* const easy = exchange.easy;
  const auto set = [easy](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
  set(CURLOPT_PRIVATE, &exchange);
  set(CURLOPT_ERRORBUFFER, exchange.error.data());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_PATH_AS_IS, 1L);  // dot segments are gone already
  set(CURLOPT_HTTP_CONTENT_DECODING, 0L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  // An empty proxy also keeps libcurl from reading http_proxy and its like.
  set(CURLOPT_PROXY, options_.proxy.c_str());
  set(CURLOPT_NOPROXY, "");
  set(CURLOPT_HTTP_VERSION,
      static_cast<long>(options_.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  set(CURLOPT_PIPEWAIT, 1L);
  set(CURLOPT_BUFFERSIZE, static_cast<long>(options_.read_buffer));
  set(CURLOPT_USERAGENT, options_.agent.c_str());
  set(CURLOPT_CONNECTTIMEOUT_MS, 300'000L);  // the owner's limits are shorter
  set(CURLOPT_SSL_VERIFYPEER, options_.insecure ? 0L : 1L);
  set(CURLOPT_SSL_VERIFYHOST, options_.insecure ? 0L : 2L);
  if (!options_.ca_file.empty()) set(CURLOPT_CAINFO, options_.ca_file.c_str());
  if (cookies_ != nullptr) {
    set(CURLOPT_SHARE, cookies_);
    set(CURLOPT_COOKIEFILE, "");  // no file: only that they are minded
  }
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, &exchange);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, &exchange);
  set(CURLOPT_OPENSOCKETFUNCTION, on_open);
  set(CURLOPT_OPENSOCKETDATA, &exchange);
  set(CURLOPT_CLOSESOCKETFUNCTION, on_close);
  set(CURLOPT_CLOSESOCKETDATA, this);
  set(CURLOPT_PREREQFUNCTION, on_request_ready);
  set(CURLOPT_PREREQDATA, &exchange);
  // Every name has been resolved before: a lookup by libcurl would block in a thread, and ask a name
  // server that was not chosen.
  if (options_.proxy.empty()) {
    set(CURLOPT_RESOLVER_START_FUNCTION, on_resolve);
    set(CURLOPT_RESOLVER_START_DATA, &exchange);
  }
  if (options_.keep_request) {
    set(CURLOPT_VERBOSE, 1L);
    set(CURLOPT_DEBUGFUNCTION, on_debug);
    set(CURLOPT_DEBUGDATA, &exchange);
  }
}

Wire::Exchange* CurlWire::fresh() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<Exchange>());
    all_.back()->easy = curl_easy_init();
    all_.back()->wire = this;
    set_constant_options(*all_.back());
    free_.push_back(all_.back().get());
  }
  Exchange* const exchange = free_.back();
  free_.pop_back();
  return exchange;
}

void CurlWire::set_addresses(Exchange& exchange, const WireCall& call) {
  for (const std::string& line : forgotten_) exchange.resolve.add(line);
  forgotten_.clear();
  exchange.literal = call.host.starts_with('[');
  if (call.addresses != nullptr && !exchange.literal) {
    exchange.resolve.add(call.host + ":" + std::to_string(call.port) + ":" +
                         list_text(*call.addresses));
  }
  if (!exchange.resolve.empty()) {
    curl_easy_setopt(exchange.easy, CURLOPT_RESOLVE, exchange.resolve.get());
  }
}

Wire::Exchange* CurlWire::start(const WireCall& call, WireHandler& handler) {
  Exchange* const exchange = fresh();
  CURL* const easy = exchange->easy;
  exchange->handler = &handler;
  exchange->stopped = exchange->refused = exchange->reached = exchange->got_bytes = false;
  exchange->opened.clear();
  exchange->fd = CURL_SOCKET_BAD;
  exchange->stale = false;
  exchange->trouble = 0;
  exchange->error[0] = '\0';
  curl_easy_setopt(easy, CURLOPT_URL, call.url.c_str());
  if (call.headers != nullptr) {
    for (const std::string& header : *call.headers) exchange->headers.add(header);
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers.with_tail(common_.get()));
  curl_easy_setopt(easy, call.head_only ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1L);
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, call.fresh_connection ? 1L : 0L);
  set_addresses(*exchange, call);
  curl_multi_add_handle(multi_, easy);
  return exchange;
}

// Ready for the next call. The easy handle keeps its constant options.
void CurlWire::recycle(Exchange* exchange) {
  exchange->handler = nullptr;
  curl_easy_setopt(exchange->easy, CURLOPT_FORBID_REUSE, 0L);
  if (!exchange->resolve.empty()) {
    curl_easy_setopt(exchange->easy, CURLOPT_RESOLVE, nullptr);
    exchange->resolve.clear();
  }
  exchange->headers.clear();
  free_.push_back(exchange);
}

void CurlWire::drop(Exchange* exchange) {
  curl_multi_remove_handle(multi_, exchange->easy);
  recycle(exchange);
}

WireTimes CurlWire::times(const Exchange* exchange) const {
  const auto get = [exchange](CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(exchange->easy, info, &value);
    return static_cast<std::int64_t>(value);
  };
  return {get(CURLINFO_CONNECT_TIME_T), get(CURLINFO_APPCONNECT_TIME_T),
          get(CURLINFO_STARTTRANSFER_TIME_T), get(CURLINFO_TOTAL_TIME_T)};
}

int CurlWire::timeout_ms() const {
  if (!timer_set_) return -1;
  const auto left = timer_ - SteadyClock::now();
  if (left <= SteadyClock::duration::zero()) return 0;
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

void CurlWire::advance() {
  int running = 0;
  if (timer_set_ && SteadyClock::now() >= timer_) {
    timer_set_ = false;  // libcurl sets it anew where it wants to
    curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  }
  int left = 0;
  while (CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    Exchange* exchange = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
    WireEnd end = end_of(code, exchange->got_bytes);
    if (exchange->stopped) end = WireEnd::kStopped;
    if (exchange->stale) end = WireEnd::kStale;
    std::string detail(exchange->error.data());
    if (detail.empty() && code != CURLE_OK) detail = curl_easy_strerror(code);
    if (exchange->refused && !exchange->reached && end == WireEnd::kConnect) {
      end = WireEnd::kRefusedAddress;
      detail = exchange->refused_text;
    } else if (exchange->trouble != 0 && end == WireEnd::kConnect) {
      end = WireEnd::kNoSocket;
      detail = system_error("cannot make a socket", exchange->trouble).message;
    }
    WireHandler* const handler = exchange->handler;
    curl_multi_remove_handle(multi_, exchange->easy);
    // The handler may ask for the exchange's times until it returns.
    handler->on_end(end, detail);
    recycle(exchange);
  }
}

void CurlWire::on_ready(int fd, unsigned ready) {
  const int events = ((ready & Poller::kRead) != 0 ? CURL_CSELECT_IN : 0) |
                     ((ready & Poller::kWrite) != 0 ? CURL_CSELECT_OUT : 0) |
                     ((ready & Poller::kError) != 0 ? CURL_CSELECT_ERR : 0);
  int running = 0;
  curl_multi_socket_action(multi_, fd, events, &running);
}

int CurlWire::on_socket(CURL*, curl_socket_t fd, int what, void* argument, void*) {
  auto* const self = static_cast<CurlWire*>(argument);
  if (what == CURL_POLL_REMOVE || what == CURL_POLL_NONE) {
    self->poller_.park(fd);
  } else {
    const unsigned events =
        (what != CURL_POLL_OUT ? Poller::kRead : 0U) | (what != CURL_POLL_IN ? Poller::kWrite : 0U);
    self->poller_.watch(fd, events, self);
  }
  return 0;
}

int CurlWire::on_timer(CURLM*, long timeout_ms, void* argument) {
  auto* const self = static_cast<CurlWire*>(argument);
  self->timer_set_ = timeout_ms >= 0;
  if (timeout_ms >= 0) self->timer_ = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
  return 0;
}

std::size_t CurlWire::on_header(char* bytes, std::size_t, std::size_t count, void* argument) {
  auto* const exchange = static_cast<Exchange*>(argument);
  if (!exchange->got_bytes && exchange->fd >= 0 &&
      std::string_view(bytes, count).starts_with("HTTP/1")) {
    exchange->wire->book_.note_http1(exchange->fd);
  }
  exchange->got_bytes = true;
  if (exchange->handler->on_header({bytes, count}) == WireStep::kGoOn) return count;
  exchange->stopped = true;
  return 0;
}

std::size_t CurlWire::on_body(char* bytes, std::size_t, std::size_t count, void* argument) {
  auto* const exchange = static_cast<Exchange*>(argument);
  switch (exchange->handler->on_body({bytes, count})) {
    case WireStep::kGoOn: return count;
    case WireStep::kPause: return CURL_WRITEFUNC_PAUSE;
    case WireStep::kStop: break;
  }
  exchange->stopped = true;
  return 0;
}

// The address that will be connected to: what is refused here is never sent a byte.
curl_socket_t CurlWire::on_open(void* argument, curlsocktype, curl_sockaddr* address) {
  auto* const exchange = static_cast<Exchange*>(argument);
  const bool direct = exchange->wire->options_.proxy.empty();
  const std::optional<IpAddress> ip = to_ip(address->addr);
  const std::string_view why = !ip      ? std::string_view("neither IPv4 nor IPv6")
                               : direct ? exchange->wire->policy_.refusal(*ip)
                                        : std::string_view();
  if (!why.empty()) {
    exchange->refused = true;
    exchange->refused_text = (ip ? to_string(*ip) : "address") + " is " + std::string(why);
    return CURL_SOCKET_BAD;
  }
  exchange->reached = true;
  const curl_socket_t fd = ::socket(
      address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address->protocol);
  if (fd < 0 && errno != EAFNOSUPPORT) exchange->trouble = errno;
  if (fd < 0) return fd;
  exchange->wire->take_number(fd);
  exchange->opened.push_back(fd);
  return fd;
}

// What was known of a descriptor goes when it is closed, and once more when its number comes back: a
// connection that is dropped while it is being made libcurl 7.88 closes without a word.
void CurlWire::take_number(curl_socket_t fd) {
  poller_.forget(fd);
  book_.forget(fd);
}

int CurlWire::on_close(void* argument, curl_socket_t fd) {
  static_cast<CurlWire*>(argument)->take_number(fd);
  return ::close(fd);
}

int CurlWire::on_request_ready(void* argument, char* ip_text, char*, int port, int local_port) {
  auto* const exchange = static_cast<Exchange*>(argument);
  const ConnectionBook::Ends ends{ip_text != nullptr ? ip_text : "", port, local_port};
  if (!exchange->opened.empty()) {
    exchange->fd = exchange->wire->book_.note(ends, exchange->opened);
  } else if (exchange->wire->book_.is_stale(ends)) {
    exchange->stale = true;
    return CURL_PREREQFUNC_ABORT;
  }
  exchange->handler->on_connected(ends.ip);
  return CURL_PREREQFUNC_OK;
}

int CurlWire::on_debug(CURL*, curl_infotype type, char* bytes, std::size_t size, void* argument) {
  auto* const exchange = static_cast<Exchange*>(argument);
  if (type == CURLINFO_HEADER_OUT && exchange->handler != nullptr) {
    exchange->handler->on_request({bytes, size});
  }
  return 0;
}

Result<std::unique_ptr<Wire>> Wire::create(Poller& poller, const AddressPolicy& policy,
                                           WireOptions options) {
  auto wire = std::make_unique<CurlWire>(poller, policy, std::move(options));
  if (const Status opened = wire->open(); !opened.ok()) return opened.error();
  return std::unique_ptr<Wire>(std::move(wire));
}

}  // namespace spinneret
