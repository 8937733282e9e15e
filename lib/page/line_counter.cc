// SPDX-License-Identifier: Apache-2.0
#include "page/line_counter.h"

#include <algorithm>
#include <cstring>

namespace spinneret::page {

void LineCounter::begin(std::string_view document, std::size_t skipped) {
  document_ = document;
  skipped_ = skipped;
  at_ = 0;
  line_ = {1, 0};
  marks_.assign(1, line_);
}

void LineCounter::move_to(std::size_t offset) {
  const std::size_t to = std::min(offset, document_.size());
  const std::size_t mark = std::min(to / kStride, marks_.size() - 1);
  if (to < at_ || mark * kStride > at_) {
    at_ = mark * kStride;
    line_ = marks_[mark];
  }
  while (at_ != to) {
    const std::size_t stop = std::min(to, (at_ / kStride + 1) * kStride);
    while (const void* const end = std::memchr(document_.data() + at_, '\n', stop - at_)) {
      at_ = static_cast<std::size_t>(static_cast<const char*>(end) - document_.data()) + 1;
      line_ = {line_.number + 1, at_};
    }
    at_ = stop;
    if (at_ == marks_.size() * kStride) marks_.push_back(line_);
  }
}

}  // namespace spinneret::page
