// SPDX-License-Identifier: Apache-2.0
// Prints the findings of a check of an engine, a line each.
#ifndef SPINNERET_LINK_BUS_VERDICTS_H_
#define SPINNERET_LINK_BUS_VERDICTS_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/tool.h"

namespace spinneret::link_bus {

class Verdicts {
 public:
  explicit Verdicts(cli::Tool& tool) : tool_(tool) {}

  // Prints "ok" or "bad", and `what`; the exit status is 1 once something was bad.
  void say(bool good, const std::string& what) {
    tool_.out().write((good ? "ok   " : "bad  ") + what + "\n");
    if (!good) tool_.raise_status(1);
  }
  // Compares our clock with the engine's, given in seconds since 1970.
  void clocks(std::uint64_t theirs) {
    const std::int64_t apart =
        std::abs(system_clock().unix_ms() / 1000 - static_cast<std::int64_t>(theirs));
    say(apart <= 60,
        "clocks " + std::to_string(apart) + " s apart" + (apart <= 60 ? "" : ": set one of them"));
  }
  // Prints what `count` calls take: the median and the worst. Prints nothing where one fails, which
  // `call` has reported.
  void times(const std::string& what, int count, const std::function<bool()>& call) {
    std::vector<std::int64_t> all;
    for (int i = 0; i < count; ++i) {
      const std::int64_t begun = system_clock().monotonic_ns();
      if (!call()) return;
      all.push_back(system_clock().monotonic_ns() - begun);
    }
    std::sort(all.begin(), all.end());
    const std::int64_t worst_ms = all.back() / 1'000'000;
    say(worst_ms < 1000, what + " " + std::to_string(all[all.size() / 2] / 1000) +
                             " us, worst of " + std::to_string(count) + " " +
                             std::to_string(worst_ms) + " ms");
  }

 private:
  cli::Tool& tool_;
};

}  // namespace spinneret::link_bus

#endif  // SPINNERET_LINK_BUS_VERDICTS_H_
