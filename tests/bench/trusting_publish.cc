// SPDX-License-Identifier: Apache-2.0
// In the place of cluster::publish(): what the engine has taken counts as kept, and a batch is taken whichever came before
// it. So many crawlers on many machines work, and tests/bench/cluster.sh shows on a real engine what that loses: a test in
// which nothing can be lost proves nothing. In no program that is installed.
//
// Nobody is near: what goes over the bus here bears an epoch of its own, so a partition that comes to the sender's machine
// later would refuse what is given to it under the true one, and without any fault the crawl would lose links and not end.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cluster/channel.h"
#include "cluster/household.h"

namespace spinneret::cluster {

// Linked in front of the library, of which publish.cc and near.cc are then not looked for.
Member* Household::at(std::uint32_t /*partition*/) const { return nullptr; }
Member* Household::named(std::string_view /*source*/) const { return nullptr; }

Status publish(std::span<Sender* const> senders, bus::Bus& bus, std::int64_t now_ms) {
  struct Outgoing {
    std::string message;
    std::uint64_t last = 0;
  };
  for (Sender* const sender : senders) {
    std::map<std::uint32_t, Outgoing> all;
    sender->collect(now_ms, std::size_t{256} << 10, [&](std::uint32_t to, const Frame& frame) {
      // A receiver expects 1 of a source whose epoch it does not know, and repeats are of a lower one.
      Frame alone = frame;
      alone.epoch += frame.sequence;
      alone.sequence = 1;
      append_frame(all[to].message, alone);
      all[to].last = frame.sequence;
    });
    for (const auto& [to, one] : all) {
      const std::string stream = partition_name(to);
      const bus::Item item{stream, one.message};
      std::vector<bus::Appended> outcomes;
      const Status done = bus.publish({&item, 1}, outcomes);
      if (!done.ok() || outcomes.front() != bus::Appended::kYes) {
        sender->not_sent(to, now_ms);
        if (!done.ok()) return done;
        continue;
      }
      // From a receiver so high that the true one's word counts no more.
      sender->take_ack(to, {sender->epoch(), one.last, one.last, lease::kEpochLimit - 1}, now_ms);
    }
  }
  return {};
}

}  // namespace spinneret::cluster
