// SPDX-License-Identifier: Apache-2.0
// Replaces cluster::publish(): what the engine has taken counts as kept, and a batch is taken
// whichever came before it. Many crawlers on many machines work like that, and
// tests/bench/cluster.sh shows on a real engine what it loses: a test in which nothing can be lost
// proves nothing. No program that is installed has this.
//
// No partition counts as near (on the same machine): what goes over the bus here bears an epoch of
// its own. A partition that came to the sender's machine later would refuse what is given to it
// under the true epoch, and without any fault the crawl would lose links and not end.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cluster/channel.h"
#include "cluster/household.h"

namespace spinneret::cluster {

// Linked in front of the library, so that the linker takes neither publish.cc nor near.cc from it.
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
      // A receiver expects sequence 1 of a source whose epoch it does not know, and takes lower
      // epochs for repeats.
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
      // The receiver's epoch is so high that the true receiver's acks no longer count.
      sender->take_ack(to, {sender->epoch(), one.last, one.last, lease::kEpochLimit - 1}, now_ms);
    }
  }
  return {};
}

}  // namespace spinneret::cluster
