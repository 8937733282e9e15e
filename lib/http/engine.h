// SPDX-License-Identifier: Apache-2.0
// The fetcher: URLs in, one result out for each, many at a time.
//
//   Result<std::unique_ptr<Engine>> engine = Engine::create(options, receiver);
//   while (more || !(*engine)->idle()) {
//     while (more && (*engine)->has_room()) (*engine)->submit(next_request());
//     (*engine)->step(-1);                      // calls receiver.on_result for what is done
//   }
//
// Each host (scheme, host, port) has a queue of its own, and hosts take turns. A transfer holds one of
// `slots`; a host that has not answered yet gets one transfer at a time. A transfer gives its slot back
// after a moment of silence, until it is answered (transfer_table.h); so names that do not resolve and hosts that do not answer cost
// the others next to nothing. Waiting in a queue counts against no time limit, that of a hop neither; hops go
// before other requests of their host, in the order in which they came.
//
// A URL is fetched once. Only where no connection came about, or none that answered, is there a second
// try at once (retry_connect); what a kept connection ends under libcurl sends again by itself, but where that is 0: then
// it waits for again_ms. When a host cannot be resolved, or connected to while no other transfer of it is under
// way, URLs of that host that were already waiting get the same answer: they would have had it one after another. So it
// is where a host
// takes connections and never answered, ten times in a row; one that has answered before is never given up.
// Not thread-safe.
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
  std::optional<RequestSigner> signer;  // of requests, where there is one, ...
  bool sign_all = true;                 // ... or only to hosts that ask for it
  std::size_t slots = 64;
  std::size_t per_host = 64;       // transfers of one host at a time
  std::size_t max_patient = 1024;  // transfers that wait for silent hosts, without a slot
  std::size_t max_queue = 4096;    // requests taken and not yet answered, and ...
  std::size_t max_queue_bytes = std::size_t{4} << 20;  // ... their text
  int retry_connect = 1;           // 0: what a kept connection ends under waits for again_ms, too
  int continue_cut = 0;            // times that the rest of a cut body is asked for
  std::int64_t wait_ms = 0;        // from the start of one request of a host to the next
  std::int64_t again_ms = 1'000;   // before a host is asked again for what nobody has planned for
  bool random_wait = false;        // that, each time anew, by half less to half more
  std::shared_ptr<Ledger> ledger;  // pays what it allows; none: nothing
  std::optional<DigestKind> digest_only;  // bodies are not kept, but for robots.txt
  bool head_only = false;                 // HEAD instead of GET
  bool keep_wire = false;                 // FetchResult::wire_body
  bool timing = false;                    // FetchResult::times
  std::vector<std::string> types;  // accepted media types, as takes_type() has them; empty: all
  std::uint64_t rate = 0;          // body bytes a second over all; 0: no limit
  std::uint64_t host_rate = 0;     // and from one host
  // What bodies under way may have of memory before the larger of them come one after another.
  std::size_t max_held = std::size_t{16} << 20;
};

struct EngineStats {
  std::uint64_t started = 0;     // transfers, hops and second tries included
  std::uint64_t wire_bytes = 0;  // of bodies
  std::size_t active = 0;
  std::size_t queued = 0;  // waiting for a slot, a name or their host
};

class Engine {
 public:
  class Receiver {
   public:
    virtual ~Receiver() = default;
    // May take (move from) both. Must not call the engine's step().
    virtual void on_result(FetchRequest& request, FetchResult& result) = 0;
    // A whole response of `url` that leads elsewhere and is followed: not yet the result.
    virtual void on_hop(const FetchRequest& /*request*/, std::string_view /*url*/,
                        const FetchResult& /*result*/) {}
  };

  // `receiver` and `clock` must outlive it.
  static Result<std::unique_ptr<Engine>> create(EngineOptions options, Receiver& receiver,
                                                const Clock& clock = system_clock());
  virtual ~Engine() = default;

  // Takes a request. What is no http or https URL is answered from within this call, with outcome
  // kBlockedByPolicy.
  virtual void submit(FetchRequest request) = 0;
  // Whether another request should be submitted now.
  virtual bool has_room() const = 0;
  virtual bool idle() const = 0;
  // Works until something has happened, at most `max_wait_ms` (-1: no limit). `before_wait`, where there
  // is one, is called before a wait that nothing ends at once: the place to flush output.
  virtual void step(int max_wait_ms, const std::function<void()>& before_wait = {}) = 0;
  // While a ticket is given nothing is started but the request that has it: for a caller whose output waits for that.
  virtual void hold(std::optional<std::uint64_t> ticket) = 0;
  // Answers what waits with kAborted; what is being transferred gets `grace_ms` more.
  virtual void stop(std::int64_t grace_ms) = 0;
  // The caller was held up (its output blocked) for so long: time limits must not count that.
  virtual void add_pause_ns(std::int64_t ns) = 0;
  // To be called at the end, where WireOptions::cookie_jar is set.
  virtual Status save_cookies() = 0;
  // For descriptors of the caller's own.
  virtual Poller& poller() = 0;
  virtual EngineStats stats() const = 0;
};

// One request, start to end, with an engine of its own: for tools that need a file now and then.
// `options.slots` and the queue limits do not matter.
Result<FetchResult> fetch_one(const FetchRequest& request, EngineOptions options);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_ENGINE_H_
