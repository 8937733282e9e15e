// SPDX-License-Identifier: Apache-2.0
#include "http/transfer_table.h"

namespace spinneret {

Transfer& TransferTable::fresh() {
  if (resting_.empty()) {
    all_.push_back(std::make_unique<Transfer>());
    resting_.push_back(all_.back().get());
  }
  Transfer& transfer = *resting_.back();
  resting_.pop_back();
  return transfer;
}

void TransferTable::activate(Transfer& transfer) {
  transfer.index = active_.size();
  active_.push_back(&transfer);
}

void TransferTable::deactivate(Transfer& transfer) {
  end_patience(transfer);
  active_[transfer.index] = active_.back();
  active_[transfer.index]->index = transfer.index;
  active_.pop_back();
}

void TransferTable::make_patient(Transfer& transfer) {
  if (transfer.patient || patient_ >= max_patient_) return;
  transfer.patient = true;
  ++patient_;
}

void TransferTable::end_patience(Transfer& transfer) {
  if (transfer.patient) --patient_;
  transfer.patient = false;
}

}  // namespace spinneret
