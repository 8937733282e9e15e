// SPDX-License-Identifier: Apache-2.0
#include "http/curl_exchange.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "http/counted_memory.h"
#include "http/socket.h"

namespace spinneret::http {
namespace {

// Number of reads between two looks at how much has come in all; these take a MB at most.
constexpr unsigned kReadsPerLook = 16;

// Errors that the other side, or the network, may cause. All others are trouble of this process.
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
    {CURLE_OPERATION_TIMEDOUT, WireEnd::kConnect},  // of connecting, the only limit set
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
    {CURLE_BAD_FUNCTION_ARGUMENT, WireEnd::kProtocol},  // of an answer: see is_no_field()
    // Also libcurl's code for a full line buffer: CurlExchange::end() tells the two apart.
    {CURLE_OUT_OF_MEMORY, WireEnd::kLongLine},
#if LIBCURL_VERSION_NUM >= 0x080600
    {CURLE_TOO_LARGE, WireEnd::kLongLine},
#endif
};

// Returns whether a line of a head is no field. Before any answer the code means our own mistake.
bool is_no_field(CURLcode code, bool got_bytes) {
  return code == CURLE_BAD_FUNCTION_ARGUMENT && got_bytes;
}

WireEnd end_of(CURLcode code, bool got_bytes) {
  const auto row = std::find_if(std::begin(kCodes), std::end(kCodes),
                                [code](const CodeRow& at) { return at.code == code; });
  const bool ours = code == CURLE_BAD_FUNCTION_ARGUMENT && !got_bytes;
  if (row == std::end(kCodes) || ours) return WireEnd::kOwnTrouble;
  if (code == CURLE_SEND_ERROR && got_bytes) return WireEnd::kUnheard;
  return code == CURLE_RECV_ERROR && got_bytes ? WireEnd::kCut : row->end;
}

// An HTTP/2 head over libcurl's limit makes its own callback fail, and so the connection. With 7.88
// nghttp2's message tells of this, with later releases libcurl's own.
bool is_large_head(CURLcode code, std::string_view detail) {
  return code == CURLE_RECV_ERROR &&
         (detail.find("The user callback function failed") != detail.npos ||
          detail.find("Too large response headers") != detail.npos);
}

// A server, or a proxy, that fails at a request or gives it up resets the stream, where with HTTP/1
// it closes the connection. Other codes say that we are at fault, or ask too much.
bool is_reset(CURLcode code, std::string_view detail, std::string_view reason) {
  return code == CURLE_HTTP2_STREAM && detail.find(reason) != detail.npos;
}
bool is_passing_reset(CURLcode code, std::string_view detail) {
  return is_reset(code, detail, "INTERNAL_ERROR") || is_reset(code, detail, "CANCEL");
}

// Before 8.1.1 a handle remembers the last field of its last answer, which is freed by then, and
// appends to it if a server begins its fields with a blank (curl issue 11101). So it is used once.
bool handles_linger() {
  static const bool linger = curl_version_info(CURLVERSION_NOW)->version_num < 0x080101;
  return linger;
}

// Returns whether TLS connections can be watched without libcurl's help.
bool watches_tls() {
  static const bool watches = TlsGuard::knows(curl_version_info(CURLVERSION_NOW)->ssl_version);
  return watches;
}

CurlExchange& of(void* self) { return *static_cast<CurlExchange*>(self); }

}  // namespace

bool HeaderList::add(const std::string& line) {
  curl_slist* const longer = curl_slist_append(own_, line.c_str());
  if (longer != nullptr) own_ = longer;
  return longer != nullptr;
}

curl_slist* HeaderList::with_tail(curl_slist* tail) {
  if (own_ == nullptr) return tail;
  last_ = own_;
  while (last_->next != nullptr) last_ = last_->next;
  last_->next = tail;
  return own_;
}

void HeaderList::clear() {
  if (last_ != nullptr) last_->next = nullptr;
  curl_slist_free_all(own_);
  own_ = last_ = nullptr;
}

void CurlCommon::take_number(curl_socket_t fd) {
  poller.forget(fd);
  book.forget(fd);
}

void CurlExchange::discard() {
  if (easy_ != nullptr) curl_easy_cleanup(std::exchange(easy_, nullptr));
}

void CurlExchange::refresh() {
  if (easy_ != nullptr && sound_ && !handles_linger()) return;
  discard();
  easy_ = curl_easy_init();
  sound_ = easy_ != nullptr;
  if (!sound_) return;
  set_constant_options();
  set_tls_options();
  set_callbacks();
}

void CurlExchange::set_constant_options() {
  const WireOptions& options = common_.options;
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_PATH_AS_IS, 1L);  // dot segments have been removed already
  set(CURLOPT_HTTP_CONTENT_DECODING, 0L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  // An empty proxy also keeps libcurl from reading http_proxy and its like.
  set(CURLOPT_PROXY, options.proxy.c_str());
  set(CURLOPT_NOPROXY, "");
  set(CURLOPT_PIPEWAIT, 1L);
  set(CURLOPT_BUFFERSIZE, static_cast<long>(options.read_buffer));
  // An ordinary field costs half (7.88 writes its own twice, byte by byte), but CONNECT lacks it.
  set(CURLOPT_USERAGENT, options.proxy.empty() ? "" : options.agent.c_str());
  set(CURLOPT_CONNECTTIMEOUT_MS, 300'000L);  // the owner's limits are shorter
  set(CURLOPT_SHARE, common_.share);
  if (common_.keeps_cookies()) set(CURLOPT_COOKIEFILE, "");  // no file: this enables cookies
}

// Sets the HTTP version. Without TLS it is always HTTP/1.1, and libcurl must be told so: where an
// answer on such a connection says that it is HTTP/2, libcurl sends further requests on it while
// that answer is still to come, and each may get the answer of another.
void CurlExchange::set_version() {
  const WireOptions& options = common_.options;
  // A libcurl without HTTP/2 refuses this option.
  const bool newer = call_.secure && options.http2 &&
                     curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION,
                                      static_cast<long>(CURL_HTTP_VERSION_2TLS)) == CURLE_OK;
  if (!newer) set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (call_.secure && options.http3) {
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_3));
  }
}

void CurlExchange::set_tls_options() {
  const WireOptions& options = common_.options;
  set(CURLOPT_SSL_VERIFYPEER, options.insecure ? 0L : 1L);
  set(CURLOPT_SSL_VERIFYHOST, options.insecure ? 0L : 2L);
  if (!options.ca_file.empty()) {
    set(CURLOPT_CAINFO, options.ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  if (watches_tls()) {
    set(CURLOPT_SSL_CTX_FUNCTION, on_tls);
    set(CURLOPT_SSL_CTX_DATA, static_cast<void*>(&common_));
  }
  if (options.cert_file.empty()) return;
  set(CURLOPT_SSLCERT, options.cert_file.c_str());
  const std::string& key = options.key_file.empty() ? options.cert_file : options.key_file;
  set(CURLOPT_SSLKEY, key.c_str());
}

void CurlExchange::set_callbacks() {
  const WireOptions& options = common_.options;
  void* const self = this;
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, self);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, self);
  set(CURLOPT_OPENSOCKETFUNCTION, on_open);
  set(CURLOPT_OPENSOCKETDATA, self);
  set(CURLOPT_CLOSESOCKETFUNCTION, on_close);
  set(CURLOPT_CLOSESOCKETDATA, &common_);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, on_read);
  set(CURLOPT_XFERINFODATA, self);
  set(CURLOPT_PREREQFUNCTION, on_request_ready);
  set(CURLOPT_PREREQDATA, self);
  // Every name has been resolved. libcurl would block in a thread, and ask another name server.
  if (options.proxy.empty()) {
    set(CURLOPT_RESOLVER_START_FUNCTION, on_resolve);
    set(CURLOPT_RESOLVER_START_DATA, self);
  }
  if (options.keep_request) {
    set(CURLOPT_VERBOSE, 1L);
    set(CURLOPT_DEBUGFUNCTION, on_debug);
    set(CURLOPT_DEBUGDATA, self);
  }
}

void CurlExchange::set_addresses(const WireCall& call, std::vector<std::string>& forgotten) {
  for (const std::string& line : forgotten) sound_ &= resolve_.add(line);
  forgotten.clear();
  call_.literal = call.host.starts_with('[');
  // At the end of each exchange libcurl looks through all names that can expire: with 2,000 hosts
  // that was a fifth of fetch's CPU. So the names given to libcurl never expire, and are taken back
  // explicitly. This does not work for IPv6 addresses, and libcurl looks up a proxy's name itself.
  const bool ours = common_.options.proxy.empty() && !call_.literal;
  set(CURLOPT_DNS_CACHE_TIMEOUT, ours ? -1L : 60L);
  if (call.addresses != nullptr && !call_.literal) {
    // A host name that begins with a minus sign would be read as a name to take back. A plus sign
    // in front only makes the entry expire, which changes nothing while no name expires.
    const std::string sign = call.host.starts_with('-') ? "+" : "";
    sound_ &= resolve_.add(sign + call.host + ":" + std::to_string(call.port) + ":" +
                           list_text(*call.addresses));
  }
  if (!resolve_.empty()) set(CURLOPT_RESOLVE, resolve_.get());
}

// Does not call if an option could not be set: the handle still has the last call's URL and fields.
bool CurlExchange::begin(const WireCall& call, WireHandler& handler,
                         std::vector<std::string>& forgotten) {
  refresh();
  handler_ = &handler;
  ended_by_us_.reset();
  broken_.reset();
  error_[0] = '\0';
  call_ = {};
  call_.once = call.once;
  call_.secure = call.url.starts_with("https:");
  if (common_.keeps_cookies()) call_.host = call.host;
  call_.flood.limit = call.max_received;
  call_.failed_before = failed_allocations();
  set(CURLOPT_URL, call.url.c_str());
  set_version();
  if (call.headers != nullptr) {
    for (const std::string& header : *call.headers) sound_ &= headers_.add(header);
  }
  set(CURLOPT_HTTPHEADER, headers_.with_tail(common_.headers.get()));
  set(call.head_only ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1L);
  set(CURLOPT_FRESH_CONNECT, call.fresh_connection ? 1L : 0L);
  set_addresses(call, forgotten);
  return sound_;
}

CURLMcode CurlExchange::join(CURLM* multi) {
  multi_ = multi;
  const CURLMcode code = curl_multi_add_handle(multi, easy_);
  if (code != CURLM_OK) sound_ = false;
  return code;
}

void CurlExchange::leave() {
  CURLM* const multi = std::exchange(multi_, nullptr);
  if (multi != nullptr && curl_multi_remove_handle(multi, easy_) != CURLM_OK) sound_ = false;
}

void CurlExchange::rest() {
  handler_ = nullptr;
  set(CURLOPT_FORBID_REUSE, 0L);
  if (!resolve_.empty()) {
    set(CURLOPT_RESOLVE, static_cast<curl_slist*>(nullptr));
    resolve_.clear();
  }
  headers_.clear();
}

bool CurlExchange::break_off(WireEnd end, std::string detail) {
  if (broken_ || handler_ == nullptr) return false;
  broken_ = {end, std::move(detail)};
  return true;
}

// Before the first byte a partial file means that an HTTP/2 connection was closed under the
// request. A kept one had most likely been idle for too long; a framing error then is a GOAWAY
// for streams up to that of the last exchange.
WireEnd CurlExchange::end_unanswered(CURLcode code, WireEnd end) const {
  if (is_passing_reset(code, error_.data()))
    return call_.once ? WireEnd::kDropped : WireEnd::kNoAnswer;
  if (is_reset(code, error_.data(), "ENHANCE_YOUR_CALM")) return WireEnd::kTooFast;
  const bool kept = call_.sent && call_.opened.empty();
  const bool closed = code == CURLE_PARTIAL_FILE && end == WireEnd::kCut;
  if (!closed && !(kept && code == CURLE_HTTP2 && end == WireEnd::kProtocol)) return end;
  return kept && call_.once ? WireEnd::kDropped : WireEnd::kNoAnswer;
}

long CurlExchange::status() const {
  long code = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &code);
  return code;
}

WireEnd CurlExchange::end(CURLcode code, std::string& detail) const {
  if (broken_) {
    detail = broken_->detail;
    return broken_->end;
  }
  WireEnd end = ended_by_us_.value_or(end_of(code, call_.got_bytes));
  if (!call_.got_bytes) end = end_unanswered(code, end);
  if (end == WireEnd::kDone && call_.opened.empty() && status() == 408) end = WireEnd::kGivenUp;
  detail = call_.guarded && code != CURLE_OK ? TlsGuard::kWhy : error_.data();
  if (detail.empty() && code != CURLE_OK) detail = curl_easy_strerror(code);
  if (!ended_by_us_ && is_large_head(code, detail)) end = WireEnd::kLongLine;
  if (is_no_field(code, call_.got_bytes)) detail = "a header or trailer line is not a field";
  if (end == WireEnd::kConnect && call_.tried == Tried::kOnlyRefused) {
    detail = call_.refused;
    return WireEnd::kRefusedAddress;
  }
  if (end == WireEnd::kConnect && call_.trouble != 0) {
    detail = system_error("cannot make a socket", call_.trouble).message;
    return WireEnd::kOwnTrouble;
  }
  if (failed_allocations() != call_.failed_before && end != WireEnd::kDone &&
      end != WireEnd::kStopped && end != WireEnd::kFlood) {
    detail = "out of memory";
    return WireEnd::kOwnTrouble;
  }
  return end;
}

WireTimes CurlExchange::times() const {
  if (easy_ == nullptr) return {};
  const auto get = [this](CURLINFO info) {
    curl_off_t value = 0;
    const CURLcode code = curl_easy_getinfo(easy_, info, &value);
    return code == CURLE_OK ? static_cast<std::int64_t>(value) : 0;
  };
  return {get(CURLINFO_CONNECT_TIME_T), get(CURLINFO_APPCONNECT_TIME_T),
          get(CURLINFO_STARTTRANSFER_TIME_T), get(CURLINFO_TOTAL_TIME_T)};
}

// Returns whether an answer of HTTP/1.1 has a status line of HTTP/2 or 3. libcurl makes up the
// status lines of true HTTP/2 and 3 answers, whose version has no dot.
bool CurlExchange::is_of_another_version(std::string_view line) const {
  if (!line.starts_with("HTTP/") || line.size() < 7 || line[5] < '2') return false;
  return !call_.secure || line[6] == '.' || (call_.fd >= 0 && common_.book.is_http1(call_.fd)) ||
         (line[5] == '2' && !agreed_on_http2());
}

// Returns true also where this libcurl does not let us look: then the status line is believed.
bool CurlExchange::agreed_on_http2() const {
  curl_tlssessioninfo* session = nullptr;
  if (!watches_tls() || curl_easy_getinfo(easy_, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK)
    return true;
  return session == nullptr || session->internals == nullptr ||
         TlsGuard::is_http2(session->internals);
}

std::size_t CurlExchange::on_header(char* bytes, std::size_t, std::size_t count, void* argument) {
  CurlExchange& self = of(argument);
  Call& call = self.call_;
  if (!call.got_bytes && call.fd >= 0 && std::string_view(bytes, count).starts_with("HTTP/1")) {
    self.common_.book.note_http1(call.fd);
  }
  call.got_bytes = true;
  if (self.is_of_another_version({bytes, count})) {
    self.break_off(WireEnd::kProtocol, "answer over HTTP/1.1 that claims another version");
    return 0;
  }
  if (!call.host.empty()) self.common_.cookies.note(call.host, {bytes, count});
  if (self.handler_->on_header({bytes, count}) == WireStep::kGoOn) return count;
  self.ended_by_us_ = WireEnd::kStopped;
  return 0;
}

std::size_t CurlExchange::on_body(char* bytes, std::size_t, std::size_t count, void* argument) {
  CurlExchange& self = of(argument);
  self.common_.guard.pause();
  const WireStep step = self.handler_->on_body({bytes, count});
  self.common_.guard.resume();
  switch (step) {
    case WireStep::kGoOn: return count;
    case WireStep::kPause: return CURL_WRITEFUNC_PAUSE;
    case WireStep::kStop: break;
  }
  self.ended_by_us_ = WireEnd::kStopped;
  return 0;
}

// Checks the address that is about to be connected to; a refused address is never sent a byte.
curl_socket_t CurlExchange::on_open(void* argument, curlsocktype, curl_sockaddr* address) {
  CurlExchange& self = of(argument);
  Call& call = self.call_;
  const WireOptions& options = self.common_.options;
  const std::optional<IpAddress> ip = to_ip(address->addr);
  const std::string_view why =
      ip ? self.common_.policy.refusal(*ip) : std::string_view("neither IPv4 nor IPv6");
  if (!why.empty()) {
    if (call.tried == Tried::kNone) call.tried = Tried::kOnlyRefused;
    call.refused = (ip ? to_string(*ip) : "address") + " is " + std::string(why);
    return CURL_SOCKET_BAD;
  }
  call.tried = Tried::kAddress;
  const curl_socket_t fd =
      open_socket(address->family, address->socktype, address->protocol, options.interface);
  if (fd < 0) {
    if (errno != EAFNOSUPPORT) call.trouble = errno;
    return CURL_SOCKET_BAD;
  }
  self.common_.take_number(fd);
  call.opened.push_back(fd);
  return fd;
}

int CurlExchange::on_close(void* common, curl_socket_t fd) {
  static_cast<CurlCommon*>(common)->take_number(fd);
  return ::close(fd);
}

CURLcode CurlExchange::on_tls(CURL*, void* context, void* common) {
  static_cast<CurlCommon*>(common)->guard.watch(context);
  return CURLE_OK;
}

int CurlExchange::on_resolve(void*, void*, void* self) { return of(self).call_.literal ? 0 : 1; }

int CurlExchange::on_request_ready(void* argument, char* ip_text, char*, int port, int local_port) {
  CurlExchange& self = of(argument);
  Call& call = self.call_;
  ConnectionBook& book = self.common_.book;
  const ConnectionBook::Ends ends{ip_text != nullptr ? ip_text : "", port, local_port};
  const auto refuse = [&self](WireEnd end) {
    self.ended_by_us_ = end;
    return CURL_PREREQFUNC_ABORT;
  };
  // libcurl itself sends the request again, on another connection; no option prevents that.
  if (call.once && call.sent) return refuse(WireEnd::kDropped);
  if (!self.handler_->may_send()) return refuse(WireEnd::kTooLate);
  if (!call.opened.empty()) {
    call.fd = book.note(ends, call.opened);
  } else if (book.is_stale(ends)) {
    return refuse(WireEnd::kStale);
  } else {
    call.fd = book.descriptor(ends);
  }
  self.handler_->on_connected(ends.ip);
  call.sent = true;
  return CURL_PREREQFUNC_OK;
}

// libcurl calls this after each read, and goes on reading as long as bytes come: a server that is
// fast enough would keep it busy for ever.
int CurlExchange::on_read(void* argument, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  CurlExchange& self = of(argument);
  Flood& flood = self.call_.flood;
  const int fd = self.call_.fd;
  if (++flood.reads % kReadsPerLook != 0 || flood.limit == 0) return 0;
  if (fd < 0 || !self.common_.book.is_http1(fd)) return 0;
  const std::uint64_t received = received_by(fd);
  if (!flood.before) flood.before = received;
  if (received <= *flood.before + flood.limit) return 0;
  self.ended_by_us_ = WireEnd::kFlood;
  return 1;
}

int CurlExchange::on_debug(CURL*, curl_infotype type, char* bytes, std::size_t size,
                           void* argument) {
  CurlExchange& self = of(argument);
  if (type == CURLINFO_HEADER_OUT && self.handler_ != nullptr) {
    self.handler_->on_request({bytes, size});
  }
  return 0;
}

}  // namespace spinneret::http
