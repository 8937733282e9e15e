// SPDX-License-Identifier: Apache-2.0
// The fetcher: takes URLs and gives one result for each, working on many at a time.
//
//   Result<std::unique_ptr<Engine>> engine = Engine::create(options, receiver);
//   while (more || !(*engine)->idle()) {
//     while (more && (*engine)->has_room()) (*engine)->submit(next_request());
//     (*engine)->step(-1);                      // calls receiver.on_result for what is done
//   }
//
// Each host (scheme, host, port) has its own queue, and hosts take turns. A transfer occupies one of `slots`. A host
// that has not answered yet gets one transfer at a time, and a transfer that meets silence gives its slot back after
// a moment, until an answer comes (transfer_table.h). So names that do not resolve and hosts that do not answer cost
// the others next to nothing. No time limit counts the time in a queue, nor that before a hop. Hops go before other
// requests of their host, in the order in which they came.
//
// A URL is fetched once. There is a second try at once only where no connection came about, or none that gave an
// answer (retry_connect). If a kept connection ends under a request, libcurl sends it again by itself; with
// retry_connect 0 it waits for again_ms instead. When a host cannot be resolved, or cannot be connected to while it
// has no other transfer, the URLs of that host that were already waiting get the same answer, which they would
// otherwise have got one after another. The same happens to a host that takes connections and has never answered,
// after ten failures in a row. A host that has answered before is never given up. Not thread-safe.
#ifndef SPINNERET_HTTP_ENGINE_H_
#define SPINNERET_HTTP_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/deadlines.h"
#include "base/result.h"
#include "http/address.h"
#include "http/auth.h"
#include "http/digest.h"
#include "http/fetch.h"
#include "http/ledger.h"
#include "http/poller.h"
#include "http/request_signer.h"
#include "http/resolver.h"
#include "http/wire.h"

namespace spinneret::http {

struct EngineOptions {
  WireOptions wire;
  ResolverOptions resolver;
  AddressPolicy policy;
  FetchLimits limits;
  AuthTable auth;
  std::optional<RequestSigner> signer;  // signs requests, where there is one, ...
  bool sign_all = true;                 // ... all of them, or only those to hosts that ask for it
  std::size_t slots = 64;
  std::size_t per_host = 64;       // transfers of one host at a time, once it has answered
  std::size_t max_patient = 1024;  // transfers that wait for silent hosts, without a slot
  std::size_t max_queue = 4096;    // requests taken and not yet answered, and ...
  std::size_t max_queue_bytes = std::size_t{4} << 20;  // ... their text
  // 0: a request whose kept connection ended waits for again_ms, too
  int retry_connect = 1;
  int continue_cut = 0;            // how often the rest of a cut body is asked for
  std::int64_t wait_ms = 0;        // from the start of one request of a host to the next
  std::int64_t again_ms = 1'000;   // before a repeated request that nobody has planned for
  bool random_wait = false;        // varies wait_ms each time, from half of it to one and a half
  std::shared_ptr<Ledger> ledger;  // pays for pages that it allows; none: never pays
  std::optional<DigestKind> digest_only;  // do not keep bodies, except robots.txt, but their digest
  bool head_only = false;                 // send HEAD instead of GET
  bool keep_wire = false;                 // fill FetchResult::wire_body
  bool timing = false;                    // fill FetchResult::times
  std::vector<std::string> types;  // accepted media types, as takes_type() has them; empty: all
  std::uint64_t rate = 0;          // body bytes a second over all; 0: no limit
  std::uint64_t host_rate = 0;     // and from one host
  // How much memory bodies in transfer may take before the larger ones have to wait for each other.
  std::size_t max_held = std::size_t{16} << 20;
  // Those of FetchRequest::by_lease.
  std::shared_ptr<const Deadlines> deadlines;
};

struct EngineStats {
  std::uint64_t started = 0;     // transfers, including hops and second tries
  std::uint64_t wire_bytes = 0;  // bytes of bodies as received
  std::size_t active = 0;
  std::size_t queued = 0;  // requests that wait for a slot, a name or their host
};

class Engine {
 public:
  class Receiver {
   public:
    virtual ~Receiver() = default;
    // Called once for each request. May move from both arguments. Must not call the engine's step().
    virtual void on_result(FetchRequest& request, FetchResult& result) = 0;
    // Called for a complete response of `url` that redirects and is followed; the result is still to come.
    virtual void on_hop(const FetchRequest& /*request*/, std::string_view /*url*/,
                        const FetchResult& /*result*/) {}
  };

  // `receiver` and `clock` must outlive it.
  static Result<std::unique_ptr<Engine>> create(EngineOptions options, Receiver& receiver,
                                                const Clock& clock = system_clock());
  virtual ~Engine() = default;

  // Takes a request. Anything but an http or https URL is answered within this call, with outcome kBlockedByPolicy.
  virtual void submit(FetchRequest request) = 0;
  // Whether another request should be submitted now.
  virtual bool has_room() const = 0;
  virtual bool idle() const = 0;
  // Works until something has happened, for at most `max_wait_ms` (-1: no limit). `before_wait`, if given, is called
  // before a wait that does not end at once: the place to flush output.
  virtual void step(int max_wait_ms, const std::function<void()>& before_wait = {}) = 0;
  // While a ticket is held, only the request with that ticket is started: for a caller whose output has to wait for
  // it.
  virtual void hold(std::optional<std::uint64_t> ticket) = 0;
  // Answers all waiting requests with kAborted; transfers under way get `grace_ms` more.
  virtual void stop(std::int64_t grace_ms) = 0;
  // Tells the engine that the caller was blocked (by its output) for so long, which time limits must not count.
  virtual void add_pause_ns(std::int64_t ns) = 0;
  // Call it at the end, where WireOptions::cookie_jar is set.
  virtual Status save_cookies() = 0;
  // The poller, for descriptors of the caller's own.
  virtual Poller& poller() = 0;
  virtual EngineStats stats() const = 0;
};

// Fetches one URL with an engine of its own, for tools that need a file now and then. `options.slots` and the queue
// limits do not matter.
Result<FetchResult> fetch_one(const FetchRequest& request, EngineOptions options);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_ENGINE_H_
