// SPDX-License-Identifier: Apache-2.0
#include "http/resolver.h"

#include <ares.h>
#include <netdb.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <list>
#include <unordered_map>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"
#include "http/dns_cache.h"

namespace spinneret::http {
namespace {

constexpr std::int64_t kMs = 1'000'000;
// A lookup that takes longer than this no longer keeps others from being asked, ...
constexpr std::int64_t kFreshNs = 500 * kMs;
// ... unless there are so many of them: each costs c-ares some KB.
constexpr std::size_t kMaxAsked = 4096;
// After this time the IPv4 address alone is asked for as well, since c-ares waits for both answers:
// some name servers answer at once for IPv4, and never for IPv6 (RFC 4074, 4.1). After as long
// again the IPv6 address alone is asked for.
constexpr std::int64_t kAloneNs = 2000 * kMs;
// No more addresses of each family are kept. A stranger's zone may have thousands in one answer,
// and any number of names.
constexpr unsigned kMostOfFamily = 16;
// The interval at which time limits are checked while lookups run: ares_timeout() walks all
// lookups.
constexpr std::int64_t kTickNs = 100 * kMs;

// Counts failed allocations of c-ares, which reports some of them as a name server's refusal.
std::uint64_t failed_allocations = 0;

void* counted(void* memory, std::size_t size) {
  if (memory == nullptr && size != 0) ++failed_allocations;
  return memory;
}
void* counted_malloc(std::size_t size) { return counted(std::malloc(size), size); }
void* counted_realloc(void* old, std::size_t size) {
  return counted(std::realloc(old, size), size);
}

std::string_view failure_text(int status) {
  switch (status) {
    case ARES_ENOTFOUND: return "no such host";
    case ARES_ENODATA: return "host has no address";
    case ARES_ETIMEOUT: return "name server does not answer";
    case ARES_ESERVFAIL:
    case ARES_EREFUSED:
    // c-ares does not tell these apart.
    case ARES_ECONNREFUSED: return "name server failed or is not there";
    case ARES_EBADNAME: return "not a host name";
    default: return ares_strerror(status);
  }
}

// Checks ports, since c-ares takes any number for one: the lowest 16 bits of 99999, and 53 for 0.
bool has_bad_port(std::string_view servers) {
  while (!servers.empty()) {
    const std::string_view server = trim(cut(servers, ','));
    const std::size_t colon = server.find(':', server.rfind(']') + 1);
    // An IPv6 address without brackets has colons of its own, and no port.
    if (colon == server.npos || server.find(':', colon + 1) != server.npos) continue;
    const std::string_view port = server.substr(colon + 1);
    const std::uint64_t number = parse_unsigned(port.substr(0, port.find('%'))).value_or(0);
    if (number == 0 || number > 65535) return true;
  }
  return false;
}

// RFC 6761, 6.3: such a name means this machine, whatever a name server or a file says.
bool is_localhost(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return host == "localhost" || host.ends_with(".localhost");
}

class DnsResolver : public Resolver, private Poller::Client {
 public:
  DnsResolver(Poller& poller, const Clock& clock, const ResolverOptions& options)
      : poller_(poller), clock_(clock), options_(options), cache_(options.max_entries) {}
  ~DnsResolver() override {
    closing_ = true;
    for (ares_channel channel : channels_) {
      if (channel != nullptr) ares_destroy(channel);
    }
    ares_library_cleanup();
  }
  Status open();
  void lookup(const std::string& host, Callback callback) override;
  void advance() override;
  int timeout_ms() const override;

 private:
  // A lookup that c-ares is doing. Queries move from list to list, in the order of asking.
  enum Age { kFresh, kSlow, kSlower, kSlowest, kGivenUp };
  struct Query {
    DnsResolver* resolver;
    std::string host;
    std::int64_t asked_ns;
    std::uint64_t failed_before = failed_allocations;
    Age age = kFresh;
    std::list<Query>::iterator at{};
    int failed_as = ARES_SUCCESS;  // the error over kEither, after which it was asked over kUdp
  };
  // kUdp never goes over to TCP. Of a longer answer it has only the part that fits.
  enum Way { kEither, kUdp, kWays };

  void on_ready(int fd, unsigned ready) override;
  static int on_new_socket(ares_socket_t fd, int type, void* self);
  static void on_socket(void* self, ares_socket_t fd, int read, int write);
  static void on_answer(void* query, int status, int timeouts, ares_addrinfo* answer);
  Status open_channel(Way way, ares_options settings, int mask);
  void start_waiting();
  void query_over(Way way, Query& query, int family);
  bool ask_over_udp(Query& query, int status);
  void process(ares_socket_t to_read, ares_socket_t to_write);
  void ask(std::string host, Age age = kFresh, int family = AF_UNSPEC);
  void ask_alone(const std::string& host, int family);
  void give_up(const std::string& host);
  void add_known(const std::string& host, Resolution& resolution);
  void settle(const std::string& host, Resolution resolution);
  void check_times();
  Resolution take(int status, const ares_addrinfo* answer) const;
  Resolution failure(std::string error) const;
  std::size_t asked() const {
    std::size_t count = 0;
    for (const std::list<Query>& list : queries_) count += list.size();
    return count;
  }

  Poller& poller_;
  const Clock& clock_;
  ResolverOptions options_;
  DnsCache cache_;
  ares_channel channels_[kWays] = {};
  std::unordered_map<std::string, std::vector<Callback>> pending_;  // by host
  std::deque<std::string> waiting_;  // hosts of pending_ that are not yet asked for
  std::list<Query> queries_[5];      // lists by Age
  // The sockets of c-ares. All are processed with each tick, since the poller may have refused one,
  // and since an answer that has come must be read before its time is up.
  std::vector<int> sockets_;
  std::int64_t next_tick_ns_ = 0;
  std::int64_t tcp_ns_ = INT64_MIN;  // when a name server was last asked over TCP
  bool closing_ = false;
};

Status DnsResolver::open() {
  const int begun =
      ares_library_init_mem(ARES_LIB_INIT_ALL, counted_malloc, std::free, counted_realloc);
  if (begun != ARES_SUCCESS) {
    return Error{std::string("cannot start the resolver: ") + ares_strerror(begun)};
  }
  ares_options settings{};
  settings.timeout = static_cast<int>(options_.try_ms);
  settings.tries = options_.tries;
#if ARES_VERSION >= 0x012000
  // From 1.32 on c-ares ignores this time-out. It waits for five times the name server's usual
  // answering time, a quarter of a second at least, then twice as long each time, less a random
  // part of up to a half. One slow name must still have its max_ms.
  while (settings.tries < 20 && (std::int64_t{125} << settings.tries) < options_.max_ms) {
    ++settings.tries;
  }
#endif
  settings.sock_state_cb = on_socket;
  settings.sock_state_cb_data = this;
  constexpr int kMask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
  if (const Status opened = open_channel(kEither, settings, kMask); !opened.ok()) return opened;
  settings.flags = ARES_FLAG_IGNTC;
  return open_channel(kUdp, settings, kMask | ARES_OPT_FLAGS);
}

Status DnsResolver::open_channel(Way way, ares_options settings, int mask) {
  ares_channel& channel = channels_[way];
  if (const int code = ares_init_options(&channel, &settings, mask); code != ARES_SUCCESS) {
    return Error{std::string("cannot start the resolver: ") + ares_strerror(code)};
  }
  ares_set_socket_configure_callback(channel, on_new_socket, this);
  if (options_.servers.empty()) return {};
  if (has_bad_port(options_.servers)) {
    return Error{"the port of a name server is from 1 to 65535: " + options_.servers};
  }
  if (const int bad = ares_set_servers_ports_csv(channel, options_.servers.c_str());
      bad != ARES_SUCCESS) {
    return Error{"not a list of name servers such as 192.0.2.1:53: " + options_.servers};
  }
  return {};
}

void DnsResolver::lookup(const std::string& host, Callback callback) {
  if (is_localhost(host)) {
    const std::int64_t expires_ns = clock_.monotonic_ns() + options_.max_ttl_ms * kMs;
    return callback({{*parse_ip("127.0.0.1"), *parse_ip("::1")}, {}, false, expires_ns});
  }
  if (const Resolution* known = cache_.find(host, clock_.monotonic_ns())) {
    // A copy is needed, since the callback may replace the entry.
    const Resolution resolution = *known;
    return callback(resolution);
  }
  std::vector<Callback>& callbacks = pending_[host];
  callbacks.push_back(std::move(callback));
  if (callbacks.size() > 1) return;
  waiting_.push_back(host);
  start_waiting();
}

void DnsResolver::start_waiting() {
  while (!waiting_.empty() && queries_[kFresh].size() < options_.max_lookups &&
         asked() < kMaxAsked) {
    std::string next = std::move(waiting_.front());
    waiting_.pop_front();
    ask(std::move(next));
  }
}

void DnsResolver::ask(std::string host, Age age, int family) {
  std::list<Query>& list = queries_[age];
  list.push_back({this, std::move(host), clock_.monotonic_ns(), failed_allocations, age});
  Query& query = list.back();
  query.at = std::prev(list.end());
  query_over(kEither, query, family);
}

void DnsResolver::query_over(Way way, Query& query, int family) {
  ares_addrinfo_hints hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = ARES_AI_NUMERICSERV;
  ares_getaddrinfo(channels_[way], query.host.c_str(), nullptr, &hints, on_answer, &query);
}

// Asks again over UDP where a TCP connection may be to blame. With c-ares 1.18 a TCP connection
// that ends costs all lookups under way one of their tries, whatever they were asked over. Many
// name servers take no TCP: the long answers of one zone would leave all other hosts without an
// address. Where there was no such connection, the name server is silent, and asking once more
// takes time.
bool DnsResolver::ask_over_udp(Query& query, int status) {
  const bool unheard = status == ARES_ECONNREFUSED || status == ARES_ETIMEOUT;
  if (closing_ || !unheard || query.age == kGivenUp || query.failed_as != ARES_SUCCESS ||
      tcp_ns_ < query.asked_ns)
    return false;
  query.failed_as = status;
  query_over(kUdp, query, AF_UNSPEC);
  return true;
}

// Asks for one family as if the lookup had been given up: the query may find addresses, but fails
// silently.
void DnsResolver::ask_alone(const std::string& host, int family) {
  if (asked() < kMaxAsked) ask(host, kGivenUp, family);
}

// c-ares may call this from within ares_getaddrinfo.
void DnsResolver::on_answer(void* argument, int status, int, ares_addrinfo* answer) {
  Query& query = *static_cast<Query*>(argument);
  DnsResolver& self = *query.resolver;
  if (status != ARES_SUCCESS && failed_allocations != query.failed_before) status = ARES_ENOMEM;
  if (self.ask_over_udp(query, status)) return;
  // An answer that lacks the part that did not fit in UDP also counts as the first failure.
  if (query.failed_as != ARES_SUCCESS && status == ARES_ENODATA) status = query.failed_as;
  Resolution resolution = self.closing_ ? Resolution() : self.take(status, answer);
  if (answer != nullptr) ares_freeaddrinfo(answer);
  const bool late = query.age == kGivenUp;
  const std::string host = std::move(query.host);
  self.queries_[query.age].erase(query.at);
  // After a lookup was given up, only addresses that it found are of interest.
  if (self.closing_ || (late && resolution.addresses.empty())) return;
  if (late) {
    self.give_up(host);
    self.add_known(host, resolution);
  }
  self.settle(host, std::move(resolution));
}

// The lookup that has waited in vain for both answers no longer decides for its host.
void DnsResolver::give_up(const std::string& host) {
  for (const Age age : {kSlower, kSlowest}) {
    std::list<Query>& from = queries_[age];
    const auto at = std::find_if(from.begin(), from.end(),
                                 [&host](const Query& query) { return query.host == host; });
    if (at == from.end()) continue;
    at->age = kGivenUp;
    queries_[kGivenUp].splice(queries_[kGivenUp].end(), from, at);
    return;
  }
}

// The addresses of one family must not replace those of the other.
void DnsResolver::add_known(const std::string& host, Resolution& resolution) {
  const Resolution* const known = cache_.find(host, clock_.monotonic_ns());
  if (known == nullptr) return;
  std::vector<IpAddress>& out = resolution.addresses;
  for (const IpAddress& ip : known->addresses) {
    if (std::find(out.begin(), out.end(), ip) == out.end()) out.push_back(ip);
  }
}

Resolution DnsResolver::failure(std::string error) const {
  return {{}, std::move(error), false, clock_.monotonic_ns() + options_.failure_ttl_ms * kMs};
}

Resolution DnsResolver::take(int status, const ares_addrinfo* answer) const {
  Resolution out;
  std::int64_t ttl_ms = options_.max_ttl_ms;
  unsigned fours = 0;
  unsigned sixes = 0;
  for (const ares_addrinfo_node* node = answer != nullptr ? answer->nodes : nullptr;
       node != nullptr; node = node->ai_next) {
    const std::optional<IpAddress> ip = to_ip(*node->ai_addr);
    if (!ip || std::find(out.addresses.begin(), out.addresses.end(), *ip) != out.addresses.end()) {
      continue;
    }
    unsigned& of_family = ip->v4 ? fours : sixes;
    if (++of_family > kMostOfFamily) continue;
    out.addresses.push_back(*ip);
    // /etc/hosts has no TTL and gives 0.
    ttl_ms = std::min(ttl_ms, std::int64_t{node->ai_ttl} * 1000);
  }
  if (status == ARES_ENOMEM) return {{}, "out of memory", true, 0};
  if (out.addresses.empty()) {
    return failure(std::string(failure_text(status == ARES_SUCCESS ? ARES_ENODATA : status)));
  }
  out.expires_ns = clock_.monotonic_ns() + std::max(ttl_ms, options_.min_ttl_ms) * kMs;
  return out;
}

void DnsResolver::settle(const std::string& host, Resolution resolution) {
  const Resolution kept = cache_.put(host, std::move(resolution));
  const auto found = pending_.find(host);
  if (found == pending_.end()) return;
  const std::vector<Callback> callbacks = std::move(found->second);
  pending_.erase(found);
  for (const Callback& callback : callbacks) callback(kept);
}

int DnsResolver::on_new_socket(ares_socket_t, int type, void* argument) {
  auto* const self = static_cast<DnsResolver*>(argument);
  if (type == SOCK_STREAM) self->tcp_ns_ = self->clock_.monotonic_ns();
  return 0;
}

void DnsResolver::on_socket(void* argument, ares_socket_t fd, int read, int write) {
  auto* const self = static_cast<DnsResolver*>(argument);
  const unsigned events = (read != 0 ? Poller::kRead : 0U) | (write != 0 ? Poller::kWrite : 0U);
  std::erase(self->sockets_, fd);
  if (events == 0) return self->poller_.forget(fd);
  self->sockets_.push_back(fd);
  self->poller_.watch(fd, events, self);
}

void DnsResolver::on_ready(int fd, unsigned ready) {
  const bool failed = (ready & Poller::kError) != 0;
  process((ready & Poller::kRead) != 0 || failed ? fd : ARES_SOCKET_BAD,
          (ready & Poller::kWrite) != 0 ? fd : ARES_SOCKET_BAD);
  start_waiting();
}

// A channel ignores sockets that are not its own.
void DnsResolver::process(ares_socket_t to_read, ares_socket_t to_write) {
  for (ares_channel channel : channels_) ares_process_fd(channel, to_read, to_write);
}

// Moves the queries whose time has come to the next list.
void DnsResolver::check_times() {
  const std::int64_t now = clock_.monotonic_ns();
  const auto age = [&](Age from, std::int64_t after_ns) {
    std::list<Query>& list = queries_[from];
    if (list.empty() || list.front().asked_ns + after_ns > now) return false;
    const auto to = static_cast<Age>(from + 1);
    list.front().age = to;
    queries_[to].splice(queries_[to].end(), list, list.begin());
    return true;
  };
  while (age(kFresh, std::min(kFreshNs, options_.max_ms * kMs))) {
  }
  const std::int64_t alone_ns = std::min(kAloneNs, options_.max_ms * kMs / 2);
  while (age(kSlow, alone_ns)) {
    ask_alone(queries_[kSlower].back().host, options_.wants_v4 ? AF_INET : AF_INET6);
  }
  while (age(kSlower, alone_ns + std::min(kAloneNs, options_.max_ms * kMs / 4))) {
    if (options_.wants_v4 && options_.wants_v6) ask_alone(queries_[kSlowest].back().host, AF_INET6);
  }
  while (age(kSlowest, options_.max_ms * kMs)) {
    // A copy is needed, since the callbacks may end this query.
    const std::string host = queries_[kGivenUp].back().host;
    settle(host,
           failure("name server does not answer within " + seconds_text(options_.max_ms) + " s"));
  }
}

void DnsResolver::advance() {
  const std::int64_t now = clock_.monotonic_ns();
  if (asked() == 0 || now < next_tick_ns_) return;
  next_tick_ns_ = now + kTickNs;
  // A copy is needed, since a socket that fails is closed.
  for (const int fd : std::vector<int>(sockets_)) process(fd, fd);
  process(ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // time-outs
  check_times();
  start_waiting();
}

int DnsResolver::timeout_ms() const {
  if (asked() == 0) return -1;
  const std::int64_t left = next_tick_ns_ - clock_.monotonic_ns();
  return left <= 0 ? 0 : static_cast<int>((left + kMs - 1) / kMs);
}

}  // namespace

Result<std::unique_ptr<Resolver>> make_dns_resolver(Poller& poller, const Clock& clock,
                                                    const ResolverOptions& options) {
  auto resolver = std::make_unique<DnsResolver>(poller, clock, options);
  if (const Status opened = resolver->open(); !opened.ok()) return opened.error();
  return std::unique_ptr<Resolver>(std::move(resolver));
}

}  // namespace spinneret::http
