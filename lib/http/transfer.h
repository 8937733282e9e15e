// SPDX-License-Identifier: Apache-2.0
// One request under way: its exchanges (second tries and hops), its stage and its time limits. Private to the engine.
#ifndef SPINNERET_HTTP_TRANSFER_H_
#define SPINNERET_HTTP_TRANSFER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/fetch.h"
#include "http/fetch_host.h"
#include "http/ledger.h"
#include "http/reception.h"
#include "http/wire.h"
#include "url/parse.h"

namespace spinneret::http {

class Transfer;

inline constexpr const char* kLateError = "the time by which it was to be sent is over";
inline constexpr const char* kCutError =
    "cut at the end of the lease that its partition had (--partition-lease)";

// What a transfer tells its engine.
class TransferOwner {
 public:
  virtual ~TransferOwner() = default;
  virtual void on_transfer_stage(Transfer& transfer) = 0;
  // Whether bytes may be taken now. If not, the transfer is paused until the owner resumes it.
  virtual bool take_bytes(Transfer& transfer, std::size_t count) = 0;
  virtual void on_transfer_end(Transfer& transfer, WireEnd end, std::string_view detail) = 0;
  virtual std::int64_t now_ns() const = 0;
  virtual std::int64_t boot_ns() const = 0;
  // A deadline of FetchRequest::by_lease, by boot_ns() in milliseconds.
  virtual std::int64_t lease_ms(std::uint64_t name) const = 0;
};

class Transfer : public WireHandler {
 public:
  enum class Stage { kConnecting, kWaiting, kReceiving };

  // Begins a request with its own URL, from which `url` has been parsed.
  void begin(TransferOwner& owner, FetchRequest taken, std::int64_t now_ns);
  // Continues after the transfer waited for a hop's host since `since_ns`, which counts neither for its limits nor
  // for its time.
  void go_on(std::int64_t since_ns, std::int64_t now_ns) { begun_ns += now_ns - since_ns; }
  // A new exchange is about to start.
  void begin_exchange(const ReceptionRules& rules, std::int64_t now_ns);

  // When the limits run out for the present stage.
  std::int64_t limit_ns(const FetchLimits& limits) const;
  // When they do, or the caller's deadline passes.
  std::int64_t deadline_ns(const FetchLimits& limits) const;
  // What ran out, as a sentence; empty: the low-speed window has been passed, and another begun.
  std::string expire(const FetchLimits& limits, std::int64_t now_ns);
  // Whether the caller's deadline has passed: the one for sending it, or the one for its end.
  bool is_late_to_send() const { return is_over(request.send_by_ms); }
  bool is_late() const { return is_over(request.end_by_ms); }
  // Whether the present exchange alone has used up a limit, so that its host is silent and no earlier hop is to
  // blame.
  bool host_is_silent(const FetchLimits& limits, std::int64_t now_ns) const;
  bool body_may_go_on() const { return reception_.may_go_on(); }
  void ask_for_rest(std::vector<std::string>& lines) const {
    if (for_rest) reception_.ask_for_rest(lines);
  }
  // Excludes time that was not the server's fault.
  void add_pause_ns(std::int64_t ns);

  FetchRequest request;
  FetchResult result;
  Url url;  // of the present exchange
  FetchHost* host = nullptr;
  Wire::Exchange* exchange = nullptr;
  unsigned multi = 0;  // the wire's multi, while it is active
  // start of the first exchange, moved on by the waits between exchanges
  std::int64_t begun_ns = 0;
  std::int64_t exchange_ns = 0;  // start of the present one
  int tries = 0;                 // for the present URL
  unsigned turns = 0;            // addresses that the present try has given up
  IpAddress first_address;       // of its host when it began
  bool stale = false;            // the kept connection could not be used, and a new one is
  bool dropped = false;          // the kept connection ended under the request, which now waits
  // While the exchange waits for a connection: the lane that must not send meanwhile.
  std::shared_ptr<FetchLane> opening;
  bool probe = false;          // holds a slot, and its host has not answered yet
  bool patient = false;        // it has given its slot back
  bool paused = false;         // by the byte rate
  bool is_signed = false;      // the present exchange carries a signature
  std::optional<Price> offer;  // made by the present exchange
  bool has_offered = false;    // an offer was made; at most once for a request
  bool has_returned = false;   // a redirect to itself was followed, for its cookie; at most once
  bool for_rest = false;       // the next exchange is for the rest of a body
  bool by_head = false;        // this exchange is a HEAD
  std::size_t index = 0;       // its place among the active
  std::size_t held = 0;        // bytes of its body, when they were last counted
  std::vector<std::string> headers;
  Stage stage = Stage::kConnecting;
  std::int64_t stage_ns = 0;  // when the stage began

 private:
  bool may_send() override;
  std::int64_t put_off_ms() const;
  bool is_over(std::int64_t boot_ms) const {
    return boot_ms != 0 && owner_->boot_ns() > (boot_ms + put_off_ms()) * 1'000'000;
  }
  void on_connected(std::string_view ip) override;
  void on_request(std::string_view head) override;
  WireStep on_header(std::string_view line) override;
  WireStep on_body(std::string_view bytes) override;
  void on_end(WireEnd end, std::string_view detail) override;
  void enter(Stage next);

  TransferOwner* owner_ = nullptr;
  Reception reception_;
  std::uint64_t window_bytes_ = 0;  // reception_.bytes() when the low-speed window began
  std::int64_t window_ns_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_TRANSFER_H_
