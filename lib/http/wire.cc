// SPDX-License-Identifier: Apache-2.0
#include "http/wire.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "base/text_file.h"
#include "http/counted_memory.h"
#include "http/curl_exchange.h"

namespace spinneret::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

CurlExchange* exchange_of(CURL* easy) {
  char* exchange = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_PRIVATE, &exchange) != CURLE_OK) return nullptr;
  return reinterpret_cast<CurlExchange*>(exchange);
}

// Returns the cookies that a handle knows, in Netscape format; nothing where memory ran out.
std::optional<std::vector<std::string>> cookies_of(CURL* easy) {
  curl_slist* list = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &list) != CURLE_OK) return std::nullopt;
  std::vector<std::string> lines;
  for (const curl_slist* line = list; line != nullptr; line = line->next)
    lines.emplace_back(line->data);
  curl_slist_free_all(list);
  return lines;
}

// Returns whether an open file can be one of cookies. The first line that is neither empty nor a
// comment decides: its second column must be TRUE or FALSE. A file that is not regular cannot lose
// data.
bool may_hold_cookies(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return true;
  char head[8192];
  const ssize_t size = pread(fd, head, sizeof head, 0);
  std::string_view rest(head, size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!rest.empty()) {
    std::string_view line = cut(rest, '\n');
    if (line.empty() || line == "\r" || line.front() == '#') continue;
    cut(line, '\t');
    const std::string_view below = cut(line, '\t');
    return equals_ignore_case(below, "TRUE") || equals_ignore_case(below, "FALSE");
  }
  return true;
}

// For each cookie that it reads, libcurl goes through all that it has: 10,000 of them take a
// second, 100,000 take minutes.
constexpr std::size_t kMostLines = 10'000;

}  // namespace

class CurlWire;

// A multi handle and its timer.
struct CurlMulti : Poller::Client {
  explicit CurlMulti(CurlWire& its_wire) : wire(its_wire) {}
  void on_ready(int fd, unsigned ready) override;

  CurlWire& wire;
  CURLM* handle = nullptr;
  bool timer_set = false;
  SteadyClock::time_point timer;
  std::vector<std::string> forgotten;  // hosts, for the next call to take back
};

class CurlWire : public Wire {
 public:
  CurlWire(Poller& poller, const AddressPolicy& policy, WireOptions options)
      : common_{poller, policy, std::move(options), nullptr, {}, {}, {}, TlsGuard()} {}
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
  Status open_share();
  Status open_headers();
  void limit_cookies();
  CurlExchange& idle();
  void act(CurlMulti& multi, curl_socket_t fd, int events);
  void break_off(CurlExchange& exchange, WireEnd end, std::string detail);
  void end_broken();
  void end_exchange(CurlExchange& exchange, CURLcode code);
  void recycle(CurlExchange& exchange);

  static int on_socket(CURL*, curl_socket_t fd, int what, void* multi, void*);
  static int on_timer(CURLM*, long timeout_ms, void* multi);

  CurlCommon common_;
  std::vector<std::unique_ptr<CurlMulti>> multis_;
  std::vector<std::unique_ptr<CurlExchange>> all_;
  std::vector<CurlExchange*> free_;
  std::vector<CurlExchange*> broken_;  // in the order of breaking
};

CurlWire::~CurlWire() {
  for (const auto& exchange : all_) exchange->leave();
  all_.clear();
  for (const auto& multi : multis_) {
    if (multi->handle != nullptr) curl_multi_cleanup(multi->handle);
  }
  if (common_.share != nullptr) curl_share_cleanup(common_.share);
}

Status CurlWire::open() {
  static const CURLcode global =
      curl_global_init_mem(CURL_GLOBAL_DEFAULT, counted_malloc, std::free, counted_realloc,
                           counted_strdup, counted_calloc);
  if (global != CURLE_OK) return Error{"cannot start libcurl"};
  WireOptions& options = common_.options;
  // libcurl caches a file of trust anchors. With a folder as well, which may have more of them, it
  // reads the file anew for each connection, which takes 25 ms for Debian's. Distributions put the
  // same anchors into their file and their folder.
  const char* const usual = curl_version_info(CURLVERSION_NOW)->cainfo;
  if (options.ca_file.empty() && usual != nullptr && access(usual, R_OK) == 0)
    options.ca_file = usual;
  options.multis = std::clamp(options.multis, 1U, 32U);
  while (multis_.size() < options.multis) {
    if (const Status opened = open_multi(); !opened.ok()) return opened;
  }
  if (const Status opened = open_share(); !opened.ok()) return opened;
  return open_headers();
}

Status CurlWire::open_headers() {
  const WireOptions& options = common_.options;
  // A User-Agent among the operator's fields replaces this one, or removes it.
  const bool named = std::any_of(
      options.headers.begin(), options.headers.end(),
      [](const std::string& line) { return starts_with_ignore_case(line, "user-agent:"); });
  if (options.proxy.empty() && !options.agent.empty() && !named &&
      !common_.headers.add("User-Agent: " + options.agent)) {
    return Error{"out of memory"};
  }
  for (std::string header : options.headers) {
    // To libcurl "Name:" removes a field, and "Name;" is a field without a value.
    if (header.find(':') + 1 == header.size()) header.back() = ';';
    if (!common_.headers.add(header)) return Error{"out of memory"};
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
  set(CURLMOPT_MAXCONNECTS, static_cast<long>(std::max<std::size_t>(
                                1, common_.options.max_connections / common_.options.multis)));
  if (!sound) return Error{"libcurl does not take its options"};
  return {};
}

// Opens the share. Without it each handle that is given the cookie file would read it again, and
// bring back cookies that servers have deleted since; and a TLS session of one handle would serve
// none of the others.
Status CurlWire::open_share() {
  const WireOptions& options = common_.options;
  common_.share = curl_share_init();
  if (common_.share == nullptr) return Error{"out of memory"};
  // A libcurl without TLS has no sessions, and needs none.
  curl_share_setopt(common_.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  if (!common_.keeps_cookies()) return {};
  // This is checked now, and not after the last page: a file that cannot be read or written is
  // wrong usage.
  for (const std::string& path : {options.cookie_file, options.cookie_jar}) {
    if (path.empty()) continue;
    const bool kept = path == options.cookie_jar;
    const Result<Fd> file = open_file(path, kept ? O_RDWR | O_CREAT : O_RDONLY, 0600);
    if (!file.ok()) return file.error();
    // The file would be overwritten at the end; apparently the wrong file was named.
    if (!may_hold_cookies(file->get()))
      return Error{path + " is not a cookie file (Netscape format), and stays as it is"};
    if (path == options.cookie_file && count_line_ends(file->get()) > kMostLines) {
      return Error{path + " has more than 10,000 lines, and no more than some 3,300 cookies are " +
                   "kept: leave those in it that are needed"};
    }
  }
  if (curl_share_setopt(common_.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) != CURLSHE_OK) {
    return Error{"libcurl here knows no cookies"};
  }
  if (options.cookie_file.empty()) return {};
  CURL* const reader = curl_easy_init();
  bool sound = reader != nullptr;
  const auto set = [&](CURLoption option, auto value) {
    sound = sound && curl_easy_setopt(reader, option, value) == CURLE_OK;
  };
  set(CURLOPT_SHARE, common_.share);
  set(CURLOPT_COOKIEFILE, options.cookie_file.c_str());
  set(CURLOPT_COOKIELIST, "RELOAD");
  const std::optional<std::vector<std::string>> lines = sound ? cookies_of(reader) : std::nullopt;
  curl_easy_cleanup(reader);
  if (!lines) return Error{"cannot read the cookies"};
  common_.cookies.begin_with(*lines);
  return {};
}

// Uses a handle of its own, since libcurl may be working with those of calls.
void CurlWire::limit_cookies() {
  CURL* const jar = curl_easy_init();
  if (jar == nullptr) return;
  std::optional<std::vector<std::string>> lines;
  if (curl_easy_setopt(jar, CURLOPT_SHARE, common_.share) == CURLE_OK) lines = cookies_of(jar);
  if (lines) {
    const std::vector<std::string> kept = common_.cookies.kept(*lines);
    if (kept.size() < lines->size() &&
        curl_easy_setopt(jar, CURLOPT_COOKIELIST, "ALL") == CURLE_OK) {
      for (const std::string& line : kept) curl_easy_setopt(jar, CURLOPT_COOKIELIST, line.c_str());
    }
  }
  curl_easy_cleanup(jar);
}

// CURLOPT_COOKIEJAR is not used: it reports nothing where the file cannot be written.
Status CurlWire::save_cookies() {
  if (common_.options.cookie_jar.empty() || all_.empty()) return {};
  CURL* const any = all_.front()->easy();
  const std::optional<std::vector<std::string>> lines =
      any != nullptr ? cookies_of(any) : std::nullopt;
  if (!lines) return Error{"cannot list the cookies"};
  // Readers recognise the format by the first line.
  std::string text =
      "# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n# Written by "
      "fetch.\n\n";
  for (const std::string& line : *lines) text.append(line).append("\n");
  return write_file_atomic(common_.options.cookie_jar, text);
}

// Returns an exchange at rest.
CurlExchange& CurlWire::idle() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<CurlExchange>(common_));
    return *all_.back();
  }
  CurlExchange& exchange = *free_.back();
  free_.pop_back();
  return exchange;
}

Wire::Exchange* CurlWire::start(const WireCall& call, WireHandler& handler) {
  CurlExchange& exchange = idle();
  CurlMulti& multi = *multis_[call.multi % multis_.size()];
  if (!exchange.begin(call, handler, multi.forgotten)) {
    break_off(exchange, WireEnd::kOwnTrouble, "out of memory");
  } else if (const CURLMcode code = exchange.join(multi.handle); code != CURLM_OK) {
    break_off(exchange, WireEnd::kOwnTrouble, curl_multi_strerror(code));
  }
  return &exchange;
}

void CurlWire::recycle(CurlExchange& exchange) {
  if (exchange.broken()) std::erase(broken_, &exchange);
  exchange.rest();
  free_.push_back(&exchange);
}

void CurlWire::drop(Exchange* handle) {
  auto& exchange = *static_cast<CurlExchange*>(handle);
  exchange.leave();
  recycle(exchange);
}

void CurlWire::resume(Exchange* handle) {
  auto& exchange = *static_cast<CurlExchange*>(handle);
  common_.guard.begin_turn();
  const CURLcode code = exchange.resume();
  if (code == CURLE_OK) return;
  // The handler did not take the held bytes, and libcurl would wait for more.
  const WireEnd end = exchange.stopped() ? WireEnd::kStopped : WireEnd::kOwnTrouble;
  break_off(exchange, end, curl_easy_strerror(code));
}

// Ends the exchange by the next advance(), for errors that libcurl does not report, or not in time.
void CurlWire::break_off(CurlExchange& exchange, WireEnd end, std::string detail) {
  if (exchange.break_off(end, std::move(detail))) broken_.push_back(&exchange);
}

WireTimes CurlWire::times(const Exchange* handle) const {
  return static_cast<const CurlExchange*>(handle)->times();
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

// A libcurl that cannot even look at its transfers will end none of them. So all of them end here,
// and no host is blamed.
void CurlWire::act(CurlMulti& multi, curl_socket_t fd, int events) {
  int running = 0;
  common_.guard.begin_turn();
  const CURLMcode code = curl_multi_socket_action(multi.handle, fd, events, &running);
  if (common_.guard.ended()) {
    for (const auto& exchange : all_) exchange->note_ended_by_guard(fd);
  }
  if (code == CURLM_OK) return;
  for (const auto& exchange : all_) {
    if (exchange->multi() != multi.handle) continue;
    break_off(*exchange, WireEnd::kOwnTrouble, curl_multi_strerror(code));
  }
}

void CurlWire::end_exchange(CurlExchange& exchange, CURLcode code) {
  std::string detail;
  const WireEnd end = exchange.end(code, detail);
  exchange.leave();
  // The handler may ask for the exchange's times until it returns.
  exchange.handler()->on_end(end, detail);
  recycle(exchange);
}

void CurlWire::end_broken() {
  // Exchanges that on_end starts may break, too; they end by the next advance().
  for (std::size_t count = broken_.size(); count > 0 && !broken_.empty(); --count) {
    end_exchange(*broken_.front(), CURLE_OK);
  }
}

void CurlWire::advance() {
  if (common_.cookies.is_due()) limit_cookies();
  for (const auto& multi : multis_) {
    if (multi->timer_set && SteadyClock::now() >= multi->timer) {
      multi->timer_set = false;  // libcurl sets it anew if needed
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
  Poller& poller = multi->wire.common_.poller;
  if (what == CURL_POLL_REMOVE || what == CURL_POLL_NONE) {
    poller.park(fd);
  } else {
    const unsigned events =
        (what != CURL_POLL_OUT ? Poller::kRead : 0U) | (what != CURL_POLL_IN ? Poller::kWrite : 0U);
    if (poller.watch(fd, events, multi)) return 0;
    const int reason = errno;
    CurlExchange* const exchange = exchange_of(easy);
    if (exchange == nullptr) return 0;
    multi->wire.break_off(*exchange, WireEnd::kOwnTrouble,
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
