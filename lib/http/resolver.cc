// SPDX-License-Identifier: Apache-2.0
#include "http/resolver.h"

#include <ares.h>
#include <netdb.h>
#include <sys/time.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "http/dns_cache.h"

namespace spinneret {
namespace {

std::string_view failure_text(int status) {
  switch (status) {
    case ARES_ENOTFOUND: return "no such host";
    case ARES_ENODATA: return "host has no address";
    case ARES_ETIMEOUT: return "name server does not answer";
    case ARES_ESERVFAIL:
    case ARES_EREFUSED:
    case ARES_ECONNREFUSED: return "name server failed or is not there";  // c-ares mixes these up
    case ARES_EBADNAME: return "not a host name";
    default: return ares_strerror(status);
  }
}

class DnsResolver : public Resolver, private Poller::Client {
 public:
  DnsResolver(Poller& poller, const Clock& clock, const ResolverOptions& options)
      : poller_(poller), clock_(clock), options_(options), cache_(options.max_entries) {}
  ~DnsResolver() override {
    closing_ = true;
    if (channel_ != nullptr) ares_destroy(channel_);
    ares_library_cleanup();
  }
  Status open();
  void lookup(const std::string& host, Callback callback) override;
  int advance() override;

 private:
  struct Pending {
    DnsResolver* resolver;
    std::string host;
    std::vector<Callback> callbacks;
  };

  void on_ready(int fd, unsigned ready) override;
  static void on_socket(void* self, ares_socket_t fd, int read, int write);
  static void on_answer(void* pending, int status, int timeouts, ares_addrinfo* answer);
  void start_waiting();
  void ask(Pending& pending);
  void settle(Pending& pending, Resolution resolution);
  Resolution take(int status, const ares_addrinfo* answer) const;

  Poller& poller_;
  const Clock& clock_;
  ResolverOptions options_;
  DnsCache cache_;
  ares_channel channel_ = nullptr;
  std::unordered_map<std::string, std::unique_ptr<Pending>> pending_;
  std::deque<Pending*> waiting_;  // of pending_, not yet asked
  std::size_t asked_ = 0;
  bool closing_ = false;
};

Status DnsResolver::open() {
  ares_library_init(ARES_LIB_INIT_ALL);
  ares_options settings{};
  settings.timeout = static_cast<int>(options_.try_ms);
  settings.tries = options_.tries;
  settings.sock_state_cb = on_socket;
  settings.sock_state_cb_data = this;
  const int code = ares_init_options(&channel_, &settings,
                                     ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
  if (code != ARES_SUCCESS) {
    return Error{std::string("cannot start the resolver: ") + ares_strerror(code)};
  }
  if (options_.servers.empty()) return {};
  if (const int bad = ares_set_servers_ports_csv(channel_, options_.servers.c_str());
      bad != ARES_SUCCESS) {
    return Error{"not a list of name servers such as 192.0.2.1:53: " + options_.servers};
  }
  return {};
}

void DnsResolver::lookup(const std::string& host, Callback callback) {
  if (const Resolution* known = cache_.find(host, clock_.monotonic_ns())) {
    // A copy: what the callback does may replace the entry.
    const Resolution resolution = *known;
    return callback(resolution);
  }
  std::unique_ptr<Pending>& slot = pending_[host];
  if (slot) {
    slot->callbacks.push_back(std::move(callback));
    return;
  }
  slot = std::make_unique<Pending>(Pending{this, host, {}});
  slot->callbacks.push_back(std::move(callback));
  waiting_.push_back(slot.get());
  start_waiting();
}

void DnsResolver::start_waiting() {
  while (!waiting_.empty() && asked_ < options_.max_lookups) {
    Pending* const next = waiting_.front();
    waiting_.pop_front();
    ask(*next);
  }
}

void DnsResolver::ask(Pending& pending) {
  ++asked_;
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = ARES_AI_NUMERICSERV;
  ares_getaddrinfo(channel_, pending.host.c_str(), nullptr, &hints, on_answer, &pending);
}

// c-ares may call this from within ares_getaddrinfo.
void DnsResolver::on_answer(void* argument, int status, int, ares_addrinfo* answer) {
  Pending& pending = *static_cast<Pending*>(argument);
  DnsResolver& self = *pending.resolver;
  Resolution resolution = self.closing_ ? Resolution() : self.take(status, answer);
  if (answer != nullptr) ares_freeaddrinfo(answer);
  --self.asked_;
  if (!self.closing_) self.settle(pending, std::move(resolution));
}

Resolution DnsResolver::take(int status, const ares_addrinfo* answer) const {
  Resolution out;
  std::int64_t ttl_ms = options_.max_ttl_ms;
  for (const ares_addrinfo_node* node = answer != nullptr ? answer->nodes : nullptr;
       node != nullptr; node = node->ai_next) {
    const std::optional<IpAddress> ip = to_ip(*node->ai_addr);
    if (!ip || std::find(out.addresses.begin(), out.addresses.end(), *ip) != out.addresses.end()) {
      continue;
    }
    out.addresses.push_back(*ip);
    // /etc/hosts has no TTL and gives 0.
    ttl_ms = std::min(ttl_ms, std::int64_t{node->ai_ttl} * 1000);
  }
  ttl_ms = std::max(ttl_ms, options_.min_ttl_ms);
  if (out.addresses.empty()) {
    out.error = failure_text(status == ARES_SUCCESS ? ARES_ENODATA : status);
    ttl_ms = options_.failure_ttl_ms;
  }
  out.expires_ns = clock_.monotonic_ns() + ttl_ms * 1'000'000;
  return out;
}

void DnsResolver::settle(Pending& pending, Resolution resolution) {
  const Resolution kept = cache_.put(pending.host, std::move(resolution));
  const auto found = pending_.find(pending.host);
  const std::unique_ptr<Pending> owned = std::move(found->second);
  pending_.erase(found);
  for (const Callback& callback : owned->callbacks) callback(kept);
}

void DnsResolver::on_socket(void* argument, ares_socket_t fd, int read, int write) {
  auto* const self = static_cast<DnsResolver*>(argument);
  const unsigned events = (read != 0 ? Poller::kRead : 0U) | (write != 0 ? Poller::kWrite : 0U);
  if (events == 0) {
    self->poller_.forget(fd);
  } else {
    self->poller_.watch(fd, events, self);
  }
}

void DnsResolver::on_ready(int fd, unsigned ready) {
  const bool failed = (ready & Poller::kError) != 0;
  ares_process_fd(channel_, (ready & Poller::kRead) != 0 || failed ? fd : ARES_SOCKET_BAD,
                  (ready & Poller::kWrite) != 0 ? fd : ARES_SOCKET_BAD);
  start_waiting();
}

int DnsResolver::advance() {
  start_waiting();
  if (asked_ == 0) return -1;
  ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // time-outs
  start_waiting();
  timeval longest{};
  if (asked_ == 0 || ares_timeout(channel_, nullptr, &longest) == nullptr) return -1;
  return static_cast<int>(longest.tv_sec * 1000 + (longest.tv_usec + 999) / 1000);
}

}  // namespace

Result<std::unique_ptr<Resolver>> make_dns_resolver(Poller& poller, const Clock& clock,
                                                    const ResolverOptions& options) {
  auto resolver = std::make_unique<DnsResolver>(poller, clock, options);
  if (const Status opened = resolver->open(); !opened.ok()) return opened.error();
  return std::unique_ptr<Resolver>(std::move(resolver));
}

}  // namespace spinneret
