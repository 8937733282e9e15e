// SPDX-License-Identifier: Apache-2.0
// Which host will be done last, which shows how long a crawl takes at least. It is found by going
// round all hosts, some at each look, and never by a walk over all of them at once.
//
//   hosts   | seen in this round | not yet                     |
//             best_ ^            ^ next_       last_ (of the round before) may be any
//
// best_ and last_ are asked anew at each look, so that the result is true of some host now, and so
// never too long. It is too short where another host has become slower since the round came by. Up
// to kLook hosts, each look sees all of them.
//
// Cost of a look: that of 20,000 hosts; 100,000 take 1 ms.
#ifndef SPINNERET_FRONTIER_SLOWEST_HOST_H_
#define SPINNERET_FRONTIER_SLOWEST_HOST_H_

#include <cstddef>
#include <cstdint>

#include "frontier/host_table.h"

namespace spinneret::frontier {

class SlowestHost {
 public:
  static constexpr std::size_t kLook = 20'000;
  explicit SlowestHost(std::size_t look = kLook) : look_(look) {}

  // How long all hosts take at least, in milliseconds from `mono_ms`, now.
  double left_ms(const HostTable& hosts, std::int64_t mono_ms);

 private:
  std::size_t look_;
  HostSlot next_ = 0;
  HostSlot best_ = kNoSlot, last_ = kNoSlot;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_SLOWEST_HOST_H_
