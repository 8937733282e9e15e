// SPDX-License-Identifier: Apache-2.0
// The fetcher: takes URLs and gives one result for each, working on many at a time.
//
//   Result<std::unique_ptr<Engine>> engine = Engine::create(options, receiver);
//   while (more || !(*engine)->idle()) {
//     while (more && (*engine)->has_room()) (*engine)->submit(next_request());
//     (*engine)->step(-1);                      // calls receiver.on_result for what is done
//   }
//
// Each host (scheme, host, port) has its own queue, and hosts take turns. A transfer occupies one
// of `slots`. A host that has not answered yet gets one transfer at a time, and a transfer whose
// host is silent gives its slot back after a moment, until an answer comes (transfer_table.h). So
// names that do not resolve and hosts that do not answer cost the others next to nothing. No time
// limit counts the time in a queue, nor that before a hop. Hops go before other requests of their
// host, in the order in which they came.
//
// A URL is fetched once. A second try follows at once only where there was no connection, or one
// that gave no answer (retry_connect). If a kept connection ends under a request, libcurl sends it
// again by itself; with retry_connect 0 it waits for again_ms instead.
//
// Some failures answer all URLs that were waiting for the host, which would otherwise get the same
// answer one after another:
//
// - the host cannot be resolved,
// - it cannot be connected to while it has no other transfer,
// - it takes connections but has never answered, and ten exchanges in a row have failed. A host
//   that has answered before is never given up for this.
//
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
  // Signs requests, where there is one: all of them, or only those to hosts that ask for it.
  std::optional<RequestSigner> signer;
  bool sign_all = true;
  std::size_t slots = 64;
  std::size_t per_host = 64;       // transfers of one host at a time, once it has answered
  std::size_t max_patient = 1024;  // transfers that wait for silent hosts, without a slot
  // Bounds of the requests that were taken and are not yet answered: their number and their text.
  std::size_t max_queue = 4096;
  std::size_t max_queue_bytes = std::size_t{4} << 20;
  // Further tries where no connection gave an answer. 0: a request whose kept connection ended
  // waits for again_ms, too.
  int retry_connect = 1;
  // How often the rest of a cut body is asked for.
  int continue_cut = 0;
  std::int64_t wait_ms = 0;       // from the start of one request of a host to the next
  std::int64_t again_ms = 1'000;  // before a repeated request that nobody planned
  bool random_wait = false;       // varies wait_ms each time, from half of it to one and a half
  // Pays for pages whose price it allows; without a ledger nothing is ever paid.
  std::shared_ptr<Ledger> ledger;
  // Keep digests in place of bodies, except that of robots.txt.
  std::optional<DigestKind> digest_only;
  bool head_only = false;  // send HEAD instead of GET
  bool keep_wire = false;  // fill FetchResult::wire_body
  bool timing = false;     // fill FetchResult::times
  // Accepted media types, in the form of takes_type(); empty: all.
  std::vector<std::string> types;
  std::uint64_t rate = 0;       // body bytes a second from all hosts; 0: no limit
  std::uint64_t host_rate = 0;  // body bytes a second from one host
  // Bytes that bodies in transfer may take before the larger ones must wait for each other.
  std::size_t max_held = std::size_t{16} << 20;
  // The deadlines that FetchRequest::by_lease names.
  std::shared_ptr<const Deadlines> deadlines;
};

struct EngineStats {
  std::uint64_t started = 0;     // exchanges, including hops and second tries
  std::uint64_t wire_bytes = 0;  // bytes of bodies as received
  std::size_t active = 0;
  std::size_t queued = 0;  // requests that wait for a slot, a name or their host
};

class Engine {
 public:
  class Receiver {
   public:
    virtual ~Receiver() = default;
    // Called once for each request. May move from both arguments, but must not call the engine's
    // step().
    virtual void on_result(FetchRequest& request, FetchResult& result) = 0;
    // Called for a complete response of `url` after which another exchange follows; the result is
    // still to come.
    virtual void on_hop(const FetchRequest& /*request*/, std::string_view /*url*/,
                        const FetchResult& /*result*/) {}
  };

  // `receiver` and `clock` must outlive the engine.
  static Result<std::unique_ptr<Engine>> create(EngineOptions options, Receiver& receiver,
                                                const Clock& clock = system_clock());
  virtual ~Engine() = default;

  // Takes a request. One whose URL is not http or https is answered within this call, with outcome
  // kBlockedByPolicy.
  virtual void submit(FetchRequest request) = 0;
  // Returns whether another request should be submitted now.
  virtual bool has_room() const = 0;
  virtual bool idle() const = 0;
  // Works until something has happened, for at most `max_wait_ms` (-1: no limit). Calls
  // `before_wait`, if given, before a wait that does not end at once: the place to flush output.
  virtual void step(int max_wait_ms, const std::function<void()>& before_wait = {}) = 0;
  // While a ticket is held, only the request with that ticket is started: for a caller whose output
  // has to wait for it.
  virtual void hold(std::optional<std::uint64_t> ticket) = 0;
  // Answers all waiting requests with kAborted; transfers under way get `grace_ms` more.
  virtual void stop(std::int64_t grace_ms) = 0;
  // Tells the engine that the caller was blocked (by its output) for so long. Time limits do not
  // count that time.
  virtual void add_pause_ns(std::int64_t ns) = 0;
  // Must be called at the end where WireOptions::cookie_jar is set.
  virtual Status save_cookies() = 0;
  // The poller, which also takes descriptors of the caller's own.
  virtual Poller& poller() = 0;
  virtual EngineStats stats() const = 0;
};

// Fetches one URL with an engine of its own, for tools that need a file now and then.
// `options.slots` and the queue limits do not matter.
Result<FetchResult> fetch_one(const FetchRequest& request, EngineOptions options);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_ENGINE_H_
