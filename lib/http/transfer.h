// SPDX-License-Identifier: Apache-2.0
// One request on its way: its exchanges (second try, hops), its stage and its time limits. Private to the
// engine.
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

// What a transfer tells its engine.
class TransferOwner {
 public:
  virtual ~TransferOwner() = default;
  virtual void on_transfer_stage(Transfer& transfer) = 0;
  // Bytes may be taken now; otherwise the transfer is paused until the owner resumes it.
  virtual bool take_bytes(Transfer& transfer, std::size_t count) = 0;
  virtual void on_transfer_end(Transfer& transfer, WireEnd end, std::string_view detail) = 0;
  virtual std::int64_t now_ns() const = 0;
  virtual std::int64_t boot_ns() const = 0;
};

class Transfer : public WireHandler {
 public:
  enum class Stage { kConnecting, kWaiting, kReceiving };

  // Begins a request at its own URL. `url` has parsed from it.
  void begin(TransferOwner& owner, FetchRequest taken, std::int64_t now_ns);
  // Goes on after it waited for a hop's host from `since_ns` on: no limit counts that, nor does its time.
  void go_on(std::int64_t since_ns, std::int64_t now_ns) { begun_ns += now_ns - since_ns; }
  // A new exchange is about to start.
  void begin_exchange(const ReceptionRules& rules, std::int64_t now_ns);

  // When the limits run out for the present stage.
  std::int64_t deadline_ns(const FetchLimits& limits) const;
  // What ran out, as a sentence; empty: the low-speed window has been passed, and another begun.
  std::string expire(const FetchLimits& limits, std::int64_t now_ns);
  // Whether the time that the caller has set is over: to send it, or to be done with it.
  bool is_late_to_send() const { return is_over(request.send_by_ms); }
  bool is_late() const { return is_over(request.end_by_ms); }
  // Whether the present exchange alone has used a limit up: its host is silent, and no earlier hop was slow.
  bool host_is_silent(const FetchLimits& limits, std::int64_t now_ns) const;
  bool body_may_go_on() const { return reception_.may_go_on(); }
  void ask_for_rest(std::vector<std::string>& lines) const {
    if (for_rest) reception_.ask_for_rest(lines);
  }
  // Time that was not the server's fault.
  void add_pause_ns(std::int64_t ns);

  FetchRequest request;
  FetchResult result;
  Url url;  // of the present exchange
  FetchHost* host = nullptr;
  Wire::Exchange* exchange = nullptr;
  unsigned multi = 0;         // of the wire, while it is active
  std::int64_t begun_ns = 0;  // the first exchange, and later by what was waited between exchanges
  std::int64_t exchange_ns = 0;  // the present one
  int tries = 0;                 // of the present URL
  bool stale = false;            // a kept connection was unfit, and a new one is used
  bool dropped = false;          // or it ended under the request, which waits for its time
  // While its exchange waits for a connection: the lane that must not send meanwhile.
  std::shared_ptr<FetchLane> opening;
  bool probe = false;          // holds a slot, and its host has not answered yet
  bool patient = false;        // has given its slot back
  bool paused = false;         // by the byte rate
  bool is_signed = false;      // the present exchange is
  std::optional<Price> offer;  // that the present exchange makes
  bool has_offered = false;    // once, for this request
  bool for_rest = false;       // the next exchange is for the rest of a body
  bool by_head = false;        // it is asked by HEAD
  std::size_t index = 0;       // among the active
  std::size_t held = 0;        // bytes of its body, as counted last
  std::vector<std::string> headers;
  Stage stage = Stage::kConnecting;
  std::int64_t stage_ns = 0;  // when the stage began

 private:
  bool may_send() override;
  bool is_over(std::int64_t boot_ms) const {
    return boot_ms != 0 && owner_->boot_ns() > boot_ms * 1'000'000;
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
