// SPDX-License-Identifier: Apache-2.0
#include "cluster/channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "bus/memory_bus.h"
#include "lease/memory_leases.h"
#include "unit/cluster/memory_tables.h"

namespace spinneret::cluster {
namespace {

// A sender, its tables, and what it sent: (destination, epoch, sequence, lines).
struct Sending {
  explicit Sending(std::size_t batch_links = 2)
      : Sending(batch_links, std::make_shared<MemoryTables>(), 100) {}
  Sending(std::size_t batch_links, std::shared_ptr<MemoryTables> disk, std::uint64_t epoch)
      : tables(std::move(disk)) {
    SenderSettings settings;
    settings.source = "p1";
    settings.batch_links = batch_links;
    settings.window = 4;
    settings.is_near = [this](std::uint32_t) { return near; };
    sender = std::make_unique<Sender>(*tables, settings);
    EXPECT_TRUE(sender->open().ok());
    sender->stamp(epoch);
    commit();
  }
  void commit() {
    tables->commit();
    sender->committed();
  }
  void offer(const std::string& line, std::int64_t now = 0, bool flush = false) {
    sender->offer(2, line, now);
    sender->stage(now, flush);
    commit();
  }
  std::string collect(std::int64_t now, std::size_t most = 1 << 20) {
    std::string all;
    const Sender::Emit emit = [&](std::uint32_t destination, const Frame& frame) {
      EXPECT_EQ(destination, 2u);
      EXPECT_EQ(frame.epoch, sender->epoch());
      std::string lines(frame.lines);
      for (char& c : lines) c = c == '\n' ? ',' : c;
      all += std::to_string(frame.sequence) + ":" + lines + " ";
    };
    if (near) {
      sender->collect_near(now, emit);
    } else {
      sender->collect(now, most, emit);
    }
    return all;
  }
  void ack(std::uint64_t taken, std::uint64_t kept, std::uint64_t receiver = 7,
           std::int64_t now = 0) {
    sender->take_ack(2, {sender->epoch(), taken, kept, receiver}, now);
    commit();
  }
  void set_near(bool is) {
    near = is;
    sender->neighbours_changed();
  }
  bool near = false;
  std::shared_ptr<MemoryTables> tables;
  std::unique_ptr<Sender> sender;
};

TEST(Sender, ClosesBatchesBySizeAndByAge) {
  Sending s;
  s.offer("a");
  EXPECT_EQ(s.collect(0), "");
  s.offer("b");
  s.offer("c", 10);
  EXPECT_EQ(s.collect(10), "1:a,b, ");
  s.sender->stage(2009);
  s.commit();
  EXPECT_EQ(s.collect(1999), "");
  s.sender->stage(2010);
  s.commit();
  EXPECT_EQ(s.collect(1999), "2:c, ");
  EXPECT_FALSE(s.sender->empty());
}

TEST(Sender, SendsNothingBeforeItIsCommitted) {
  Sending s(1);
  s.sender->offer(2, "a", 0);
  s.sender->stage(0);
  EXPECT_EQ(s.collect(0), "");
  // It is killed before the commit: the page comes again, and its links with it.
  s.tables->crash();
  Sending again(1, s.tables, 101);
  EXPECT_TRUE(again.sender->empty());
}

TEST(Sender, OpenBatchSurvivesAKill) {
  Sending s(10);
  s.offer("a");
  s.offer("b");
  Sending again(10, s.tables, 101);
  EXPECT_EQ(again.collect(0), "1:a,b, ");
  again.offer("c", 0, true);
  EXPECT_EQ(again.collect(0), "2:c, ");
}

TEST(Sender, WhomIsAtHandIsGivenEachCommitsLinksAndTheRestWaitsForTheBus) {
  Sending s(10);
  s.offer("a");  // an open batch, in parts, goes out as it is
  s.offer("b");
  s.set_near(true);
  s.offer("c");
  EXPECT_EQ(s.collect(0), "1:a,b,c, ");
  for (const char* const line : {"d", "e", "f", "g", "h"}) s.offer(line);
  EXPECT_EQ(s.collect(0), "2:d, 3:e, 4:f, ");  // the window
  EXPECT_EQ(s.collect(0), "");
  s.ack(4, 2);
  EXPECT_FALSE(s.sender->empty());
  EXPECT_TRUE(s.sender->far_empty());
  EXPECT_EQ(s.collect(0), "5:g, 6:h, ");
  // The neighbour has gone, and has taken none of the last two batches.
  s.set_near(false);
  s.sender->stage(0);
  EXPECT_FALSE(s.sender->far_empty());
  EXPECT_EQ(s.collect(2000), "5:g, ");
  // The sender is killed: what was not kept is still there, numbered anew.
  Sending again(10, s.tables, 101);
  EXPECT_EQ(again.collect(0), "1:e, 2:f, 3:g, 4:h, ");
  again.ack(4, 4);
  EXPECT_TRUE(again.sender->empty());
}

std::size_t shared_rows(MemoryTables& tables) {
  const auto& rows = tables.rows(ChannelTable::kOutbox);
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const auto& row) { return row.first.front() == 'n'; }));
}

TEST(Sender, ACommitHasOneRowForAllThatAreAtHand) {
  Sending s(10);
  s.set_near(true);
  for (const char* const line : {"a", "b", "c"}) {
    s.sender->offer(3, line, 0);
    s.offer(line);
  }
  EXPECT_EQ(shared_rows(*s.tables), 3u);
  s.ack(2, 2);  // destination 3 still needs the rows
  EXPECT_EQ(shared_rows(*s.tables), 3u);
  s.sender->take_ack(3, {s.sender->epoch(), 1, 1, 7}, 0);
  s.commit();
  EXPECT_EQ(shared_rows(*s.tables), 2u);
  std::string waiting;
  for_each_waiting(*s.tables, [&](std::uint32_t to, std::string_view lines) {
    waiting += std::to_string(to) + ":" + std::string(lines.substr(0, 1)) + " ";
  });
  EXPECT_EQ(waiting, "3:b 2:c 3:c ");
  // The sender is killed, and no destination is near any more.
  Sending again(10, s.tables, 101);
  again.sender->offer(2, "d", 0);
  again.sender->stage(0, /*flush=*/true);
  again.commit();
  std::string sent;
  again.sender->collect(0, 1 << 20, [&](std::uint32_t to, const Frame& frame) {
    sent += std::to_string(to) + ":" + std::to_string(frame.sequence) + ":" +
            std::string(frame.lines.substr(0, 1)) + " ";
  });
  EXPECT_EQ(sent, "2:1:c 2:2:d 3:1:b 3:2:c ");
  again.ack(2, 2);
  again.sender->take_ack(3, {again.sender->epoch(), 2, 2, 7}, 0);
  again.commit();
  EXPECT_TRUE(again.sender->empty());
  EXPECT_EQ(shared_rows(*again.tables), 0u);
  // Row numbers are not used again while a row exists.
  again.set_near(true);
  for (const char* const line : {"e", "f"}) again.offer(line);
  EXPECT_EQ(shared_rows(*again.tables), 2u);
  Sending last(10, again.tables, 102);
  EXPECT_EQ(last.collect(0), "1:e, 2:f, ");
}

TEST(Sender, ARowOfManyThatGrowsIsFollowedByAnother) {
  Sending s(10);
  s.set_near(true);
  const std::string line(60'000, 'x');
  for (std::uint32_t to = 2; to < 8; ++to) s.sender->offer(to, line, 0);
  s.sender->stage(0);
  s.commit();
  EXPECT_EQ(shared_rows(*s.tables), 2u);
}

TEST(Sender, AnOutboxOfTheVersionBeforeIsRead) {
  MemoryTables tables;
  tables.put(ChannelTable::kOutbox, "e", "\x01\x05");
  tables.put(ChannelTable::kOutbox, std::string("d\0\0\0\2", 5), std::string("\1\2\0\0", 4));
  tables.put(ChannelTable::kOutbox, std::string("b\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0", 17), "a\n");
  tables.commit();
  Sending s(10, std::make_shared<MemoryTables>(tables), 100);
  EXPECT_EQ(s.collect(0), "1:a, ");
}

TEST(Sender, WindowMovesWithTakenAndRowsGoWithKept) {
  Sending s(1);
  for (int i = 0; i < 6; ++i) s.offer(std::string(1, static_cast<char>('a' + i)));
  EXPECT_EQ(s.collect(0), "1:a, 2:b, 3:c, 4:d, ");
  EXPECT_EQ(s.collect(0), "");
  s.ack(2, 0);
  EXPECT_EQ(s.collect(0), "5:e, 6:f, ");
  const std::size_t rows = s.tables->rows(ChannelTable::kOutbox).size();
  s.ack(2, 2);
  EXPECT_EQ(s.tables->rows(ChannelTable::kOutbox).size(), rows - 2);
  s.ack(6, 6);
  EXPECT_TRUE(s.sender->empty());
  EXPECT_EQ(s.tables->rows(ChannelTable::kOutbox).size(), 2u);  // epoch and lane
}

TEST(Sender, GivesAtMostSoManyBytes) {
  Sending s(1);
  for (int i = 0; i < 4; ++i) s.offer("0123456789");
  EXPECT_EQ(s.collect(0, 20), "1:0123456789, 2:0123456789, ");
  EXPECT_EQ(s.collect(0, 20), "3:0123456789, 4:0123456789, ");
}

TEST(Sender, WithoutProgressProbesWithOneBatchEverMoreSeldom) {
  Sending s(1);
  for (int i = 0; i < 4; ++i) s.offer(std::string(1, static_cast<char>('a' + i)));
  s.collect(0);
  EXPECT_EQ(s.collect(1999), "");
  std::vector<std::int64_t> probes;
  for (std::int64_t now = 2000; now < 200'000; now += 100) {
    const std::string sent = s.collect(now);
    if (sent.empty()) continue;
    EXPECT_EQ(sent, "1:a, ");
    probes.push_back(now);
  }
  EXPECT_EQ(probes,
            (std::vector<std::int64_t>{2000, 6000, 14'000, 30'000, 62'000, 122'000, 182'000}));
  s.ack(1, 1, 7, 200'000);
  EXPECT_EQ(s.collect(200'000), "2:b, 3:c, 4:d, ");
  EXPECT_EQ(s.collect(202'000), "2:b, ");
}

TEST(Sender, AsksForAnAckThatWasForgotten) {
  Sending s(1);
  s.offer("a");
  s.offer("b");
  s.collect(0);
  s.ack(2, 0);
  EXPECT_EQ(s.collect(1999), "");
  EXPECT_EQ(s.collect(2000), "2:b, ");
  EXPECT_EQ(s.collect(5999), "");
  EXPECT_EQ(s.collect(6000), "2:b, ");
  s.ack(2, 2);
  EXPECT_EQ(s.collect(100'000), "");
}

TEST(Sender, LeavesAFullStreamAlone) {
  Sending s(1);
  for (int i = 0; i < 3; ++i) s.offer(std::string(1, static_cast<char>('a' + i)));
  s.collect(0);
  s.sender->not_sent(2, 0);
  EXPECT_EQ(s.collect(49), "");
  // A single batch, because the stream may have no space for more.
  EXPECT_EQ(s.collect(50), "1:a, ");
  s.sender->not_sent(2, 50);
  EXPECT_EQ(s.collect(149), "");
  EXPECT_EQ(s.collect(150), "1:a, ");
  EXPECT_EQ(s.collect(150), "2:b, 3:c, ");
}

TEST(Sender, StampsAnewWithoutRewritingTheBacklog) {
  Sending s(1);
  for (int i = 0; i < 100; ++i) s.offer(std::to_string(i));
  s.collect(0);
  s.ack(3, 2);
  Sending next(1, s.tables, 101);
  EXPECT_EQ(next.collect(0), "1:2, 2:3, 3:4, 4:5, ");
  next.sender->take_ack(2, {100, 3, 3, 7}, 0);  // from the old epoch
  EXPECT_EQ(next.sender->lanes()[0].taken, 0u);
  next.ack(1, 1);
  EXPECT_EQ(next.collect(0), "5:6, ");
}

TEST(Sender, StepsAboveTheEpochThatARefusalNames) {
  Sending s(1);
  s.offer("a");
  s.collect(0);
  EXPECT_FALSE(s.sender->wants_epoch());
  s.sender->take_ack(2, {500, 9, 9, 7}, 0);
  EXPECT_EQ(s.sender->wants_epoch(), 500u);
  s.sender->stamp(lease::next_epoch({500, 100}));
  EXPECT_EQ(s.collect(0), "");  // the stamp is not committed
  s.commit();
  EXPECT_FALSE(s.sender->wants_epoch());
  EXPECT_EQ(s.collect(0), "1:a, ");
  EXPECT_EQ(s.sender->epoch(), 501u);
}

TEST(Sender, GoesBackToWhatANewReceiverHas) {
  Sending s(1);
  for (int i = 0; i < 4; ++i) s.offer(std::string(1, static_cast<char>('a' + i)));
  s.collect(0);
  s.ack(4, 1, 7);
  s.ack(2, 1, 6);  // from an earlier owner
  EXPECT_EQ(s.sender->lanes()[0].taken, 3u);
  EXPECT_EQ(s.sender->lanes()[0].waiting, 3u);  // what is taken and not kept is still in the outbox
  s.ack(2, 1, 8);
  EXPECT_EQ(s.collect(0), "3:c, 4:d, ");
  EXPECT_EQ(s.sender->lost_batches(), 0u);
}

TEST(Sender, NamesWhatAReceiverNoLongerHasAndGoesOn) {
  Sending s(1);
  for (int i = 0; i < 3; ++i) s.offer(std::string(1, static_cast<char>('a' + i)));
  s.collect(0);
  s.ack(2, 2, 7);
  s.ack(1, 1, 8);
  EXPECT_EQ(s.sender->lost_batches(), 1u);
  ASSERT_TRUE(s.sender->wants_epoch());
  s.sender->stamp(101);
  s.commit();
  EXPECT_EQ(s.collect(0), "1:c, ");
}

TEST(Sender, BelievesNoAckOfWhatItNeverSent) {
  Sending s(1);
  s.offer("a");
  s.collect(0);
  s.ack(2, 2);
  EXPECT_FALSE(s.sender->empty());
  s.sender->take_ack(3, {100, 1, 1, 7}, 0);
  EXPECT_EQ(s.sender->lanes().size(), 1u);
}

TEST(Sender, LagIsTheAgeOfTheOldestLinkThatWasNotTaken) {
  Sending s;
  EXPECT_EQ(s.sender->lag_ms(0), 0);
  s.offer("a", 1000);
  EXPECT_EQ(s.sender->lag_ms(1000), 0);
  s.offer("b", 2000);
  s.offer("c", 3000, /*flush=*/true);
  EXPECT_EQ(s.sender->lag_ms(3000), 2000);
  s.collect(3000);
  // Being taken is enough: a batch that is not kept yet waits for a copy, but keeps nobody waiting.
  s.ack(1, 0);
  EXPECT_EQ(s.sender->lag_ms(4000), 1000);
  s.ack(2, 0);
  EXPECT_EQ(s.sender->lag_ms(5000), 0);
  // After a day without a receiver there are few marks, and the oldest is still there.
  constexpr std::int64_t kDayMs = 86'400'000;
  for (std::int64_t now = 0; now <= kDayMs; now += 60'000) {
    s.offer("x", now, /*flush=*/true);
    EXPECT_EQ(s.sender->lag_ms(now), now);
  }
  // With half of the batches taken, the rest is half a day old, to a thirtieth of that.
  for (std::uint64_t batch = 3; batch <= 722; batch += 4) {
    s.collect(kDayMs);
    s.ack(std::min<std::uint64_t>(batch + 3, 722), 0);
  }
  EXPECT_NEAR(static_cast<double>(s.sender->lag_ms(kDayMs)), kDayMs / 2.0, kDayMs / 60.0);
}

TEST(Sender, RefusesRowsOfAnotherVersion) {
  MemoryTables tables;
  tables.put(ChannelTable::kOutbox, "e", "\x03\x05");
  tables.commit();
  Sender sender(tables, {});
  EXPECT_EQ(sender.open().message(), "the outbox was written by another version");
  tables.put(ChannelTable::kOutbox, "e", "\x01\x05");
  tables.put(ChannelTable::kOutbox, "d\0\0", "\x01");
  tables.commit();
  Sender damaged(tables, {});
  EXPECT_EQ(damaged.open().message(), "a row of the outbox is damaged");
  MemoryTables cut;
  cut.put(ChannelTable::kOutbox, std::string("n\0\0\0\0\0\0\0\1", 9),
          "\x02\x01\x05"
          "ab");
  cut.commit();
  Sender torn(cut, {});
  EXPECT_EQ(torn.open().message(), "a row of the outbox is damaged");
}

Frame frame(std::uint64_t epoch, std::uint64_t sequence, std::string_view source = "p1") {
  return {source, 2, epoch, sequence, "x\n"};
}
struct Receiving {
  explicit Receiving(bool copies = false, std::size_t most_sources = 10) {
    settings.partition = 2;
    settings.copies = copies;
    settings.most_sources = most_sources;
    receiver = std::make_unique<Receiver>(tables, settings);
    EXPECT_TRUE(receiver->open(7).ok());
  }
  void commit() {
    receiver->stage();
    tables.commit();
    receiver->committed();
  }
  std::string acks() {
    std::string all;
    for (const auto& [source, ack] : receiver->changed_acks())
      all += source + "=" + format_ack(ack) + " ";
    return all;
  }
  MemoryTables tables;
  ReceiverSettings settings;
  std::unique_ptr<Receiver> receiver;
};

TEST(Receiver, TakesOnlyTheNextOne) {
  Receiving r;
  EXPECT_EQ(r.receiver->take(frame(5, 2), 0), Take::kGap);
  EXPECT_EQ(r.receiver->take(frame(5, 1), 0), Take::kAdmit);
  EXPECT_EQ(r.receiver->take(frame(5, 1), 0), Take::kRepeat);
  EXPECT_EQ(r.receiver->take(frame(5, 2), 0), Take::kAdmit);
  EXPECT_EQ(r.acks(), "");  // nothing is durable yet
  r.commit();
  EXPECT_EQ(r.acks(), "p1=1 5 2 2 7 ");
  EXPECT_EQ(r.acks(), "");
  EXPECT_EQ(r.receiver->take(frame(5, 1), 0), Take::kRepeat);
  EXPECT_EQ(r.acks(), "p1=1 5 2 2 7 ");  // the ack before may have been forgotten
}

TEST(Receiver, ExpectsOneAtAHigherEpochAndNamesItToALowerOne) {
  Receiving r;
  r.receiver->take(frame(5, 1), 0);
  EXPECT_EQ(r.receiver->take(frame(6, 2), 0), Take::kGap);
  r.commit();
  EXPECT_EQ(r.acks(), "p1=1 6 0 0 7 ");
  EXPECT_EQ(r.receiver->take(frame(5, 2), 0), Take::kRefused);
  EXPECT_EQ(r.acks(), "p1=1 6 0 0 7 ");
  EXPECT_EQ(r.receiver->take(frame(6, 1), 0), Take::kAdmit);
}

TEST(Receiver, RefusesWhatIsNotItsOwn) {
  Receiving r(false, 1);
  Frame other = frame(5, 1);
  other.destination = 3;
  EXPECT_EQ(r.receiver->take(other, 0), Take::kForeign);
  EXPECT_EQ(r.receiver->take(frame(5, 1), 0), Take::kAdmit);
  // This source is one too many.
  EXPECT_EQ(r.receiver->take(frame(5, 1, "s-1"), 0), Take::kForeign);
}

TEST(Receiver, KeepsWhatTheLastCopyButOneHolds) {
  Receiving r(true);
  r.receiver->take(frame(5, 1), 0);
  r.commit();
  r.receiver->copy_begins(1);
  r.receiver->take(frame(5, 2), 0);
  r.commit();
  r.receiver->copy_shipped(1);
  EXPECT_EQ(r.acks(), "p1=1 5 2 0 7 ");
  r.receiver->copy_begins(2);
  EXPECT_EQ(r.acks(), "");
  r.receiver->copy_shipped(2);
  EXPECT_EQ(r.acks(), "p1=1 5 2 1 7 ");
  for (std::uint64_t failed = 3; failed < 30; ++failed) r.receiver->copy_begins(failed);
  r.receiver->copy_shipped(29);
  EXPECT_EQ(r.acks(), "p1=1 5 2 2 7 ");
}

TEST(Receiver, ComesBackWithWhatItHad) {
  Receiving r;
  r.receiver->take(frame(5, 1), 0);
  r.receiver->take(frame(9, 1, "p3"), 0);
  r.commit();
  r.receiver->take(frame(5, 2), 0);
  r.tables.crash();
  Receiver again(r.tables, r.settings);
  ASSERT_TRUE(again.open(8).ok());
  EXPECT_EQ(again.highest_epoch(), 9u);
  EXPECT_EQ(again.changed_acks().size(), 2u);
  EXPECT_EQ(again.take(frame(5, 2), 0), Take::kAdmit);
}

TEST(Receiver, ACommitHasOneRowForAllPartitions) {
  Receiving r;
  r.settings.one_row = true;
  Receiver receiver(r.tables, r.settings);
  ASSERT_TRUE(receiver.open(7).ok());
  const auto commit = [&] {
    receiver.stage();
    r.tables.commit();
    receiver.committed();
  };
  const auto rows = [&] { return r.tables.rows(ChannelTable::kInbox).size(); };
  for (const char* const source : {"p1", "p3", "p4", "s-1"}) receiver.take(frame(5, 1, source), 0);
  commit();
  EXPECT_EQ(rows(), 2u);  // s-1 has a row of its own
  receiver.take(frame(5, 2, "p3"), 0);
  commit();
  // The row of p3 alone, which is newer than the other row's entry for it.
  EXPECT_EQ(rows(), 3u);
  receiver.take(frame(6, 1, "p1"), 0);
  receiver.take(frame(5, 2, "p4"), 0);
  receiver.take(frame(5, 9, "p3"), 0);
  commit();
  EXPECT_EQ(rows(), 3u);
  Receiver again(r.tables, r.settings);
  ASSERT_TRUE(again.open(8).ok());
  std::string acks;
  for (const auto& [source, ack] : again.changed_acks())
    acks += source + "=" + format_ack(ack) + " ";
  EXPECT_EQ(acks, "p1=1 6 1 1 8 p3=1 5 2 2 8 p4=1 5 2 2 8 s-1=1 5 1 1 8 ");
  r.tables.put(ChannelTable::kInbox, "j", std::string("\1\2p1\5", 5));
  r.tables.commit();
  Receiver torn(r.tables, r.settings);
  EXPECT_EQ(torn.open(9).message(), "a row of the inbox is damaged");
}

TEST(Receiver, ForgetsSourcesThatEndedLongAgo) {
  Receiving r;
  const std::int64_t day = 24 * 3600 * 1000;
  r.receiver->take(frame(5, 1), 0);
  r.receiver->take(frame(5, 1, "s-1"), 0);
  r.receiver->take(frame(5, 1, "s-2"), 10 * day);
  r.commit();
  r.receiver->expire(31 * day);
  r.tables.commit();
  EXPECT_EQ(r.receiver->sources(), 2u);
  EXPECT_EQ(r.tables.rows(ChannelTable::kInbox).size(), 2u);
}

// Three partitions send links to each other and take their turns, over engines that do everything
// wrong, through the functions that a node calls. A link is its text. Each link must be admitted,
// and no batch twice within one epoch.
class Node {
 public:
  Node(std::uint32_t partition, lease::MemoryLeaseEngine& engine, FakeClock& clock)
      : clock_(clock),
        leases_(engine, clock, "n" + std::to_string(partition), 10'000),
        partition_(partition) {
    cursor_ = {partition_name(partition), {}};
  }
  std::int64_t now() const { return clock_.boot_ns() / 1'000'000; }
  void start() {
    sender.reset();
    receiver.reset();
    tenure_.end();
  }
  // One turn: lease, links, bus.
  void turn(bus::Bus& bus) {
    if (!keep_lease()) return;
    if (next_link != 0) {
      --next_link;
      sender->offer((partition_ + 1 + static_cast<unsigned>(next_link % 2)) % 3,
                    std::to_string(partition_) + "-" + std::to_string(next_link), now());
    }
    sender->stage(now());
    std::vector<bus::Message> messages;
    (void)bus.read({&cursor_, 1}, 16, 0, messages);
    for (const bus::Message& message : messages) {
      std::string_view rest = message.bytes;
      Frame frame;
      while (next_frame(rest, frame) == FrameEvent::kFrame) {
        if (receiver->take(frame, clock_.unix_ms()) == Take::kAdmit) admit(frame.lines);
      }
    }
    receiver->stage();
    tables.commit();
    sender->committed();
    receiver->committed();
    Sender* const senders[] = {sender.get()};
    (void)take_acks(senders, leases_, now());
    tables.commit();
    (void)post_acks(*receiver, leases_, lease_);
    if (!messages.empty()) {
      (void)bus.trim(cursor_.stream, messages.back().place,
                     {leases_.fence_key(lease_), leases_.fence_value(lease_)});
    }
    Sender* const all[] = {sender.get()};
    (void)publish(all, bus, now());
  }
  MemoryTables tables;
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Receiver> receiver;
  int next_link = 30;

 private:
  bool keep_lease() {
    if (!tenure_.held(clock_.boot_ns())) {
      start();
      const auto taken = leases_.take(partition_name(partition_), 0);
      if (!taken.ok() || !taken->granted) return false;
      lease_ = taken->lease;
      tenure_.granted(clock_.boot_ns(), clock_.boot_ns());
      return false;
    }
    std::vector<lease::Renewed> answers;
    if (leases_.renew({&lease_, 1}, answers).ok()) {
      if (answers[0] != lease::Renewed::kHeld) {
        start();
        return false;
      }
      tenure_.renewed(clock_.boot_ns());
    }
    if (!tenure_.may_open(clock_.boot_ns())) return false;
    if (sender == nullptr) open();
    if (sender != nullptr && sender->wants_epoch()) raise(*sender->wants_epoch());
    return sender != nullptr;
  }
  void open() {
    tables.crash();
    SenderSettings settings;
    settings.source = partition_name(partition_);
    settings.batch_links = 3;
    sender = std::make_unique<Sender>(tables, settings);
    receiver = std::make_unique<Receiver>(tables, ReceiverSettings{.partition = partition_});
    EXPECT_TRUE(sender->open().ok());
    EXPECT_TRUE(receiver->open(lease_.epoch).ok());
    if (sender->state_epoch() >= lease_.epoch) return raise(sender->state_epoch());
    sender->stamp(lease_.epoch);
    tables.commit();
    sender->committed();
  }
  void raise(std::uint64_t floor) {
    const auto epoch = leases_.raise(lease_, floor);
    if (!epoch.ok() || !*epoch) return start();
    lease_.epoch = **epoch;
    sender->stamp(lease_.epoch);
    receiver->set_epoch(lease_.epoch);
    tables.commit();
    sender->committed();
  }
  void admit(std::string_view lines) {
    while (!lines.empty()) {
      tables.admit(std::string(lines.substr(0, lines.find('\n'))));
      lines.remove_prefix(lines.find('\n') + 1);
    }
  }

  FakeClock& clock_;
  lease::MemoryLeases leases_;
  lease::Lease lease_;
  lease::Tenure tenure_{10'000};
  std::uint32_t partition_;
  bus::Cursor cursor_;
};

TEST(Channel, LosesNothingOverEnginesThatLoseEverything) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::minstd_rand random(seed);
    FakeClock clock;
    lease::MemoryLeaseEngine engine;
    bus::MemoryBus bus(
        2000, {.lose = .2, .repeat = .2, .reorder = .2, .delay = .2, .fail = .1, .forget = .01},
        seed);
    std::vector<std::unique_ptr<Node>> nodes;
    for (std::uint32_t p = 0; p < 3; ++p) nodes.push_back(std::make_unique<Node>(p, engine, clock));
    bool done = false;
    for (int turn = 0; turn < 20'000 && !done; ++turn) {
      clock.advance_ms(100 + static_cast<std::int64_t>(random() % 400));
      if (turn > 2000) bus.set_faults({});
      Node& node = *nodes[random() % 3];
      if (turn < 2000) {
        engine.away = random() % 20 == 0;
        if (random() % 300 == 0) engine.forget();
        if (random() % 300 == 0) node.start();  // the process is killed
        if (random() % 400 == 0) clock.jump_wall_ms(-static_cast<std::int64_t>(random() % 100'000));
      } else {
        engine.away = false;
      }
      node.turn(bus);
      done = turn > 2000;
      for (const auto& one : nodes)
        done = done && one->next_link == 0 && one->sender && one->sender->empty();
    }
    EXPECT_TRUE(done);
    std::size_t admitted = 0;
    for (const auto& one : nodes) {
      admitted += one->tables.admitted.size();
      EXPECT_TRUE(!one->sender || one->sender->lost_batches() == 0);
    }
    EXPECT_EQ(admitted, 90u);
    for (const char* stream : {"p0", "p1", "p2"}) EXPECT_LE(bus.unread(stream), 4000u);
  }
}

}  // namespace
}  // namespace spinneret::cluster
