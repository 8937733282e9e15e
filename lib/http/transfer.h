// SPDX-License-Identifier: Apache-2.0
// One request under way: its exchanges (second tries and hops), its stage and its time limits.
// Private to the engine.
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

// The owner of a transfer, which learns of its progress.
class TransferOwner {
 public:
  virtual ~TransferOwner() = default;
  virtual void on_transfer_stage(Transfer& transfer) = 0;
  // Returns whether bytes may be taken now. If not, the transfer is paused until the owner resumes
  // it.
  virtual bool take_bytes(Transfer& transfer, std::size_t count) = 0;
  virtual void on_transfer_end(Transfer& transfer, WireEnd end, std::string_view detail) = 0;
  virtual std::int64_t now_ns() const = 0;
  virtual std::int64_t boot_ns() const = 0;
  // Returns the deadline that FetchRequest::by_lease names, by boot_ns() in milliseconds.
  virtual std::int64_t lease_ms(std::uint64_t name) const = 0;
};

class Transfer : public WireHandler {
 public:
  enum class Stage { kConnecting, kWaiting, kReceiving };

  // Begins a request with its own URL, from which `url` has been parsed.
  void begin(TransferOwner& owner, FetchRequest taken, std::int64_t now_ns);
  // Continues after the transfer waited for a hop's host since `since_ns`. That time counts neither
  // for its limits nor for its duration.
  void go_on(std::int64_t since_ns, std::int64_t now_ns) { begun_ns += now_ns - since_ns; }
  // Prepares for a new exchange.
  void begin_exchange(const ReceptionRules& rules, std::int64_t now_ns);

  // Returns when the limits run out for the present stage.
  std::int64_t limit_ns(const FetchLimits& limits) const;
  // Returns when they do, or the caller's deadline passes, whichever is sooner.
  std::int64_t deadline_ns(const FetchLimits& limits) const;
  // Returns which limit ran out, as a sentence; empty where enough bytes came in the low-speed
  // window, and another one has begun.
  std::string expire(const FetchLimits& limits, std::int64_t now_ns);
  // Return whether the caller's deadline has passed: that for sending the request, or that for its
  // end.
  bool is_late_to_send() const { return is_over(request.send_by_ms); }
  bool is_late() const { return is_over(request.end_by_ms); }
  // Returns whether the present exchange alone has used up a limit, so that its host is silent and
  // no earlier hop is to blame.
  bool host_is_silent(const FetchLimits& limits, std::int64_t now_ns) const;
  bool body_may_go_on() const { return reception_.may_go_on(); }
  void ask_for_rest(std::vector<std::string>& lines) const {
    if (for_rest) reception_.ask_for_rest(lines);
  }
  // Moves all limits by a time that was not the server's fault.
  void add_pause_ns(std::int64_t ns);

  FetchRequest request;
  FetchResult result;
  Url url;  // of the present exchange
  FetchHost* host = nullptr;
  Wire::Exchange* exchange = nullptr;
  // The wire's multi, while the transfer is active.
  unsigned multi = 0;
  // Start of the first exchange, moved on by the waits between exchanges.
  std::int64_t begun_ns = 0;
  std::int64_t exchange_ns = 0;  // start of the present exchange
  int tries = 0;                 // exchanges for the present URL
  unsigned turns = 0;            // addresses that the present try has given up
  IpAddress first_address;       // of its host when the exchange began
  bool stale = false;            // the kept connection could not be used, and a new one is
  bool dropped = false;          // the kept connection ended under the request, which now waits
  // While the exchange waits for a connection: the lane that must not send meanwhile.
  std::shared_ptr<FetchLane> opening;
  bool probe = false;          // holds a slot, and its host has not answered yet
  bool patient = false;        // has given its slot back
  bool paused = false;         // by the byte rate, or for lack of memory
  bool is_signed = false;      // the present exchange carries a signature
  std::optional<Price> offer;  // made by the present exchange
  bool has_offered = false;    // the ledger was asked about a price, which happens once a request
  // A redirect to a URL of its own trail was followed, for its cookie; at most once.
  bool has_returned = false;
  bool for_rest = false;  // the next exchange is for the rest of a body
  bool by_head = false;   // this exchange is a HEAD
  std::size_t index = 0;  // place among the active transfers
  std::size_t held = 0;   // bytes of the body, when they were last counted
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
