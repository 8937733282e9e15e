// SPDX-License-Identifier: Apache-2.0
// publish() is alone in this file, since a benchmark replaces it by one that trusts the engine
// (tests/bench/trusting_publish.cc).
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cluster/channel.h"

namespace spinneret::cluster {
namespace {

// About the most bytes of a message: a quarter of what a stream may hold.
constexpr std::size_t kMostBytes = std::size_t{256} << 10;
// About the bytes of a frame beside its lines.
constexpr std::size_t kHeadBytes = 128;

// Reserves what the first frame needs; a second frame shows that there will be many.
void make_room(std::string& message, std::size_t lines) {
  if (message.empty()) return message.reserve(lines + kHeadBytes);
  if (message.capacity() - message.size() < lines + kHeadBytes)
    message.reserve(std::min(8 * message.size(), kMostBytes) + lines + kHeadBytes);
}

}  // namespace

Status publish(std::span<Sender* const> senders, bus::Bus& bus, std::int64_t now_ms) {
  struct Outgoing {
    std::string message;
    std::vector<Sender*> senders;
  };
  std::map<std::uint32_t, Outgoing> all;
  for (Sender* const sender : senders) {
    sender->collect(now_ms, kMostBytes / senders.size(),
                    [&](std::uint32_t destination, const Frame& frame) {
                      Outgoing& one = all[destination];
                      make_room(one.message, frame.lines.size());
                      append_frame(one.message, frame);
                      if (one.senders.empty() || one.senders.back() != sender)
                        one.senders.push_back(sender);
                    });
  }
  if (all.empty()) return {};
  std::vector<std::string> names;
  names.reserve(all.size());
  std::vector<bus::Item> items;
  for (const auto& [destination, one] : all) {
    names.push_back(partition_name(destination));
    items.push_back({names.back(), one.message});
  }
  std::vector<bus::Appended> outcomes;
  const Status done = bus.publish(items, outcomes);
  std::size_t at = 0;
  for (const auto& [destination, one] : all) {
    const bool sent = done.ok() && outcomes[at] == bus::Appended::kYes;
    ++at;
    if (sent) continue;
    for (Sender* const sender : one.senders) sender->not_sent(destination, now_ms);
  }
  return done;
}

}  // namespace spinneret::cluster
