// SPDX-License-Identifier: Apache-2.0
// The hosts that a fetcher is busy with: a queue for each, and whose turn it is.
//
//   a host is   idle        nothing queued, nothing active        may be evicted
//               resolving   its name is being looked up           waits
//               ready       has queued requests and room          stands in the rotation once
//               full        `active` has reached its window       waits
//
// A host that has not answered yet has a window of one, and stands in a rotation of its own: a caller whose room is
// taken up by such hosts asks for one that has answered.
// Not thread-safe.
#ifndef SPINNERET_HTTP_FETCH_HOST_H_
#define SPINNERET_HTTP_FETCH_HOST_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "http/address.h"
#include "http/fetch.h"
#include "http/token_bucket.h"
#include "url/parse.h"

namespace spinneret {

class Transfer;

// A request that waits for its host. `transfer` is set where it has hops behind it.
struct PendingFetch {
  FetchRequest request;
  Url url;
  std::int64_t since_ns = 0;
  Transfer* transfer = nullptr;
};

struct FetchHost {
  std::string origin;  // "https://example.com:8443": the key
  std::string name;    // as in the URL
  int port = 0;
  bool fresh = true;               // nobody has set it up yet
  std::deque<PendingFetch> hops;   // of URLs that are under way: they go first, ...
  std::deque<PendingFetch> queue;  // ... and each in the order of coming
  std::size_t active = 0;
  bool answered = false;  // and since then it could be connected to
  bool known = false;     // it has answered at some time
  int silent = 0;         // exchanges in a row that timed out without an answer
  bool resolving = false;
  std::int64_t lookup_ns = 0;  // when the last lookup began
  std::int64_t dns_us = 0;     // what it took; told to one transfer
  std::vector<IpAddress> addresses;
  std::int64_t expires_ns = 0;   // of the addresses
  bool told = false;             // the wire knows the addresses
  bool wants_signature = false;  // and has said so
  TokenBucket bucket;
  bool in_rotation = false;
  std::list<FetchHost*>::iterator idle_at{};
  bool idle = false;

  bool waits() const { return !hops.empty() || !queue.empty(); }
  // The next that waits; there must be one.
  PendingFetch take();
  // Makes the request of this ticket the next. False where it does not wait here.
  bool prefer(std::uint64_t ticket);
  // All that have waited since `since_ns` or longer.
  std::vector<PendingFetch> take_all(std::int64_t since_ns);
};

class FetchHosts {
 public:
  explicit FetchHosts(std::size_t per_host, std::size_t max_idle = 4096)
      : per_host_(per_host), max_idle_(max_idle) {}

  // The host of a URL's origin, made where it is not there. Not idle until update().
  FetchHost& of(const Url& url);
  // The same, by FetchHost::origin.
  FetchHost& get(const std::string& origin);
  // To be called whenever a host's queue, active or resolving has changed: puts it into the rotation or
  // takes it for idle.
  void update(FetchHost& host);
  // The next host whose turn it is, or nullptr: of those that have answered and those that have not by turns, or,
  // with `known_first`, of the others only where none is ready that has answered. It leaves the rotation until update().
  FetchHost* next(bool known_first);
  // A host that has been idle for longest and is one too many, removed from the table; or nullptr.
  std::unique_ptr<FetchHost> evict();
  std::size_t window(const FetchHost& host) const { return host.answered ? per_host_ : 1; }
  bool ready(const FetchHost& host) const {
    return host.waits() && !host.resolving && host.active < window(host);
  }
  std::size_t size() const { return hosts_.size(); }
  template <typename Visit>
  void for_each(Visit&& visit) {
    for (auto& [origin, host] : hosts_) visit(*host);
  }

 private:
  FetchHost* next_of(std::deque<FetchHost*>& rotation);

  std::size_t per_host_;
  std::string origin_;  // scratch
  std::size_t max_idle_;
  std::unordered_map<std::string, std::unique_ptr<FetchHost>> hosts_;
  std::deque<FetchHost*> known_;  // the two rotations
  std::deque<FetchHost*> unknown_;
  bool known_turn_ = false;
  std::list<FetchHost*> idle_;  // longest idle first
};

}  // namespace spinneret

#endif  // SPINNERET_HTTP_FETCH_HOST_H_
