// SPDX-License-Identifier: Apache-2.0
#include "http/transfer_table.h"

#include <algorithm>

namespace spinneret::http {

Transfer& TransferTable::fresh() {
  if (resting_.empty()) {
    all_.push_back(std::make_unique<Transfer>());
    resting_.push_back(all_.back().get());
  }
  Transfer& transfer = *resting_.back();
  resting_.pop_back();
  return transfer;
}

void TransferTable::activate(Transfer& transfer, bool probe) {
  transfer.probe = probe;
  if (probe) ++probes_;
  transfer.index = active_.size();
  active_.push_back(&transfer);
}

void TransferTable::deactivate(Transfer& transfer) {
  on_answer(transfer);
  active_[transfer.index] = active_.back();
  active_[transfer.index]->index = transfer.index;
  active_.pop_back();
}

void TransferTable::make_patient(Transfer& transfer) {
  if (transfer.patient || patient_is_full()) return;
  on_answer(transfer);
  transfer.patient = true;
  ++patient_;
}

bool TransferTable::learn_patience(std::int64_t first_answer_ns) {
  const std::int64_t before = patience_ns_;
  const std::int64_t wanted = 8 * std::min(first_answer_ns, kMaxPatienceNs);
  patience_ns_ = std::clamp(before + (wanted - before) / 4, kMinPatienceNs, kMaxPatienceNs);
  return patience_ns_ < before;
}

void TransferTable::on_answer(Transfer& transfer) {
  if (transfer.patient) --patient_;
  if (transfer.probe) --probes_;
  transfer.patient = transfer.probe = false;
}

}  // namespace spinneret::http
