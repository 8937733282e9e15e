// SPDX-License-Identifier: Apache-2.0
// The hosts that a fetcher is busy with: a queue for each, and whose turn it is.
//
//   place       the host has                                          it leaves by
//   kRotation   queued requests, room in its window, and its time is    next()
//               there: it stands in the rotation once
//   kLater      the same, but its next request has to wait              wake(), or where a request may go at once
//   kIdle       nothing queued, nothing active                          get(), evict()
//   kNowhere    its name being looked up, or as many active as its      update()
//               window takes, or nothing queued
//
// That wait is until the host's own time (`next_ns`), or for the gap between the request and the last one of its lane,
// whatever delayed that one on its way here. A host whose queue is emptied stays where it is until its turn comes.
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
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "http/address.h"
#include "http/fetch.h"
#include "http/token_bucket.h"
#include "url/parse.h"

namespace spinneret::http {

class Transfer;

// A request that waits for its host. `transfer` is set where it has hops behind it.
struct PendingFetch {
  FetchRequest request;
  Url url;
  std::int64_t since_ns = 0;
  Transfer* transfer = nullptr;
};

// What has a gap between two requests: the hosts of a name, or what the caller counts as one host.
struct FetchLane {
  std::string name;
  std::int64_t last_ns = INT64_MIN / 2;  // when a request was sent last, as far as is known
  std::int64_t kept_ns = 0;              // until when that is to be known: the end of its own gap
  std::size_t opening = 0;  // of those that wait for a connection, and may be sent at any moment
};

struct FetchHost {
  enum class Place : std::uint8_t { kNowhere, kRotation, kLater, kIdle };

  std::string origin;  // "https://example.com:8443": the key
  std::string name;    // as in the URL
  int port = 0;
  bool fresh = true;  // nobody has set it up yet
  // Hops of URLs that are under way, maybe from other hosts and without end: they go first, but take turns with the queue. Each
  // is in the order of coming.
  std::deque<PendingFetch> hops;
  std::deque<PendingFetch> queue;
  bool hop_went = false;  // the last one that was taken
  std::size_t active = 0;
  std::vector<std::uint32_t> in_multi;  // of the active, by multi of the wire
  bool answered = false;                // and could be connected to since then
  bool ever_answered = false;           // whatever happened since then
  bool slow = false;                    // its last answer took longer than the longest patience
  int silent = 0;                       // exchanges in a row that timed out without an answer
  bool resolving = false;
  std::int64_t lookup_ns = 0;  // when the last lookup began
  std::int64_t dns_us = 0;     // what it took; told to one transfer
  std::vector<IpAddress> addresses;
  unsigned spare = 0;           // how often others can take the place of those that are tried first
  std::int64_t expires_ns = 0;  // of the addresses
  std::uint32_t told = 0;       // multis of the wire that know the addresses, a bit for each
  bool wants_signature = false;  // and has said so
  TokenBucket bucket;
  std::shared_ptr<FetchLane> lane;
  std::int64_t next_ns = 0;                   // when its next request may begin
  Place place = Place::kNowhere;              // FetchHosts' own, and so are these:
  std::int64_t later_ns = 0;                  // kLater: its key there
  std::list<FetchHost*>::iterator idle_at{};  // kIdle

  // Of several addresses of a family libcurl tries the first, and waits for it.
  void set_addresses(std::vector<IpAddress> found);
  // Puts the first of each family behind the others.
  void turn_addresses();
  bool waits() const { return !hops.empty() || !queue.empty(); }
  // Whether the next that waits is a hop.
  bool is_hops_turn() const { return !hops.empty() && (!hop_went || queue.empty()); }
  // When the next that waits may start; there must be one.
  std::int64_t due_ns(std::int64_t now_ns) const;
  // The next that waits; there must be one.
  PendingFetch take();
  // Makes the request of this ticket the next. False where it does not wait here.
  bool prefer(std::uint64_t ticket);
  // All that have waited since `since_ns` or longer.
  std::vector<PendingFetch> take_all(std::int64_t since_ns);
};

struct HostRules {
  std::size_t per_host = 1;
  std::int64_t wait_ns = 0;  // from the beginning of a request to that of the next
  bool random_wait = false;  // half to one and a half of that
  std::size_t max_idle = 4096;
};

class FetchHosts {
 public:
  explicit FetchHosts(const HostRules& rules);

  // The host of a URL's origin, made where it is not there. Not idle until update().
  FetchHost& of(const Url& url);
  // The same, by FetchHost::origin.
  FetchHost& get(const std::string& origin);
  // Makes the host one of this lane; without a name of that of its own.
  void put_into_lane(FetchHost& host, const std::string& name);
  // To be called whenever a host's queue, active or resolving has changed: puts it into the rotation or
  // takes it for idle.
  void update(FetchHost& host);
  // The next host whose turn it is, or nullptr: of those that have answered and those that have not by turns, or,
  // with `known_first`, of the others only where none is ready that has answered. It leaves the rotation until update().
  FetchHost* next(bool known_first);
  // A host that has been idle for longest and is one too many, removed from the table; or nullptr.
  std::unique_ptr<FetchHost> evict();
  std::size_t window(const FetchHost& host) const { return host.answered ? rules_.per_host : 1; }
  bool ready(const FetchHost& host) const { return could(host) && host.due_ns(now_ns_) <= now_ns_; }
  // Puts hosts whose time has come into the rotation. To be called before next().
  void wake(std::int64_t now_ns);
  // When the next of them comes; INT64_MAX: none waits for that.
  std::int64_t next_wake_ns() const { return later_.empty() ? INT64_MAX : later_.begin()->first; }
  // A request of the host begins now; update() is still to be called.
  void begin_request(FetchHost& host);
  // None begins before then.
  static void delay(FetchHost& host, std::int64_t until_ns) {
    if (until_ns > host.next_ns) host.next_ns = until_ns;
  }
  std::size_t size() const { return hosts_.size(); }
  template <typename Visit>
  void for_each(Visit&& visit) {
    for (auto& [origin, host] : hosts_) visit(*host);
  }

 private:
  bool could(const FetchHost& host) const {
    return host.waits() && !host.resolving && host.active < window(host);
  }
  FetchHost* next_of(std::deque<FetchHost*>& rotation);
  void leave_place(FetchHost& host);

  HostRules rules_;
  std::int64_t now_ns_ = 0;
  std::uint64_t random_ = 0;
  std::set<std::pair<std::int64_t, FetchHost*>> later_;
  std::string origin_;  // scratch
  std::unordered_map<std::string, std::unique_ptr<FetchHost>> hosts_;
  std::deque<FetchHost*> known_;  // the two rotations
  std::deque<FetchHost*> unknown_;
  bool known_turn_ = false;
  std::unordered_map<std::string, std::weak_ptr<FetchLane>> lanes_;
  std::list<FetchHost*> idle_;  // longest idle first
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_FETCH_HOST_H_
