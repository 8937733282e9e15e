// SPDX-License-Identifier: Apache-2.0
// Bytes as histories of a channel between partitions, and as names on the bus. A receiver that dies
// between commits takes of hostile frames exactly what its simple twin takes. A sender never
// forgets a batch until an ack of its own epoch says that it is kept.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bus/generation.h"
#include "cluster/channel.h"
#include "cluster/copies.h"
#include "cluster/frame.h"
#include "cluster/member.h"
#include "cluster/memory_channel_store.h"
#include "cluster/standing.h"

using namespace spinneret;
using namespace spinneret::cluster;

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

// Yields a byte at a time, and zeros after the end.
struct Bytes {
  std::string_view rest;
  std::uint64_t next() {
    if (rest.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    return byte;
  }
};

void read_names(std::string_view text) {
  if (const auto copy = parse_copy(3, text)) expect(parse_copy(3, format_copy(3, *copy)) == copy);
  bus::Generation place;
  static_cast<void>(bus::parse_generation(text, place));
  Standing standing, again;
  if (parse_standing(text, standing)) {
    const std::string row = format_standing(standing);
    expect(parse_standing(row, again) && format_standing(again) == row);
  }
  static_cast<void>(partitions_of({{"terms", std::string(text)}}));
}

// Compares the receiver with its rule, in three lines, over states that die between commits and are
// opened again.
void receive(Bytes in) {
  using Known = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>, std::less<>>;
  MemoryChannelStore store;
  std::optional<Receiver> receiver;
  const auto begin = [&] {
    receiver.emplace(store, ReceiverSettings{.partition = 1, .most_sources = 3});
    expect(receiver->open(1).ok());
  };
  begin();
  Known known, durable;
  while (!in.rest.empty()) {
    const std::uint64_t what = in.next();
    if (what < 32) {  // the receiver is killed, or what it took is committed
      if (what % 2 == 0) {
        receiver->stage();
        store.commit();
        receiver->committed();
        durable = known;
        // A source of which nothing was taken has no row.
        std::erase_if(durable, [](const auto& one) { return one.second == Known::mapped_type(); });
        continue;
      }
      store.drop_staged();
      begin();
      known = durable;
      expect(receiver->sources() == known.size());
      continue;
    }
    const std::string source = "s" + std::to_string(what % 5);
    const Frame frame{.source = source,
                      .destination = what % 16 == 0 ? 2u : 1u,
                      .epoch = in.next() % 4,
                      .sequence = in.next() % 5,
                      .lines = "x\n"};
    const Take take = receiver->take(frame, 1);
    const bool room = known.size() < 3 || known.contains(source);
    expect((take == Take::kForeign) == (frame.destination != 1 || !room));
    if (take == Take::kForeign) continue;
    auto& [epoch, last] = known[source];
    expect((take == Take::kRefused) == (frame.epoch < epoch));
    if (take == Take::kRefused) continue;
    if (frame.epoch > epoch) epoch = frame.epoch, last = 0;
    expect((take == Take::kAdmit) == (frame.sequence == last + 1));
    if (take == Take::kAdmit) ++last;
  }
}

// A batch stays until an ack of the sender's epoch, from no older receiver, names it as kept.
void send(Bytes in) {
  MemoryChannelStore store;
  Sender sender(store, {.source = "p1", .batch_links = 1, .window = 4});
  expect(sender.open().ok());
  sender.stamp(2);
  store.commit();
  sender.committed();
  std::uint64_t offered = 0, kept = 0;
  for (std::int64_t now = 1; !in.rest.empty(); now += 1000) {
    const std::uint64_t what = in.next();
    if (what % 4 == 0) {
      sender.offer(7, "http://a/", now);
      ++offered;
    }
    sender.stage(now, true);
    if (what % 4 == 1) {
      const Ack ack{in.next() % 4, in.next() % 8, in.next() % 8, in.next() % 4};
      if (ack.kept <= ack.taken) {
        if (ack.source_epoch == 2) kept = std::max(kept, std::min(ack.kept, offered));
        sender.take_ack(7, ack, now);
      }
    }
    store.commit();
    sender.committed();
    std::uint64_t last = 0;
    sender.collect(now, 1 << 16, [&](std::uint32_t destination, const Frame& frame) {
      expect(destination == 7 && frame.epoch == 2 && frame.source == "p1");
      expect(last == 0 || frame.sequence == last + 1);
      last = frame.sequence;
      expect(last <= offered);
    });
    if (what % 4 == 2) sender.not_sent(7, now);
    std::uint64_t waiting = 0;
    for (const Sender::LaneStatus& lane : sender.lanes()) waiting += lane.waiting;
    expect(waiting + kept >= offered);
    expect(!sender.empty() || kept >= offered);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_names(bytes);
  receive({bytes});
  send({bytes});
  return 0;
}
