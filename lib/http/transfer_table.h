// SPDX-License-Identifier: Apache-2.0
// The engine's transfers: those at rest, which are kept for reuse, and the active ones. Private to
// the engine.
//
// An active transfer occupies a slot unless it is patient: its host has been silent for
// patience_ns(), or has timed out before, and other transfers use the slot. Patience is eight times
// the time that first answers of hosts took lately, within 20 and 200 ms. Where the host has
// answered before, it is 200 ms without a byte, so that a page which takes long to make delays no
// others. A transfer that occupies a slot while its host has never answered is a probe; when probes
// have half of the slots, hosts that have answered go first. Together these let 100 silent hosts
// cost 100 good ones +0.5 % of time, and +3 % of CPU for a fifth more lines (tests/bench/fetch.sh,
// 10,000 pages, six rounds); a fixed 200 ms cost +35 % of time.
#ifndef SPINNERET_HTTP_TRANSFER_TABLE_H_
#define SPINNERET_HTTP_TRANSFER_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "http/transfer.h"

namespace spinneret::http {

class TransferTable {
 public:
  static constexpr std::int64_t kMinPatienceNs = 20'000'000;
  static constexpr std::int64_t kMaxPatienceNs = 200'000'000;

  // At most `max_patient` transfers are patient at a time.
  explicit TransferTable(std::size_t max_patient) : max_patient_(max_patient) {}

  // Returns a transfer that is at rest. It is valid until release().
  Transfer& fresh();
  void release(Transfer& transfer) { resting_.push_back(&transfer); }

  // Makes a transfer active. `probe` says that its host has never answered.
  void activate(Transfer& transfer, bool probe);
  void deactivate(Transfer& transfer);
  // The active transfers, in no particular order: deactivate() moves the last one to the free
  // place.
  const std::vector<Transfer*>& active() const { return active_; }

  // Takes the slot from an active transfer, unless as many as allowed are patient already.
  void make_patient(Transfer& transfer);
  void on_answer(Transfer& transfer);
  bool patient_is_full() const { return patient_ >= max_patient_; }
  std::int64_t patience_ns() const { return patience_ns_; }
  // Learns how long a host's first answer took. Returns whether patience became shorter.
  bool learn_patience(std::int64_t first_answer_ns);
  std::size_t held_slots() const { return active_.size() - patient_; }
  // Slots held by transfers of hosts that have not answered yet.
  std::size_t probes() const { return probes_; }

 private:
  std::size_t max_patient_;
  std::size_t patient_ = 0;
  std::size_t probes_ = 0;
  std::int64_t patience_ns_ = kMaxPatienceNs;
  std::vector<std::unique_ptr<Transfer>> all_;
  std::vector<Transfer*> resting_;
  std::vector<Transfer*> active_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_TRANSFER_TABLE_H_
