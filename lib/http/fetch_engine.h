// SPDX-License-Identifier: Apache-2.0
// The engine's implementation. Private to engine.cc (which requests start, and what becomes of
// them) and engine_limits.cc (time, byte rates, stopping).
#ifndef SPINNERET_HTTP_FETCH_ENGINE_H_
#define SPINNERET_HTTP_FETCH_ENGINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/engine.h"
#include "http/fetch_host.h"
#include "http/redirect.h"
#include "http/token_bucket.h"
#include "http/transfer.h"
#include "http/transfer_table.h"

namespace spinneret::http {

// The parts that an engine works with. Tests have parts of their own (tests/support/sim_net.h).
struct EngineParts {
  std::unique_ptr<Poller> poller;
  std::unique_ptr<Resolver> resolver;
  std::unique_ptr<Wire> wire;
  // Opens the real parts, which use the network. Adjusts `options` where the parts need it.
  static Result<EngineParts> open(EngineOptions& options, const Clock& clock);
};

class FetchEngine : public Engine, private TransferOwner {
 public:
  FetchEngine(EngineOptions options, Receiver& receiver, const Clock& clock, EngineParts parts)
      : options_(std::move(options)),
        receiver_(receiver),
        clock_(clock),
        parts_(std::move(parts)),
        hosts_({options_.per_host, options_.wait_ms * 1'000'000, options_.random_wait}),
        bucket_(options_.rate),
        now_ns_(clock.monotonic_ns()) {}
  // Transfers refer to hosts, and the wire to transfers, so the wire goes first.
  ~FetchEngine() override { parts_.wire.reset(); }

  void submit(FetchRequest request) override;
  bool has_room() const override {
    return taken_ < options_.max_queue && taken_bytes_ < options_.max_queue_bytes && !stopping_;
  }
  bool idle() const override { return taken_ == 0; }
  void step(int max_wait_ms, const std::function<void()>& before_wait) override;
  void hold(std::optional<std::uint64_t> ticket) override { held_for_ = ticket; }
  void stop(std::int64_t grace_ms) override;
  void add_pause_ns(std::int64_t ns) override;
  Status save_cookies() override { return parts_.wire->save_cookies(); }
  Poller& poller() override { return *parts_.poller; }
  EngineStats stats() const override {
    EngineStats out = stats_;
    out.active = transfers_.active().size();
    out.queued = taken_ - out.active;
    return out;
  }

 protected:
  // Virtual for a test that puts a known fault back, to see that the simulation finds it.
  virtual void start_and_send();
  void start_ready();
  Wire& wire() { return *parts_.wire; }

 private:
  // Implements TransferOwner.
  void on_transfer_stage(Transfer& transfer) override;
  bool take_bytes(Transfer& transfer, std::size_t count) override;
  void on_transfer_end(Transfer& transfer, WireEnd end, std::string_view detail) override;
  std::int64_t now_ns() const override { return now_ns_; }
  std::int64_t boot_ns() const override { return clock_.boot_ns(); }
  std::int64_t lease_ms(std::uint64_t name) const override {
    return options_.deadlines ? options_.deadlines->of(name) : 0;
  }

  FetchHost& host_of(const Url& url);
  void look_up(FetchHost& host);
  void on_addresses(const std::string& origin, const Resolution& resolution);
  void start_only(std::uint64_t ticket);
  void start_next(FetchHost& host);
  void start_pending(FetchHost& host);
  void start_exchange(Transfer& transfer);
  static void heed_pause(const Transfer& transfer);
  bool go_on(Transfer& transfer);
  void leave_active(Transfer& transfer);
  void open_lane(Transfer& transfer);
  void leave_lane(Transfer& transfer);
  static void note_sent(const Transfer& transfer, std::int64_t at_ns);
  void answer(Transfer& transfer);
  Transfer& begin(PendingFetch& pending);
  void answer_pending(PendingFetch& pending, Outcome outcome, const std::string& error);
  void fail_waiting(FetchHost& host, std::int64_t taken_before_ns, Outcome outcome,
                    const std::string& error);
  bool has_memory(Transfer& transfer);
  void check_limits();
  void check_transfer(Transfer& transfer);
  void abort_all();
  void resume_paused();
  void plan_check(std::int64_t at_ns) { next_check_ns_ = std::min(next_check_ns_, at_ns); }
  std::int64_t patience_end(const Transfer& transfer) const;
  std::int64_t address_end(const Transfer& transfer) const;
  void give_up_address(const Transfer& transfer);
  void try_next_address(Transfer& transfer);
  std::int64_t deadline_of(const Transfer& transfer) const;
  int wait_ms(int max_wait_ms);

  EngineOptions options_;
  Receiver& receiver_;
  const Clock& clock_;
  EngineParts parts_;
  FetchHosts hosts_;
  TokenBucket bucket_;
  std::int64_t now_ns_;
  std::int64_t next_check_ns_ = INT64_MAX;
  RedirectTrail trail_;
  TransferTable transfers_{options_.max_patient};
  std::vector<Transfer*> paused_;
  std::size_t held_ = 0;  // the sum of Transfer::held
  // The one transfer that may take more while held_ is too large.
  Transfer* growing_ = nullptr;
  std::size_t taken_ = 0;  // requests that were taken and not yet answered
  std::size_t taken_bytes_ = 0;
  bool answered_ = false;  // a request was answered since the last wait
  std::optional<std::uint64_t> held_for_;
  bool stopping_ = false;
  std::int64_t stop_ns_ = INT64_MAX;
  std::int64_t resume_ns_ = INT64_MAX;
  EngineStats stats_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_FETCH_ENGINE_H_
