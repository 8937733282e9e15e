// SPDX-License-Identifier: Apache-2.0
// The hosts with which a fetcher is busy: a queue for each, and whose turn it is.
//
//   place       the host has                                     it leaves by
//   kRotation   queued requests, free places in its window, and  next()
//               its time has come: it stands in the rotation
//               once
//   kLater      the same, but its next request has to wait       wake(), or where a request may go
//                                                                at once
//   kIdle       nothing queued, nothing active                   get(), evict()
//   kNowhere    its name being looked up, or as many active as   update()
//               its window takes, or nothing queued
//
// A host in kLater waits for its own time (`next_ns`), or for the gap between the request and the
// last one of its lane, whatever delayed that one on its way here. A host whose queue is emptied
// stays where it is until its turn comes.
//
// A host that has not answered yet has a window of one, and stands in a rotation of its own: a
// caller whose slots are taken by such hosts asks for one that has answered. Not thread-safe.
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

// A request that waits for its host. `transfer` is set where hops have been made for the request.
struct PendingFetch {
  FetchRequest request;
  Url url;
  std::int64_t since_ns = 0;
  Transfer* transfer = nullptr;
};

// The unit that has a gap between two requests: the hosts of a name, or the hosts that the caller
// counts as one.
struct FetchLane {
  std::string name;
  std::int64_t last_ns = INT64_MIN / 2;  // when a request was sent last, as far as is known
  // End of the gap of that request; the lane must be remembered until then.
  std::int64_t kept_ns = 0;
  // Number of requests that wait for a connection, and may be sent at any moment.
  std::size_t opening = 0;
  // The gap that the lane's own input lines, or its last answer, asked for last. Redirects that
  // lead here from other hosts do not know it.
  std::int64_t own_gap_ms = 0;
};

struct FetchHost {
  enum class Place : std::uint8_t { kNowhere, kRotation, kLater, kIdle };

  std::string origin;  // "https://example.com:8443": the key
  std::string name;    // as in the URL
  int port = 0;
  bool fresh = true;  // the engine has not set it up yet
  // Hops of URLs under way, perhaps from other hosts and without end. They go first, but take turns
  // with the queue. Each of the two is in the order of coming.
  std::deque<PendingFetch> hops;
  std::deque<PendingFetch> queue;
  bool hop_went = false;  // the last request taken was a hop
  std::size_t active = 0;
  std::vector<std::uint32_t> in_multi;  // active transfers by multi of the wire
  bool answered = false;                // it has answered, and could be connected to since
  bool ever_answered = false;           // it has answered, whatever happened since
  bool slow = false;                    // its last answer took longer than the longest patience
  int silent = 0;                       // exchanges in a row that timed out without an answer
  bool resolving = false;
  std::int64_t lookup_ns = 0;  // when the last lookup began
  std::int64_t dns_us = 0;     // duration of that lookup; told to one transfer
  std::vector<IpAddress> addresses;
  unsigned spare = 0;  // how often other addresses can take the place of those that are tried first
  std::int64_t expires_ns = 0;   // when the addresses expire
  std::uint32_t told = 0;        // multis of the wire that know the addresses, a bit for each
  bool wants_signature = false;  // the host has asked for signatures
  TokenBucket bucket;
  std::shared_ptr<FetchLane> lane;
  std::int64_t next_ns = 0;                   // when its next request may begin
  Place place = Place::kNowhere;              // FetchHosts' own, as are these:
  std::int64_t later_ns = 0;                  // in kLater: its key in that set
  std::list<FetchHost*>::iterator idle_at{};  // in kIdle: its place in that list

  // Sets the addresses. Of several addresses of a family libcurl tries the first, and waits for it.
  void set_addresses(std::vector<IpAddress> found);
  // Moves the first address of each family behind the others.
  void turn_addresses();
  bool waits() const { return !hops.empty() || !queue.empty(); }
  // Returns whether the next request is a hop.
  bool is_hops_turn() const { return !hops.empty() && (!hop_went || queue.empty()); }
  // Returns when the next request may start; there must be one.
  std::int64_t due_ns(std::int64_t now_ns) const;
  // Takes the next request; there must be one.
  PendingFetch take();
  // Makes the request with this ticket the next one. Returns false where it does not wait here.
  bool prefer(std::uint64_t ticket);
  // Takes all requests that have waited since `since_ns` or longer.
  std::vector<PendingFetch> take_all(std::int64_t since_ns);
};

struct HostRules {
  std::size_t per_host = 1;
  std::int64_t wait_ns = 0;  // from the beginning of one request to that of the next
  bool random_wait = false;  // half to one and a half of wait_ns
  std::size_t max_idle = 4096;
};

class FetchHosts {
 public:
  explicit FetchHosts(const HostRules& rules);

  // Returns the host of a URL's origin, which is made where necessary. It is not idle until
  // update().
  FetchHost& of(const Url& url);
  // Does the same by FetchHost::origin.
  FetchHost& get(const std::string& origin);
  // Puts the host into the lane of this name; an empty name means that of the host's own name.
  void put_into_lane(FetchHost& host, const std::string& name);
  // Must be called whenever a host's queue, `active` or `resolving` has changed: puts the host into
  // the place that it now belongs to.
  void update(FetchHost& host);
  // Returns the next host, or nullptr: by turns one that has answered and one that has not; or,
  // with `known_first`, one that has not only where none is ready that has. The host is out of the
  // rotation until update().
  FetchHost* next(bool known_first);
  // Removes from the table the host that has been idle for longest, if there are too many; returns
  // it, or nullptr.
  std::unique_ptr<FetchHost> evict();
  std::size_t window(const FetchHost& host) const { return host.answered ? rules_.per_host : 1; }
  bool ready(const FetchHost& host) const { return could(host) && host.due_ns(now_ns_) <= now_ns_; }
  // Puts hosts whose time has come into the rotation. Must be called before next().
  void wake(std::int64_t now_ns);
  // Returns when the time of the next host in kLater comes; INT64_MAX: there is none.
  std::int64_t next_wake_ns() const { return later_.empty() ? INT64_MAX : later_.begin()->first; }
  // Tells that a request of the host begins now; update() must still be called.
  void begin_request(FetchHost& host);
  // Lets no request of the host begin before then.
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
  std::deque<FetchHost*> known_;  // the two rotations: hosts that have answered, and others
  std::deque<FetchHost*> unknown_;
  bool known_turn_ = false;
  std::unordered_map<std::string, std::weak_ptr<FetchLane>> lanes_;
  std::list<FetchHost*> idle_;  // longest idle first
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_FETCH_HOST_H_
