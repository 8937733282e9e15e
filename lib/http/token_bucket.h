// SPDX-License-Identifier: Apache-2.0
// Limits a byte rate, by a bucket that fills with time. The last taker may overdraw it.
#ifndef SPINNERET_HTTP_TOKEN_BUCKET_H_
#define SPINNERET_HTTP_TOKEN_BUCKET_H_

#include <algorithm>
#include <cstdint>

namespace spinneret::http {

class TokenBucket {
 public:
  // 0 bytes a second: no limit.
  explicit TokenBucket(std::uint64_t bytes_per_second = 0)
      : rate_(static_cast<double>(bytes_per_second)) {}
  bool unlimited() const { return rate_ == 0; }
  // Returns the nanoseconds until bytes may be taken; 0: now.
  std::int64_t wait_ns(std::int64_t now_ns) {
    if (unlimited()) return 0;
    fill(now_ns);
    return level_ >= 0 ? 0 : static_cast<std::int64_t>(-level_ / rate_ * 1e9) + 1;
  }
  void take(std::uint64_t bytes) {
    if (!unlimited()) level_ -= static_cast<double>(bytes);
  }

 private:
  void fill(std::int64_t now_ns) {
    if (last_ns_ != 0) {
      level_ += rate_ * static_cast<double>(now_ns - last_ns_) / 1e9;
    }
    last_ns_ = now_ns;
    // A pause saves up no more than a tenth of a second.
    level_ = std::min(level_, rate_ / 10);
  }

  double rate_;
  double level_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_TOKEN_BUCKET_H_
