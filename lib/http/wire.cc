// SPDX-License-Identifier: Apache-2.0
#include "http/wire.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "http/connection_book.h"

namespace spinneret::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Allocations of libcurl that failed. Its code for that is also the one for a line that is longer than it holds, and not
// each of its parts says so of a failed one: so they are counted where they are made.
std::uint64_t failed_allocations = 0;

void* counted(void* memory) {
  if (memory == nullptr) ++failed_allocations;
  return memory;
}
void* counted_malloc(std::size_t size) { return counted(std::malloc(size)); }
void* counted_realloc(void* old, std::size_t size) { return counted(std::realloc(old, size)); }
void* counted_calloc(std::size_t count, std::size_t size) {
  return counted(std::calloc(count, size));
}
char* counted_strdup(const char* text) { return static_cast<char*>(counted(::strdup(text))); }

// What the other side, or the way to it, may bring about. All else is trouble of this process.
struct CodeRow {
  CURLcode code;
  WireEnd end;
};
constexpr CodeRow kCodes[] = {
    {CURLE_OK, WireEnd::kDone},
    {CURLE_COULDNT_RESOLVE_HOST, WireEnd::kConnect},
    {CURLE_COULDNT_RESOLVE_PROXY, WireEnd::kConnect},
    {CURLE_COULDNT_CONNECT, WireEnd::kConnect},
    {CURLE_PROXY, WireEnd::kConnect},
    {CURLE_OPERATION_TIMEDOUT, WireEnd::kConnect},  // of connecting: it has no other limit
    {CURLE_GOT_NOTHING, WireEnd::kNoAnswer},
    {CURLE_SEND_ERROR, WireEnd::kNoAnswer},
    {CURLE_RECV_ERROR, WireEnd::kNoAnswer},
    {CURLE_PARTIAL_FILE, WireEnd::kCut},
    {CURLE_SSL_CONNECT_ERROR, WireEnd::kTls},
    {CURLE_PEER_FAILED_VERIFICATION, WireEnd::kTls},
    {CURLE_SSL_ISSUER_ERROR, WireEnd::kTls},
    {CURLE_SSL_INVALIDCERTSTATUS, WireEnd::kTls},
    {CURLE_SSL_PINNEDPUBKEYNOTMATCH, WireEnd::kTls},
    {CURLE_SSL_CLIENTCERT, WireEnd::kTls},
    {CURLE_URL_MALFORMAT, WireEnd::kBadUrl},
    {CURLE_UNSUPPORTED_PROTOCOL, WireEnd::kProtocol},  // HTTP/0.9
    {CURLE_WEIRD_SERVER_REPLY, WireEnd::kProtocol},
    {CURLE_BAD_CONTENT_ENCODING, WireEnd::kProtocol},
    {CURLE_RANGE_ERROR, WireEnd::kProtocol},
    {CURLE_HTTP2, WireEnd::kProtocol},
    {CURLE_HTTP2_STREAM, WireEnd::kProtocol},
    {CURLE_HTTP3, WireEnd::kProtocol},
    {CURLE_QUIC_CONNECT_ERROR, WireEnd::kConnect},
    {CURLE_FILESIZE_EXCEEDED, WireEnd::kProtocol},
    // So libcurl calls a full line buffer: see failed_allocations.
    {CURLE_OUT_OF_MEMORY, WireEnd::kLongLine},
#if LIBCURL_VERSION_NUM >= 0x080600
    {CURLE_TOO_LARGE, WireEnd::kLongLine},
#endif
};

WireEnd end_of(CURLcode code, bool got_bytes) {
  const auto row = std::find_if(std::begin(kCodes), std::end(kCodes),
                                [code](const CodeRow& at) { return at.code == code; });
  if (row == std::end(kCodes)) return WireEnd::kOwnTrouble;
  const bool broke = code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR;
  return broke && got_bytes ? WireEnd::kCut : row->end;
}

// Has a socket's connection go out by an interface, or from an address. False, with errno, where it cannot.
bool bind_to(int fd, int family, const std::string& interface) {
  const std::optional<IpAddress> ip = parse_ip(interface);
  if (!ip) {
    const auto size = static_cast<socklen_t>(interface.size());
    return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface.data(), size) == 0;
  }
  if (ip->v4 != (family == AF_INET)) {
    errno = EADDRNOTAVAIL;
    return false;
  }
  if (ip->v4) {
    sockaddr_in from{};
    from.sin_family = AF_INET;
    std::memcpy(&from.sin_addr, ip->bytes.data() + 12, sizeof from.sin_addr);
    return ::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0;
  }
  sockaddr_in6 from{};
  from.sin6_family = AF_INET6;
  std::memcpy(&from.sin6_addr, ip->bytes.data(), sizeof from.sin6_addr);
  return ::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0;
}

// Bytes that the kernel has received on a connection.
std::uint64_t received_by(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return info.tcpi_bytes_received;
}

// A curl_slist whose tail may be shared: what was prepended is freed, the tail is not.
class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { clear(); }
  // False: out of memory, and nothing was added.
  bool add(const std::string& line) {
    curl_slist* const longer = curl_slist_append(own_, line.c_str());
    if (longer != nullptr) own_ = longer;
    return longer != nullptr;
  }
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

// Reads between two looks at how much has come in all: a MB at most.
constexpr unsigned kReadsPerLook = 16;

class CurlExchange : public Wire::Exchange {
 public:
  CurlExchange() = default;
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;
  ~CurlExchange() { discard(); }
  void discard() {
    if (easy != nullptr) curl_easy_cleanup(std::exchange(easy, nullptr));
  }
  // Sets an option; `sound` tells whether all could be set.
  template <typename Value>
  void set(CURLoption option, Value value) {
    if (easy == nullptr || curl_easy_setopt(easy, option, value) != CURLE_OK) sound = false;
  }
  void begin(const WireCall& call, WireHandler& its_handler);

  CURL* easy = nullptr;  // none: out of memory
  bool sound = true;     // of the options that are set for each call, and of those that stay
  WireHandler* handler = nullptr;
  HeaderList headers;
  HeaderList resolve;
  bool stopped = false;
  bool refused = false;  // the policy forbade an address
  bool reached = false;  // and another one was connected to
  bool got_bytes = false;
  std::vector<curl_socket_t> opened;   // sockets made for it
  curl_socket_t fd = CURL_SOCKET_BAD;  // its connection's, where it is known
  bool stale = false;
  bool late = false;     // the handler would not have it sent
  bool once = false;     // WireCall::once
  bool sent = false;     // on a connection that was there
  bool dropped = false;  // that ended under it, and there was another
  int trouble = 0;       // an errno of ours: no socket could be made
  bool literal = false;  // the host is an IPv6 address, which CURLOPT_RESOLVE does not take
  std::string refused_text;
  std::array<char, CURL_ERROR_SIZE> error{};
  class CurlWire* wire = nullptr;
  struct CurlMulti* multi = nullptr;  // of the present call
  // How it ends although libcurl has not said so: CurlWire::break_off().
  bool broken = false;
  WireEnd broken_end{};
  std::string broken_detail;
  // WireCall::max_received, and what has been seen of it.
  std::uint64_t max_received = 0;
  std::optional<std::uint64_t> received_before;  // at the first look
  unsigned reads = 0;
  bool flooded = false;
  std::uint64_t failed_before = 0;  // failed_allocations when it began
};

void CurlExchange::begin(const WireCall& call, WireHandler& its_handler) {
  handler = &its_handler;
  stopped = refused = reached = got_bytes = stale = late = broken = flooded = false;
  sent = dropped = false;
  once = call.once;
  opened.clear();
  fd = CURL_SOCKET_BAD;
  trouble = 0;
  error[0] = '\0';
  broken_detail.clear();
  max_received = call.max_received;
  reads = 0;
  received_before.reset();
  failed_before = failed_allocations;
}

CurlExchange* exchange_of(CURL* easy) {
  char* exchange = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_PRIVATE, &exchange) != CURLE_OK) return nullptr;
  return reinterpret_cast<CurlExchange*>(exchange);
}

class CurlWire;

// A multi handle and its timer.
struct CurlMulti : Poller::Client {
  explicit CurlMulti(CurlWire& its_wire) : wire(its_wire) {}
  void on_ready(int fd, unsigned ready) override;

  CurlWire& wire;
  CURLM* handle = nullptr;
  bool timer_set = false;
  SteadyClock::time_point timer;
  std::vector<std::string> forgotten;  // hosts, for the next call
};

class CurlWire : public Wire {
 public:
  CurlWire(Poller& poller, const AddressPolicy& policy, WireOptions options)
      : poller_(poller), policy_(policy), options_(std::move(options)) {}
  ~CurlWire() override;
  Status open();

  Exchange* start(const WireCall& call, WireHandler& handler) override;
  void drop(Exchange* exchange) override;
  void resume(Exchange* exchange) override;
  WireTimes times(const Exchange* exchange) const override;
  void forget_host(const std::string& host, int port) override {
    for (const auto& multi : multis_) {
      multi->forgotten.push_back("-" + host + ":" + std::to_string(port));
    }
  }
  Status save_cookies() override;
  int timeout_ms() const override;
  void advance() override;

 private:
  friend struct CurlMulti;
  Status open_multi();
  CurlExchange* fresh();
  void take_number(curl_socket_t fd);
  Status open_share();
  bool keeps_cookies() const {
    return !options_.cookie_file.empty() || !options_.cookie_jar.empty();
  }
  void set_constant_options(CurlExchange& exchange);
  void set_tls_options(CurlExchange& exchange);
  void set_callbacks(CurlExchange& exchange);
  void set_call(CurlExchange& exchange, const WireCall& call);
  void set_addresses(CurlExchange& exchange, const WireCall& call);
  void act(CurlMulti& multi, curl_socket_t fd, int events);
  void break_off(CurlExchange& exchange, WireEnd end, std::string detail);
  void end_broken();
  void end_exchange(CurlExchange& exchange, CURLcode code);
  void take_off(CurlExchange& exchange);
  void recycle(CurlExchange* exchange);

  static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int on_timer(CURLM*, long timeout_ms, void* self);
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* exchange);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* exchange);
  static curl_socket_t on_open(void* exchange, curlsocktype, curl_sockaddr* address);
  static int on_close(void* self, curl_socket_t fd);
  static int on_resolve(void*, void*, void* exchange) {
    return static_cast<CurlExchange*>(exchange)->literal ? 0 : 1;
  }
  static int on_request_ready(void* exchange, char* ip, char*, int, int);
  static int on_read(void* exchange, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  static int on_debug(CURL*, curl_infotype type, char* bytes, std::size_t size, void* exchange);

  Poller& poller_;
  AddressPolicy policy_;
  WireOptions options_;
  std::vector<std::unique_ptr<CurlMulti>> multis_;
  CURLSH* share_ = nullptr;  // what all handles have in common: TLS sessions, and cookies
  HeaderList common_;
  std::vector<std::unique_ptr<CurlExchange>> all_;
  std::vector<CurlExchange*> free_;
  std::vector<CurlExchange*> broken_;  // in the order of breaking
  ConnectionBook book_;
};

CurlWire::~CurlWire() {
  for (const auto& exchange : all_) {
    if (exchange->handler != nullptr) take_off(*exchange);
  }
  all_.clear();
  for (const auto& multi : multis_) {
    if (multi->handle != nullptr) curl_multi_cleanup(multi->handle);
  }
  if (share_ != nullptr) curl_share_cleanup(share_);
}

Status CurlWire::open() {
  static const CURLcode global =
      curl_global_init_mem(CURL_GLOBAL_DEFAULT, counted_malloc, std::free, counted_realloc,
                           counted_strdup, counted_calloc);
  if (global != CURLE_OK) return Error{"cannot start libcurl"};
  options_.multis = std::clamp(options_.multis, 1U, 32U);
  while (multis_.size() < options_.multis) {
    if (const Status opened = open_multi(); !opened.ok()) return opened;
  }
  if (const Status opened = open_share(); !opened.ok()) return opened;
  // A field of that name among them takes its place, or takes it away.
  const bool named = std::any_of(
      options_.headers.begin(), options_.headers.end(),
      [](const std::string& line) { return starts_with_ignore_case(line, "user-agent:"); });
  if (options_.proxy.empty() && !options_.agent.empty() && !named &&
      !common_.add("User-Agent: " + options_.agent)) {
    return Error{"out of memory"};
  }
  for (std::string header : options_.headers) {
    // To libcurl "Name:" takes a field away, and "Name;" is one without a value.
    if (header.find(':') + 1 == header.size()) header.back() = ';';
    if (!common_.add(header)) return Error{"out of memory"};
  }
  return {};
}

Status CurlWire::open_multi() {
  multis_.push_back(std::make_unique<CurlMulti>(*this));
  CurlMulti& multi = *multis_.back();
  multi.handle = curl_multi_init();
  if (multi.handle == nullptr) return Error{"cannot start libcurl"};
  bool sound = true;
  const auto set = [&](CURLMoption option, auto value) {
    sound = curl_multi_setopt(multi.handle, option, value) == CURLM_OK && sound;
  };
  set(CURLMOPT_SOCKETFUNCTION, on_socket);
  set(CURLMOPT_SOCKETDATA, &multi);
  set(CURLMOPT_TIMERFUNCTION, on_timer);
  set(CURLMOPT_TIMERDATA, &multi);
  set(CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  set(CURLMOPT_MAXCONNECTS,
      static_cast<long>(std::max<std::size_t>(1, options_.max_connections / options_.multis)));
  if (!sound) return Error{"libcurl does not take its options"};
  return {};
}

// Cookies are read once: each handle that is given the file reads it again, and brings back what servers have deleted since.
// A TLS session that one handle has got would else serve none of the others.
Status CurlWire::open_share() {
  share_ = curl_share_init();
  if (share_ == nullptr) return Error{"out of memory"};
  // A libcurl without TLS has no sessions, and needs none.
  curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  if (!keeps_cookies()) return {};
  // Now, and not after the last page: a file that cannot be read or written is wrong usage.
  for (const std::string& path : {options_.cookie_file, options_.cookie_jar}) {
    if (path.empty()) continue;
    const bool kept = path == options_.cookie_jar;
    const Result<Fd> file = open_file(path, kept ? O_RDWR | O_CREAT : O_RDONLY, 0600);
    if (!file.ok()) return file.error();
  }
  if (curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) != CURLSHE_OK) {
    return Error{"libcurl here knows no cookies"};
  }
  if (options_.cookie_file.empty()) return {};
  CurlExchange reader;
  reader.easy = curl_easy_init();
  reader.set(CURLOPT_SHARE, share_);
  reader.set(CURLOPT_COOKIEFILE, options_.cookie_file.c_str());
  reader.set(CURLOPT_COOKIELIST, "RELOAD");
  return reader.sound ? Status() : Error{"cannot read the cookies"};
}

// Not by CURLOPT_COOKIEJAR, which keeps silent where the file cannot be written.
Status CurlWire::save_cookies() {
  if (options_.cookie_jar.empty() || all_.empty()) return {};
  curl_slist* lines = nullptr;
  CURL* const any = all_.front()->easy;
  if (any == nullptr || curl_easy_getinfo(any, CURLINFO_COOKIELIST, &lines) != CURLE_OK) {
    return Error{"cannot list the cookies"};
  }
  // The first line is what readers know the format by.
  std::string text =
      "# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n# Written by "
      "fetch.\n\n";
  for (const curl_slist* line = lines; line != nullptr; line = line->next)
    text.append(line->data).append("\n");
  curl_slist_free_all(lines);
  return write_file_atomic(options_.cookie_jar, text);
}

void CurlWire::set_constant_options(CurlExchange& exchange) {
  const auto set = [&exchange](CURLoption option, auto value) { exchange.set(option, value); };
  set(CURLOPT_PRIVATE, static_cast<void*>(&exchange));
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
  // A libcurl without HTTP/2 refuses the first.
  if (!options_.http2 || curl_easy_setopt(exchange.easy, CURLOPT_HTTP_VERSION,
                                          static_cast<long>(CURL_HTTP_VERSION_2TLS)) != CURLE_OK) {
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  }
  if (options_.http3) set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_3));
  set(CURLOPT_PIPEWAIT, 1L);
  set(CURLOPT_BUFFERSIZE, static_cast<long>(options_.read_buffer));
  // As one of the fields it costs half (libcurl 7.88 writes its own twice, byte by byte); only to a proxy's CONNECT it is not
  // told then.
  set(CURLOPT_USERAGENT, options_.proxy.empty() ? "" : options_.agent.c_str());
  set(CURLOPT_CONNECTTIMEOUT_MS, 300'000L);  // the owner's limits are shorter
  set(CURLOPT_SHARE, share_);
  if (keeps_cookies()) set(CURLOPT_COOKIEFILE, "");  // no file: only that they are minded
}

void CurlWire::set_tls_options(CurlExchange& exchange) {
  exchange.set(CURLOPT_SSL_VERIFYPEER, options_.insecure ? 0L : 1L);
  exchange.set(CURLOPT_SSL_VERIFYHOST, options_.insecure ? 0L : 2L);
  if (!options_.ca_file.empty()) exchange.set(CURLOPT_CAINFO, options_.ca_file.c_str());
  if (options_.cert_file.empty()) return;
  exchange.set(CURLOPT_SSLCERT, options_.cert_file.c_str());
  const std::string& key = options_.key_file.empty() ? options_.cert_file : options_.key_file;
  exchange.set(CURLOPT_SSLKEY, key.c_str());
}

void CurlWire::set_callbacks(CurlExchange& exchange) {
  const auto set = [&exchange](CURLoption option, auto value) { exchange.set(option, value); };
  void* const self = &exchange;
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, self);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, self);
  set(CURLOPT_OPENSOCKETFUNCTION, on_open);
  set(CURLOPT_OPENSOCKETDATA, self);
  set(CURLOPT_CLOSESOCKETFUNCTION, on_close);
  set(CURLOPT_CLOSESOCKETDATA, this);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, on_read);
  set(CURLOPT_XFERINFODATA, self);
  set(CURLOPT_PREREQFUNCTION, on_request_ready);
  set(CURLOPT_PREREQDATA, self);
  // Every name has been resolved before: a lookup by libcurl would block in a thread, and ask a name
  // server that was not chosen.
  if (options_.proxy.empty()) {
    set(CURLOPT_RESOLVER_START_FUNCTION, on_resolve);
    set(CURLOPT_RESOLVER_START_DATA, self);
  }
  if (options_.keep_request) {
    set(CURLOPT_VERBOSE, 1L);
    set(CURLOPT_DEBUGFUNCTION, on_debug);
    set(CURLOPT_DEBUGDATA, self);
  }
}

// One at rest, with the constant options set; without a handle where there is no memory for one.
CurlExchange* CurlWire::fresh() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<CurlExchange>());
    all_.back()->wire = this;
    free_.push_back(all_.back().get());
  }
  CurlExchange* const exchange = free_.back();
  free_.pop_back();
  if (exchange->easy != nullptr && exchange->sound) return exchange;
  exchange->discard();
  exchange->easy = curl_easy_init();
  exchange->sound = exchange->easy != nullptr;
  if (!exchange->sound) return exchange;
  set_constant_options(*exchange);
  set_tls_options(*exchange);
  set_callbacks(*exchange);
  return exchange;
}

void CurlWire::set_addresses(CurlExchange& exchange, const WireCall& call) {
  for (const std::string& line : exchange.multi->forgotten)
    exchange.sound &= exchange.resolve.add(line);
  exchange.multi->forgotten.clear();
  exchange.literal = call.host.starts_with('[');
  // Whatever may age libcurl looks through at the end of each exchange, all hosts: with 2,000 of them that was a fifth of
  // fetch's CPU. What we tell it we also take back; but no IPv6 address, and a proxy's name is its own.
  const bool ours = options_.proxy.empty() && !exchange.literal;
  exchange.set(CURLOPT_DNS_CACHE_TIMEOUT, ours ? -1L : 60L);
  if (call.addresses != nullptr && !exchange.literal) {
    exchange.sound &= exchange.resolve.add(call.host + ":" + std::to_string(call.port) + ":" +
                                           list_text(*call.addresses));
  }
  if (!exchange.resolve.empty()) exchange.set(CURLOPT_RESOLVE, exchange.resolve.get());
}

// Whatever of it cannot be set is none to go without: the handle still has the last call's URL and fields.
void CurlWire::set_call(CurlExchange& exchange, const WireCall& call) {
  exchange.set(CURLOPT_URL, call.url.c_str());
  if (call.headers != nullptr) {
    for (const std::string& header : *call.headers) exchange.sound &= exchange.headers.add(header);
  }
  exchange.set(CURLOPT_HTTPHEADER, exchange.headers.with_tail(common_.get()));
  exchange.set(call.head_only ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1L);
  exchange.set(CURLOPT_FRESH_CONNECT, call.fresh_connection ? 1L : 0L);
  set_addresses(exchange, call);
}

Wire::Exchange* CurlWire::start(const WireCall& call, WireHandler& handler) {
  CurlExchange* const exchange = fresh();
  exchange->begin(call, handler);
  exchange->multi = multis_[call.multi % multis_.size()].get();
  set_call(*exchange, call);
  if (!exchange->sound) {
    break_off(*exchange, WireEnd::kOwnTrouble, "out of memory");
  } else if (const CURLMcode code = curl_multi_add_handle(exchange->multi->handle, exchange->easy);
             code != CURLM_OK) {
    exchange->sound = false;
    break_off(*exchange, WireEnd::kOwnTrouble, curl_multi_strerror(code));
  }
  return exchange;
}

// Takes it from libcurl. A handle that libcurl does not give up is not used again.
void CurlWire::take_off(CurlExchange& exchange) {
  if (exchange.easy != nullptr &&
      curl_multi_remove_handle(exchange.multi->handle, exchange.easy) != CURLM_OK) {
    exchange.sound = false;
  }
}

// Ready for the next call. The easy handle keeps its constant options.
void CurlWire::recycle(CurlExchange* exchange) {
  exchange->handler = nullptr;
  if (exchange->broken) std::erase(broken_, exchange);
  exchange->set(CURLOPT_FORBID_REUSE, 0L);
  if (!exchange->resolve.empty()) {
    exchange->set(CURLOPT_RESOLVE, static_cast<curl_slist*>(nullptr));
    exchange->resolve.clear();
  }
  exchange->headers.clear();
  free_.push_back(exchange);
}

void CurlWire::drop(Exchange* handle) {
  auto* const exchange = static_cast<CurlExchange*>(handle);
  take_off(*exchange);
  recycle(exchange);
}

void CurlWire::resume(Exchange* handle) {
  auto* const exchange = static_cast<CurlExchange*>(handle);
  const CURLcode code = curl_easy_pause(exchange->easy, CURLPAUSE_CONT);
  if (code == CURLE_OK || exchange->broken) return;
  // The held bytes were not taken, and libcurl would wait for more.
  const WireEnd end = exchange->stopped ? WireEnd::kStopped : WireEnd::kOwnTrouble;
  break_off(*exchange, end, curl_easy_strerror(code));
}

// Ends it by the next advance(): for what libcurl does not tell, or not in time.
void CurlWire::break_off(CurlExchange& exchange, WireEnd end, std::string detail) {
  if (exchange.broken || exchange.handler == nullptr) return;
  exchange.broken = true;
  exchange.broken_end = end;
  exchange.broken_detail = std::move(detail);
  broken_.push_back(&exchange);
}

WireTimes CurlWire::times(const Exchange* handle) const {
  CURL* const easy = static_cast<const CurlExchange*>(handle)->easy;
  if (easy == nullptr) return {};
  const auto get = [easy](CURLINFO info) {
    curl_off_t value = 0;
    const CURLcode code = curl_easy_getinfo(easy, info, &value);
    return code == CURLE_OK ? static_cast<std::int64_t>(value) : 0;
  };
  return {get(CURLINFO_CONNECT_TIME_T), get(CURLINFO_APPCONNECT_TIME_T),
          get(CURLINFO_STARTTRANSFER_TIME_T), get(CURLINFO_TOTAL_TIME_T)};
}

int CurlWire::timeout_ms() const {
  if (!broken_.empty()) return 0;
  const CurlMulti* first = nullptr;
  for (const auto& multi : multis_) {
    if (multi->timer_set && (first == nullptr || multi->timer < first->timer)) first = multi.get();
  }
  if (first == nullptr) return -1;
  const auto left = first->timer - SteadyClock::now();
  if (left <= SteadyClock::duration::zero()) return 0;
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

// A libcurl that cannot even look at its transfers ends none of them: so all end here, and nobody else is blamed.
void CurlWire::act(CurlMulti& multi, curl_socket_t fd, int events) {
  int running = 0;
  const CURLMcode code = curl_multi_socket_action(multi.handle, fd, events, &running);
  if (code == CURLM_OK) return;
  for (const auto& exchange : all_) {
    if (exchange->multi != &multi) continue;
    break_off(*exchange, WireEnd::kOwnTrouble, curl_multi_strerror(code));
  }
}

void CurlWire::end_exchange(CurlExchange& exchange, CURLcode code) {
  WireEnd end = end_of(code, exchange.got_bytes);
  if (exchange.stopped) end = WireEnd::kStopped;
  if (exchange.flooded) end = WireEnd::kFlood;
  if (exchange.stale) end = WireEnd::kStale;
  if (exchange.late) end = WireEnd::kTooLate;
  if (exchange.dropped) end = WireEnd::kDropped;
  std::string detail(exchange.error.data());
  if (detail.empty() && code != CURLE_OK) detail = curl_easy_strerror(code);
  if (exchange.refused && !exchange.reached && end == WireEnd::kConnect) {
    end = WireEnd::kRefusedAddress;
    detail = exchange.refused_text;
  } else if (exchange.trouble != 0 && end == WireEnd::kConnect) {
    end = WireEnd::kOwnTrouble;
    detail = system_error("cannot make a socket", exchange.trouble).message;
  } else if (failed_allocations != exchange.failed_before && end != WireEnd::kDone &&
             end != WireEnd::kStopped && end != WireEnd::kFlood) {
    end = WireEnd::kOwnTrouble;
    detail = "out of memory";
  }
  if (exchange.broken) {
    end = exchange.broken_end;
    detail = exchange.broken_detail;
  }
  take_off(exchange);
  // The handler may ask for the exchange's times until it returns.
  exchange.handler->on_end(end, detail);
  recycle(&exchange);
}

void CurlWire::end_broken() {
  // What is started from on_end may break in its turn: that is for the next time.
  for (std::size_t count = broken_.size(); count > 0 && !broken_.empty(); --count) {
    end_exchange(*broken_.front(), CURLE_OK);
  }
}

void CurlWire::advance() {
  for (const auto& multi : multis_) {
    if (multi->timer_set && SteadyClock::now() >= multi->timer) {
      multi->timer_set = false;  // libcurl sets it anew where it wants to
      act(*multi, CURL_SOCKET_TIMEOUT, 0);
    }
    int left = 0;
    while (CURLMsg* const message = curl_multi_info_read(multi->handle, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      CurlExchange* const exchange = exchange_of(message->easy_handle);
      if (exchange != nullptr) end_exchange(*exchange, code);
    }
  }
  end_broken();
}

void CurlMulti::on_ready(int fd, unsigned ready) {
  const int events = ((ready & Poller::kRead) != 0 ? CURL_CSELECT_IN : 0) |
                     ((ready & Poller::kWrite) != 0 ? CURL_CSELECT_OUT : 0) |
                     ((ready & Poller::kError) != 0 ? CURL_CSELECT_ERR : 0);
  wire.act(*this, fd, events);
}

int CurlWire::on_socket(CURL* easy, curl_socket_t fd, int what, void* argument, void*) {
  auto* const multi = static_cast<CurlMulti*>(argument);
  CurlWire* const self = &multi->wire;
  if (what == CURL_POLL_REMOVE || what == CURL_POLL_NONE) {
    self->poller_.park(fd);
  } else {
    const unsigned events =
        (what != CURL_POLL_OUT ? Poller::kRead : 0U) | (what != CURL_POLL_IN ? Poller::kWrite : 0U);
    if (self->poller_.watch(fd, events, multi)) return 0;
    const int reason = errno;
    CurlExchange* const exchange = exchange_of(easy);
    if (exchange == nullptr) return 0;
    self->break_off(*exchange, WireEnd::kOwnTrouble,
                    system_error("cannot wait for a socket", reason).message);
  }
  return 0;
}

int CurlWire::on_timer(CURLM*, long timeout_ms, void* argument) {
  auto* const multi = static_cast<CurlMulti*>(argument);
  multi->timer_set = timeout_ms >= 0;
  if (timeout_ms >= 0) multi->timer = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
  return 0;
}

std::size_t CurlWire::on_header(char* bytes, std::size_t, std::size_t count, void* argument) {
  auto* const exchange = static_cast<CurlExchange*>(argument);
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
  auto* const exchange = static_cast<CurlExchange*>(argument);
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
  auto* const exchange = static_cast<CurlExchange*>(argument);
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
  if (!exchange->wire->options_.interface.empty() &&
      !bind_to(fd, address->family, exchange->wire->options_.interface)) {
    exchange->trouble = errno;
    ::close(fd);
    return CURL_SOCKET_BAD;
  }
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
  auto* const exchange = static_cast<CurlExchange*>(argument);
  const ConnectionBook::Ends ends{ip_text != nullptr ? ip_text : "", port, local_port};
  CurlWire& self = *exchange->wire;
  // By libcurl's own will: no option of its keeps it from that.
  if (exchange->once && exchange->sent) {
    exchange->dropped = true;
    return CURL_PREREQFUNC_ABORT;
  }
  if (!exchange->handler->may_send()) {
    exchange->late = true;
    return CURL_PREREQFUNC_ABORT;
  }
  if (!exchange->opened.empty()) {
    exchange->fd = self.book_.note(ends, exchange->opened);
  } else if (self.book_.is_stale(ends)) {
    exchange->stale = true;
    return CURL_PREREQFUNC_ABORT;
  } else {
    exchange->fd = self.book_.descriptor(ends);
  }
  exchange->handler->on_connected(ends.ip);
  exchange->sent = true;
  return CURL_PREREQFUNC_OK;
}

// libcurl calls this behind each read, and reads on for as long as there is something: a server that is fast enough would
// keep it for itself.
int CurlWire::on_read(void* argument, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto* const exchange = static_cast<CurlExchange*>(argument);
  if (++exchange->reads % kReadsPerLook != 0 || exchange->max_received == 0) return 0;
  if (exchange->fd < 0 || !exchange->wire->book_.is_http1(exchange->fd)) return 0;
  const std::uint64_t received = received_by(exchange->fd);
  if (!exchange->received_before) exchange->received_before = received;
  exchange->flooded = received > *exchange->received_before + exchange->max_received;
  return exchange->flooded ? 1 : 0;
}

int CurlWire::on_debug(CURL*, curl_infotype type, char* bytes, std::size_t size, void* argument) {
  auto* const exchange = static_cast<CurlExchange*>(argument);
  if (type == CURLINFO_HEADER_OUT && exchange->handler != nullptr) {
    exchange->handler->on_request({bytes, size});
  }
  return 0;
}

bool Wire::has_http3() {
  return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP3) != 0;
}

std::string Wire::libcurl_version() { return curl_version_info(CURLVERSION_NOW)->version; }

Result<std::unique_ptr<Wire>> Wire::create(Poller& poller, const AddressPolicy& policy,
                                           WireOptions options) {
  auto wire = std::make_unique<CurlWire>(poller, policy, std::move(options));
  if (const Status opened = wire->open(); !opened.ok()) return opened.error();
  return std::unique_ptr<Wire>(std::move(wire));
}

}  // namespace spinneret::http
