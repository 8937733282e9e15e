// SPDX-License-Identifier: Apache-2.0
// The engine's transfers: those at rest, kept for reuse, and the active ones. Private to the engine.
//
// An active transfer holds a slot unless it is patient: its host has been silent for patience_ns(), or has timed
// out before, and others are let in its place. Patience is eight times what hosts' first answers take of late,
// within 20 and 200 ms; where the host has answered before, 200 ms without a byte: a page that takes long to be made holds
// nobody up. One that holds a slot while its host has not answered is a probe: where these have half of
// the slots, hosts that have answered go first. Together 100 silent hosts cost 100 good ones +0.5 % of time and +3 % of
// CPU for a fifth more lines (tests/bench/fetch.sh, 10,000 pages, six rounds); a fixed 200 ms cost them +35 % of time.
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

  // At most so many are patient at a time.
  explicit TransferTable(std::size_t max_patient) : max_patient_(max_patient) {}

  // One at rest, not active. Valid until release().
  Transfer& fresh();
  void release(Transfer& transfer) { resting_.push_back(&transfer); }

  // `probe`: its host has not answered yet.
  void activate(Transfer& transfer, bool probe);
  void deactivate(Transfer& transfer);
  // In no order; deactivate() moves the last one to the place that becomes free.
  const std::vector<Transfer*>& active() const { return active_; }

  // Gives the slot of an active transfer back, where there may be one more that is patient.
  void make_patient(Transfer& transfer);
  void on_answer(Transfer& transfer);
  bool patient_is_full() const { return patient_ >= max_patient_; }
  std::int64_t patience_ns() const { return patience_ns_; }
  // A host answered for the first time. Returns whether patience became shorter.
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
