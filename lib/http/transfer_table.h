// SPDX-License-Identifier: Apache-2.0
// The engine's transfers: those at rest, kept for reuse, and the active ones. Private to the engine.
//
// An active transfer holds a slot unless it is patient: its host has been silent for so long that others
// are let in its place.
#ifndef SPINNERET_HTTP_TRANSFER_TABLE_H_
#define SPINNERET_HTTP_TRANSFER_TABLE_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "http/transfer.h"

namespace spinneret {

class TransferTable {
 public:
  // At most so many are patient at a time.
  explicit TransferTable(std::size_t max_patient) : max_patient_(max_patient) {}

  // One at rest, not active. Valid until release().
  Transfer& fresh();
  void release(Transfer& transfer) { resting_.push_back(&transfer); }

  void activate(Transfer& transfer);
  void deactivate(Transfer& transfer);
  // In no order; deactivate() moves the last one to the place that becomes free.
  const std::vector<Transfer*>& active() const { return active_; }

  // Gives the slot of an active transfer back, where there may be one more that is patient.
  void make_patient(Transfer& transfer);
  void end_patience(Transfer& transfer);
  std::size_t held_slots() const { return active_.size() - patient_; }

 private:
  std::size_t max_patient_;
  std::size_t patient_ = 0;
  std::vector<std::unique_ptr<Transfer>> all_;
  std::vector<Transfer*> resting_;
  std::vector<Transfer*> active_;
};

}  // namespace spinneret

#endif  // SPINNERET_HTTP_TRANSFER_TABLE_H_
