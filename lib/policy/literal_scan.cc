// SPDX-License-Identifier: Apache-2.0
#include "policy/literal_scan.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret::policy {

void LiteralScan::add(std::string_view literal, std::uint32_t value) {
  literals_.emplace_back(to_lower_copy(literal), value);
}

void LiteralScan::compile() {
  if (literals_.empty()) return;
  assign_classes();
  build_trie();
  link_failures();
  literals_.clear();
  literals_.shrink_to_fit();
}

void LiteralScan::assign_classes() {
  class_of_.fill(0);
  classes_ = 1;
  for (const auto& [literal, value] : literals_) {
    for (const char c : literal) {
      const auto byte = static_cast<unsigned char>(c);
      if (class_of_[byte] != 0) continue;
      class_of_[byte] = static_cast<std::uint8_t>(classes_++);
      class_of_[static_cast<unsigned char>(to_upper(c))] = class_of_[byte];
    }
  }
}

// Rows in the order of creation; literals sorted first, so that equal ones share a row and the outputs
// of a row are consecutive.
void LiteralScan::build_trie() {
  std::stable_sort(literals_.begin(), literals_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  transitions_.assign(classes_, kNone);
  std::vector<std::uint32_t> end_row;
  for (const auto& [literal, value] : literals_) {
    std::uint32_t row = 0;
    for (const char c : literal) {
      const std::size_t at = std::size_t{row} * classes_ + class_of_[static_cast<unsigned char>(c)];
      if (transitions_[at] == kNone) {
        transitions_[at] = static_cast<std::uint32_t>(transitions_.size() / classes_);
        transitions_.insert(transitions_.end(), classes_, kNone);
      }
      row = transitions_[at];
    }
    end_row.push_back(row);
  }
  const std::size_t rows = transitions_.size() / classes_;
  output_begin_.assign(rows + 1, 0);
  for (const std::uint32_t row : end_row) ++output_begin_[row + 1];
  for (std::size_t row = 0; row < rows; ++row) output_begin_[row + 1] += output_begin_[row];
  outputs_.resize(literals_.size());
  std::vector<std::uint32_t> fill(output_begin_.begin(), output_begin_.end() - 1);
  for (std::size_t i = 0; i < literals_.size(); ++i) {
    outputs_[fill[end_row[i]]++] = literals_[i].second;
  }
}

// Breadth first: the failure row of a child is where its parent's failure goes by the same byte, so that
// missing transitions can be filled at once and the automaton needs no failure links when it runs.
void LiteralScan::link_failures() {
  const std::size_t rows = transitions_.size() / classes_;
  std::vector<std::uint32_t> failure(rows, 0);
  next_output_.assign(rows, kNone);
  std::vector<std::uint32_t> queue{0};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t row = queue[head];
    for (std::uint32_t c = 0; c < classes_; ++c) {
      std::uint32_t& target = transitions_[std::size_t{row} * classes_ + c];
      const std::uint32_t fallback =
          row == 0 ? 0 : transitions_[std::size_t{failure[row]} * classes_ + c];
      if (target == kNone) {
        target = fallback;
        continue;
      }
      failure[target] = fallback;
      const bool ends = output_begin_[fallback] != output_begin_[fallback + 1];
      next_output_[target] = ends ? fallback : next_output_[fallback];
      queue.push_back(target);
    }
  }
  for (std::uint32_t& target : transitions_) {
    const std::uint32_t row = target;
    const bool has = output_begin_[row] != output_begin_[row + 1] || next_output_[row] != kNone;
    target = static_cast<std::uint32_t>(row * classes_) | (has ? kHasOutput : 0);
  }
}

}  // namespace spinneret::policy
