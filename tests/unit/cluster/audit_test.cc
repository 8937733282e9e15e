// SPDX-License-Identifier: Apache-2.0
#include "cluster/audit.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "cluster/memory_channel_store.h"
#include "cluster/outbox_rows.h"

namespace spinneret::cluster {
namespace {

class AuditTest : public testing::Test {
 protected:
  // Makes three batches of two links for each of partitions 1 and 2. Those for partition 2 are
  // shared rows, as for a partition on the same machine.
  AuditTest() {
    Sender sender(store_, {.source = "p0", .batch_links = 2, .is_near = [](std::uint32_t to) {
                             return to == 2;
                           }});
    EXPECT_TRUE(sender.open().ok());
    sender.stamp(1);
    for (int batch = 1; batch <= 3; ++batch) {
      for (const std::uint32_t to : {1U, 2U})
        sender.offer(to, "http://h/" + std::to_string(to) + "/" + std::to_string(batch), 0);
      sender.offer(1, "http://h/1/" + std::to_string(batch) + "b", 0);
      sender.stage(0);
      store_.commit();
      sender.committed();
    }
  }
  void lose(const std::string& key) {
    store_.erase(ChannelTable::kOutbox, key);
    store_.commit();
  }
  std::vector<std::string> problems() {
    std::vector<std::string> out;
    const Status done =
        audit_channel(store_, [&](const std::string& problem) { out.push_back(problem); });
    EXPECT_TRUE(done.ok()) << done.message();
    return out;
  }
  void repair() {
    const Status done = repair_channel(store_, [this] {
      store_.commit();
      return Status();
    });
    EXPECT_TRUE(done.ok()) << done.message();
  }
  // Returns what the next owner sends, by destination. It must be numbered from 1 without a gap.
  std::map<std::uint32_t, std::string> sent() {
    Sender sender(store_, {.source = "p0"});
    EXPECT_TRUE(sender.open().ok());
    sender.stamp(sender.state_epoch() + 1);
    store_.commit();
    sender.committed();
    std::map<std::uint32_t, std::string> out;
    std::map<std::uint32_t, std::uint64_t> last;
    sender.collect(0, SIZE_MAX, [&](std::uint32_t to, const Frame& frame) {
      EXPECT_EQ(frame.sequence, ++last[to]);
      out[to] += frame.lines;
    });
    return out;
  }

  MemoryChannelStore store_;
  const std::string kOnes =
      "http://h/1/1\nhttp://h/1/1b\nhttp://h/1/2\nhttp://h/1/2b\nhttp://h/1/3\nhttp://h/1/3b\n";
  const std::string kTwos = "http://h/2/1\nhttp://h/2/2\nhttp://h/2/3\n";
};

using Problems = std::vector<std::string>;

TEST_F(AuditTest, WhatIsWholeHasNoProblemAndIsLeft) {
  EXPECT_EQ(problems(), Problems());
  const auto before = store_.rows(ChannelTable::kOutbox);
  repair();
  EXPECT_EQ(store_.rows(ChannelTable::kOutbox), before);
  EXPECT_EQ(sent(), (std::map<std::uint32_t, std::string>{{1, kOnes}, {2, kTwos}}));
}

// Bug: --verify reported nothing, and all links behind the batch waited for ever.
TEST_F(AuditTest, ALostBatchIsToldAndWhatIsBehindItIsSent) {
  lose(batch_key(1, 2));
  EXPECT_EQ(problems(), Problems{"the outbox lacks batch 2 of links for p1, and sends "
                                 "nothing that follows it"});
  repair();
  EXPECT_EQ(problems(), Problems());
  EXPECT_EQ(sent(),
            (std::map<std::uint32_t, std::string>{
                {1, "http://h/1/1\nhttp://h/1/1b\nhttp://h/1/3\nhttp://h/1/3b\n"}, {2, kTwos}}));
}

TEST_F(AuditTest, ALostRowThatLanesShareIsToldOfEach) {
  lose(shared_row_key(1));
  EXPECT_EQ(problems(), Problems{"the outbox lacks batch 1 of links for p2, and sends "
                                 "nothing that follows it"});
  repair();
  EXPECT_EQ(problems(), Problems());
  EXPECT_EQ(sent(), (std::map<std::uint32_t, std::string>{{1, kOnes},
                                                          {2, "http://h/2/2\nhttp://h/2/3\n"}}));
  // The rows that the lane's batches shared are gone.
  EXPECT_FALSE(store_.rows(ChannelTable::kOutbox).contains(shared_row_key(2)));
}

TEST_F(AuditTest, BatchesOfALaneThatIsLostAreSentAgain) {
  lose(lane_key(1));
  EXPECT_EQ(problems(),
            Problems{"links for p1 are in the outbox, and nothing says that they are to be sent"});
  repair();
  EXPECT_EQ(problems(), Problems());
  EXPECT_EQ(sent(), (std::map<std::uint32_t, std::string>{{1, kOnes}, {2, kTwos}}));
}

TEST_F(AuditTest, TheLastBatchesAreMissedToo) {
  lose(batch_key(1, 3));
  EXPECT_EQ(problems(), Problems{"the outbox lacks batch 3 of links for p1, and sends "
                                 "nothing that follows it"});
  repair();
  EXPECT_EQ(problems(), Problems());
}

// A repair that breaks off after any of its commits is finished by the next one: nothing is lost.
TEST_F(AuditTest, ARepairThatBreaksOffLosesNothing) {
  lose(batch_key(1, 1));
  const MemoryChannelStore damaged = store_;
  for (int commits = 0;; ++commits) {
    store_ = damaged;
    int left = commits;
    const Status done = repair_channel(store_, [&] {
      if (left-- == 0) return Status(Error{"broken off"});
      store_.commit();
      return Status();
    });
    store_.drop_staged();
    if (done.ok()) break;
    repair();
    EXPECT_EQ(problems(), Problems()) << commits;
    const std::string ones = sent().at(1);
    for (const char* const url :
         {"http://h/1/2\n", "http://h/1/2b\n", "http://h/1/3\n", "http://h/1/3b\n"})
      EXPECT_NE(ones.find(url), std::string::npos) << commits;
  }
}

TEST_F(AuditTest, ADamagedRowIsAnError) {
  store_.put(ChannelTable::kOutbox, lane_key(1), "x");
  store_.commit();
  EXPECT_FALSE(audit_channel(store_, [](const std::string&) {}).ok());
  EXPECT_FALSE(repair_channel(store_, [] { return Status(); }).ok());
}

}  // namespace
}  // namespace spinneret::cluster
