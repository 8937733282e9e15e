// SPDX-License-Identifier: Apache-2.0
// Random histories of one channel, from source partition A to destination partition B. The bus
// keeps every message and every ack that was ever sent and delivers any of them at any time, which
// covers loss, repeat, reorder and rollback. Machines are taken over (their old processes wake up
// later), copies are restored, the engine forgets. At the end the faults stop; then every page's
// link must be at B, and A's outbox must become empty.
//
// Each rule of the channel is left out in turn, and that must then be noticed: these tests prove
// the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <tuple>
#include <utility>

#include "base/ascii.h"
#include "cluster/channel.h"
#include "unit/cluster/memory_tables.h"

namespace spinneret::cluster {
namespace {

enum class Epochs { kNeverReused, kMaxPlusOne, kSame };

struct Rules {
  bool copies = false;      // the disk is lost with the machine, and a copy is restored
  bool keep_stamp = false;  // batches keep the epoch under which they were made
  Epochs epochs = Epochs::kNeverReused;
  bool ack_when_copied = true;
  bool ack_source_epoch = true;
  bool ack_receiver_epoch = true;
  bool fenced = true;   // acks and copies of an owner that was replaced are refused
  bool damage = false;  // the newest copy is unreadable, 3 times in 10
  std::size_t copies_behind = 1;
  // A and B are in one process now and then, and B may have been replaced without knowing it.
  bool near = false;
  // B's acks of what it kept are sent only once the lease was renewed after the commit.
  bool confirmed = true;
  // One row of the outbox, and one of the inbox, is for many partitions.
  bool rows_of_many = true;
  // The links that were taken are in the commit that admits them.
  bool stage_inbox = true;
  // A row goes when all destinations have its links, not when the first one has.
  bool rows_go_with_all = true;
};

constexpr int kPages = 4;

// A process of A or B, alive or believed dead, with its disk.
struct Source {
  std::shared_ptr<MemoryTables> disk;
  std::unique_ptr<Sender> sender;
};
struct Target {
  std::shared_ptr<MemoryTables> disk;
  std::unique_ptr<Receiver> receiver;
};

class History {
 public:
  History(const Rules& rules, unsigned seed) : rules_(rules), random_(seed) {
    a_ = start_source(std::make_shared<MemoryTables>(), 1);
    b_ = start_target(std::make_shared<MemoryTables>(), 1);
    copies_a_.push_back(*a_.disk);
    copies_b_.push_back(*b_.disk);
    ship_b(b_);
  }
  void run() {
    const int steps = static_cast<int>(6 + random_() % 54);
    for (int i = 0; i < steps; ++i) step();
    heal();
  }
  bool lost() const {
    std::set<std::string> pages;
    for (const auto& [link, count] : b_.disk->admitted)
      pages.insert(link.substr(0, link.find('#')));
    return pages.size() != kPages;
  }
  bool stuck() const {
    const std::vector<Sender::LaneStatus> lanes = a_.sender->lanes();
    return std::any_of(lanes.begin(), lanes.end(), [](const Sender::LaneStatus& lane) {
      return lane.destination == 2 && lane.waiting + lane.taken != 0;
    });
  }
  bool doubled() const { return doubled_; }
  bool said_lost() const { return said_lost_; }

 private:
  Source start_source(std::shared_ptr<MemoryTables> disk, std::uint64_t epoch) {
    SenderSettings settings;
    settings.source = "p1";
    settings.batch_links = rules_.near ? 3 : 1;
    if (!rules_.rows_of_many) settings.most_shared = 0;
    settings.is_near = [this](std::uint32_t) { return near_; };
    Source one{disk, std::make_unique<Sender>(*disk, settings)};
    EXPECT_TRUE(one.sender->open().ok());
    if (epoch != one.sender->state_epoch() || rules_.epochs != Epochs::kSame)
      one.sender->stamp(epoch);
    disk->commit();
    one.sender->committed();
    real_.clear();
    return one;
  }
  Target start_target(std::shared_ptr<MemoryTables> disk, std::uint64_t epoch) {
    ReceiverSettings settings;
    settings.partition = 2;
    settings.copies = rules_.copies && rules_.ack_when_copied;
    settings.copies_behind = rules_.copies_behind;
    settings.one_row = rules_.rows_of_many;
    Target one{disk, std::make_unique<Receiver>(*disk, settings)};
    EXPECT_TRUE(one.receiver->open(epoch).ok());
    return one;
  }

  void process(int page, Source& who) {
    if (!who.disk->done.insert(page).second) return;
    const std::string link = std::to_string(page) + "#" + std::to_string(++offers_);
    who.sender->offer(2, link, now_);
    if (rules_.near && random_() % 2 == 0) who.sender->offer(3, link, now_);
    who.sender->stage(now_);
    who.disk->commit();
    who.sender->committed();
    // The stamp that a literal sender would give the link: numbers from 1 at each epoch.
    const std::uint64_t epoch = who.sender->epoch();
    stamps_[link] = {epoch, ++numbers_[epoch]};
  }
  void publish(Source& who) {
    now_ += static_cast<std::int64_t>(random_() % 3000);
    who.sender->stage(now_);
    who.sender->collect(now_, 1 << 20, [&](std::uint32_t destination, Frame frame) {
      if (destination != 2) return;
      const std::string link(frame.lines.substr(0, frame.lines.size() - 1));
      if (who.sender == a_.sender) real_[link] = frame.sequence;
      if (rules_.keep_stamp) std::tie(frame.epoch, frame.sequence) = stamps_[link];
      std::string message;
      append_frame(message, frame);
      bus_.push_back(message);
    });
  }
  void deliver(std::string_view message, Target& who) {
    Frame frame;
    while (next_frame(message, frame) == FrameEvent::kFrame) {
      if (who.receiver->take(frame, 0) == Take::kAdmit) admit(who, frame.lines, frame.epoch);
    }
    commit(who);
  }
  void admit(Target& who, std::string_view lines, std::uint64_t epoch) {
    while (!lines.empty()) {
      const std::string once = std::string(cut(lines, '\n')) + "@" + std::to_string(epoch);
      if (who.disk->admitted.count(once) != 0) doubled_ = true;
      who.disk->admit(once);
    }
  }
  void commit(Target& who) {
    if (rules_.stage_inbox) who.receiver->stage();
    who.disk->commit();
    who.receiver->committed();
  }
  // Takes an ack of another partition, which has all of its links, or some.
  void ack_of_another() {
    const std::uint64_t taken = 1 + random_() % 4;
    if (!rules_.rows_go_with_all) {
      a_.disk->scan(ChannelTable::kOutbox, "n", [this](std::string_view row, std::string_view) {
        a_.disk->erase(ChannelTable::kOutbox, row);
        return true;
      });
    }
    a_.sender->take_ack(3, {a_.sender->epoch(), taken, taken, 1}, now_);
    a_.disk->commit();
    a_.sender->committed();
  }
  void ack(Target& who) {
    if (rules_.fenced && who.receiver != b_.receiver) return;
    who.receiver->acks_lost();
    for (const auto& [source, one] : who.receiver->changed_acks()) {
      if (source == "p1") acks_.push_back(one);
    }
  }
  void take_ack(Ack ack) {
    if (rules_.keep_stamp) {
      ack = translated(ack);
    } else if (!rules_.ack_source_epoch) {
      ack.source_epoch = a_.sender->epoch();
    }
    if (!rules_.ack_receiver_epoch) ack.receiver_epoch = 1;
    a_.sender->take_ack(2, ack, now_);
    if (const auto named = a_.sender->wants_epoch();
        named && rules_.epochs == Epochs::kNeverReused) {
      a_.sender->stamp(new_epoch(0, *named));
      real_.clear();
    }
    a_.disk->commit();
    a_.sender->committed();
    said_lost_ = said_lost_ || a_.sender->lost_batches() != 0;
  }
  // Returns what a literal sender would delete by the ack: batches of its own epoch up to the
  // number, and all of older epochs.
  Ack translated(const Ack& ack) {
    Ack real{a_.sender->epoch(), 0, 0, ack.receiver_epoch};
    for (const auto& [link, sequence] : real_) {
      const auto& [epoch, number] = stamps_[link];
      const bool goes =
          epoch < ack.source_epoch || (epoch == ack.source_epoch && number <= ack.kept);
      if (goes && ack.source_epoch == a_.sender->epoch()) real.kept = std::max(real.kept, sequence);
    }
    real.taken = real.kept;
    return real;
  }

  void ship_b(Target& who) {
    who.receiver->copy_begins(++copy_);
    who.receiver->copy_shipped(copy_);
  }
  void ship() {
    if (!rules_.copies) return;
    if (random_() % 2 == 0) {
      copies_a_.push_back(*a_.disk);
    } else {
      copies_b_.push_back(*b_.disk);
      ship_b(b_);
    }
  }
  std::uint64_t new_epoch(int which, std::uint64_t state) {
    std::uint64_t epoch = std::max(engine_[which], state) + 1;
    if (rules_.epochs == Epochs::kNeverReused)
      epoch = lease::next_epoch({epoch, clock_, manifest_[which]});
    manifest_[which] = std::max(manifest_[which], epoch);
    clock_ = std::max(clock_, epoch);
    return engine_[which] = epoch;
  }
  // A copy that was read once stays readable.
  std::shared_ptr<MemoryTables> next_disk(const MemoryTables& old,
                                          std::vector<MemoryTables>& copies,
                                          std::size_t& readable) {
    if (rules_.copies) {
      if (rules_.damage && copies.size() > readable && random_() % 10 < 3) copies.pop_back();
      readable = copies.size();
    }
    auto disk = std::make_shared<MemoryTables>(rules_.copies ? copies.back() : old);
    disk->crash();
    return disk;
  }
  void take_over() {
    if (random_() % 2 == 0) {
      meet(false);
      zombie_a_ = std::move(a_);
      const auto disk = next_disk(*zombie_a_.disk, copies_a_, readable_a_);
      Sender look(*disk, {});
      EXPECT_TRUE(look.open().ok());
      const std::uint64_t state = look.state_epoch();
      a_ = start_source(disk, rules_.epochs == Epochs::kSame ? state : new_epoch(0, state));
    } else {
      replaced_ = near_;
      zombie_b_ = std::move(b_);
      b_ = start_target(next_disk(*zombie_b_.disk, copies_b_, readable_b_), new_epoch(1, 0));
    }
  }
  Target& neighbour() { return replaced_ ? zombie_b_ : b_; }
  // Makes one step of the direct path between neighbours, as Household and Member do. A kill may
  // follow each step.
  void near_step() {
    const auto k = random_() % 7;
    if (k == 0) {
      meet(!near_);
    } else if (k == 1) {
      a_.sender->collect_near(now_, [this](std::uint32_t destination, const Frame& frame) {
        if (destination == 2)
          given_.emplace_back(frame.epoch, frame.sequence, std::string(frame.lines));
      });
    } else if (k == 2 && near_) {
      for (const auto& [epoch, sequence, lines] : std::exchange(given_, {})) {
        if (neighbour().receiver->take({"p1", 2, epoch, sequence, lines}, 0) == Take::kAdmit)
          admit(neighbour(), lines, epoch);
      }
      // The inbox takes links of another source in the same commit.
      if (random_() % 2 == 0) neighbour().receiver->take({"p9", 2, ++clock_, 1, ""}, 0);
    } else if (k == 3 && near_) {
      commit(neighbour());
      for (const auto& [source, ack] : neighbour().receiver->changed_acks()) {
        if (source != "p1") continue;
        to_confirm_ = ack;
        take_ack(
            {ack.source_epoch, ack.taken, rules_.confirmed ? 0 : ack.kept, ack.receiver_epoch});
      }
    } else if (k == 4 && near_ && to_confirm_ && !replaced_) {
      take_ack(*to_confirm_);
      to_confirm_.reset();
    } else if (k == 5 && near_ && !replaced_ && !rules_.copies) {
      die_together();
    } else if (k == 6) {
      ack_of_another();
    }
  }
  void meet(bool near) {
    near_ = near;
    a_.sender->neighbours_changed();
    replaced_ = false;
    given_.clear();
    to_confirm_.reset();
  }
  // Both processes die with all that was in memory; the disks are as they were.
  void die_together() {
    meet(false);
    a_.disk->crash();
    b_.disk->crash();
    const std::uint64_t state = a_.sender->epoch();
    a_ = start_source(a_.disk, new_epoch(0, state));
    b_ = start_target(b_.disk, new_epoch(1, 0));
  }
  void wake_zombie() {
    if (random_() % 2 == 0) {
      if (zombie_a_.sender == nullptr) return;
      if (rules_.copies) process(static_cast<int>(random_() % kPages), zombie_a_);
      publish(zombie_a_);
    } else {
      if (zombie_b_.receiver == nullptr) return;
      if (rules_.copies && !bus_.empty()) deliver(bus_[random_() % bus_.size()], zombie_b_);
      if (rules_.copies && !rules_.fenced) ship_b(zombie_b_);
      ack(zombie_b_);
    }
  }
  void step() {
    if (rules_.near && random_() % 2 == 0) return near_step();
    const auto k = random_() % 100;
    if (k < 22) {
      process(static_cast<int>(random_() % kPages), a_);
    } else if (k < 40) {
      publish(a_);
    } else if (k < 60) {
      if (!bus_.empty()) deliver(bus_[random_() % bus_.size()], b_);
    } else if (k < 70) {
      ack(b_);
    } else if (k < 80) {
      if (!acks_.empty()) take_ack(acks_[random_() % acks_.size()]);
    } else if (k < 85) {
      ship();
    } else if (k < 91) {
      take_over();
    } else if (k < 94) {
      engine_[0] = engine_[1] = 0;
    } else {
      wake_zombie();
    }
  }
  void heal() {
    meet(false);
    commit(b_);
    for (int i = 0; i < 40 && (i < 4 || stuck()); ++i) {
      for (int page = 0; page < kPages; ++page) process(page, a_);
      now_ += 70'000;
      const std::size_t from = bus_.size();
      publish(a_);
      for (std::size_t at = from; at < bus_.size(); ++at) deliver(bus_[at], b_);
      if (rules_.copies) ship_b(b_);
      ack(b_);
      if (!acks_.empty()) take_ack(acks_.back());
    }
  }

  Rules rules_;
  std::minstd_rand random_;
  Source a_, zombie_a_;
  Target b_, zombie_b_;
  std::vector<MemoryTables> copies_a_, copies_b_;
  std::size_t readable_a_ = 1, readable_b_ = 1;
  std::vector<std::string> bus_;
  std::vector<Ack> acks_;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> stamps_;
  std::map<std::uint64_t, std::uint64_t> numbers_;
  std::map<std::string, std::uint64_t> real_;
  std::uint64_t engine_[2] = {1, 1}, manifest_[2] = {1, 1}, clock_ = 1;
  std::uint64_t copy_ = 0;
  std::int64_t now_ = 0;
  bool near_ = false, replaced_ = false;
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> given_;
  std::optional<Ack> to_confirm_;
  int offers_ = 0;
  bool doubled_ = false;
  bool said_lost_ = false;
};

struct Outcome {
  int lost = 0, stuck = 0, doubled = 0, said_lost = 0;
};
Outcome explore(const Rules& rules, unsigned histories) {
  Outcome all;
  for (unsigned i = 0; i < histories; ++i) {
    History one(rules, i * 7919 + 13);
    one.run();
    all.lost += one.lost();
    all.stuck += !one.lost() && one.stuck();
    all.doubled += one.doubled();
    all.said_lost += one.said_lost();
  }
  return all;
}

void expect_whole(const Rules& rules) {
  const Outcome all = explore(rules, 10'000);
  EXPECT_EQ(all.lost, 0);
  EXPECT_EQ(all.stuck, 0);
  EXPECT_EQ(all.doubled, 0);
  EXPECT_EQ(all.said_lost, 0);
}
void expect_missed(const Rules& rules, unsigned histories = 3000) {
  const Outcome all = explore(rules, histories);
  EXPECT_GT(all.lost + all.stuck, 0);
  std::printf("left out: lost %d, stuck %d of %u\n", all.lost, all.stuck, histories);
}

TEST(Histories, VolumeMoves) { expect_whole({}); }
TEST(Histories, CopiesRestored) { expect_whole({.copies = true}); }
TEST(Histories, CopiesRestoredAndNewestUnreadable) {
  expect_whole({.copies = true, .damage = true});
}

TEST(Histories, VolumeMovesAndTheShortCut) { expect_whole({.near = true}); }
TEST(Histories, CopiesRestoredAndTheShortCut) { expect_whole({.copies = true, .near = true}); }

TEST(Histories, TheShortCutWithARowForEach) {
  expect_whole({.near = true, .rows_of_many = false});
  expect_whole({.copies = true, .near = true, .rows_of_many = false});
}

TEST(HistoriesMiss, RowOfManyGoesWithTheFirstOfThem) {
  expect_missed({.near = true, .rows_go_with_all = false});
}
TEST(HistoriesMiss, InboxNotInTheCommit) {
  const Outcome all = explore({.near = true, .stage_inbox = false}, 3000);
  EXPECT_GT(all.doubled, 0);
}
TEST(HistoriesMiss, NearAcksNotConfirmed) { expect_missed({.near = true, .confirmed = false}); }
TEST(HistoriesMiss, OutboxNotStampedAnew) { expect_missed({.keep_stamp = true}); }
TEST(HistoriesMiss, AcksWithoutSourceEpoch) { expect_missed({.ack_source_epoch = false}); }
TEST(HistoriesMiss, NoNewEpochAfterRestore) {
  expect_missed({.copies = true, .epochs = Epochs::kSame});
}
TEST(HistoriesMiss, AckAtCommitWhereDisksDie) {
  expect_missed({.copies = true, .ack_when_copied = false});
}
TEST(HistoriesMiss, EpochReused) {
  expect_missed({.copies = true,
                 .epochs = Epochs::kMaxPlusOne,
                 .ack_receiver_epoch = false,
                 .fenced = false,
                 .copies_behind = 0});
}
TEST(HistoriesMiss, EpochReusedThoughFenced) {
  expect_missed({.copies = true, .epochs = Epochs::kMaxPlusOne, .copies_behind = 0});
}
TEST(HistoriesMiss, AcksNotFenced) {
  expect_missed({.copies = true, .fenced = false, .copies_behind = 0});
}
TEST(HistoriesMiss, AcksWithoutReceiverEpoch) {
  expect_missed({.copies = true, .ack_receiver_epoch = false});
}
TEST(HistoriesMiss, NewestCopyTrusted) {
  expect_missed({.copies = true, .damage = true, .copies_behind = 0}, 10'000);
}

}  // namespace
}  // namespace spinneret::cluster
