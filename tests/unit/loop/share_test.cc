// SPDX-License-Identifier: Apache-2.0
// What one frontier takes and shows: from a pipeline whose stages may write anything, from other
// partitions, and from people who add seeds.
#include "loop/share.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "loop/inbox.h"
#include "support/temporary_folder.h"
#include "unit/loop/loop_fixture.h"

namespace spinneret::loop {
namespace {

const std::string kA = "http://a.test/", kB = "http://b.test/";
using Outcomes = std::map<std::string, std::string>;

// Gives each batch that others have sent, once.
class SendingNeighbours : public QuietNeighbours {
 public:
  std::vector<std::pair<std::string, std::string>> batches;
  int commits = 0;
  void stage(const Admit& admit) override {
    for (const auto& [source, lines] : std::exchange(batches, {})) admit(source, lines);
  }
  void committed() override { ++commits; }
};

class CopyingStore : public frontier::MemoryStore {
 public:
  Status checkpoint(const std::string& path) override {
    std::filesystem::create_directories(path);
    return write_file_atomic(path + "/CURRENT", std::to_string(++copies));
  }
  int copies = 0;
};

class ShareTest : public LoopTest {
 protected:
  // Makes the share of a frontier with these seeds.
  Share& share(const std::vector<std::string>& seeds, ShareOptions options = {}) {
    open(one_, seeds);
    one_.share = std::make_unique<Share>(*voice_, clock_,
                                         Belongings{.frontier = *one_.frontier,
                                                    .store = store_,
                                                    .metrics = *one_.metrics,
                                                    .rejected = one_.rejected,
                                                    .neighbours = neighbours_},
                                         std::move(options));
    return *one_.share;
  }
  // Puts the output of `act` into records_ and said_.
  void listen(const std::function<void()>& act) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    act();
    tool_->out().flush();
    records_ = testing::internal::GetCapturedStdout();
    said_ = testing::internal::GetCapturedStderr();
  }
  std::uint64_t waiting() const { return one_.frontier->statistics().all.waiting; }
  void send(Share& it, const std::string& url) {
    frontier::Dispatch out;
    ASSERT_TRUE(it.next(out));
    ASSERT_EQ(out.url, url);
  }
  void settle(Share& it, const std::string& line) {
    Wire wire;
    frontier::Settled result;
    ASSERT_TRUE(wire.settled(line, result)) << line;
    it.take_result(line, result);
  }

  CopyingStore store_;
  SendingNeighbours* neighbours_ = nullptr;
  TemporaryFolder folder_;
};

// --- from the pipeline ---

TEST_F(ShareTest, ALinkThatIsNoneIsToldWithTheNumberOfItsLine) {
  Share& it = share({});
  listen([&] {
    it.take_link("no url\tvia=http://h/", 7);
    it.take_link("\x1B[2J", 8);
    it.take_link("", 9);
  });
  EXPECT_TRUE(said("pipeline:7: ")) << said_;
  EXPECT_TRUE(said("\"no url\""));
  EXPECT_TRUE(said("pipeline:8: "));
  EXPECT_TRUE(said("pipeline:9: "));
  EXPECT_EQ(said_.find('\x1B'), std::string::npos);
  EXPECT_EQ(waiting(), 0U);
}

TEST_F(ShareTest, WhatIsNotHttpIsRefusedAndCounted) {
  Share& it = share({});
  listen([&] {
    it.take_link("mailto:a@b.test\tvia=http://h/", 1);
    it.take_link("ftp://h/x\tvia=http://h/", 2);
    it.refuse_link("http://far/\trule=same-host");
  });
  EXPECT_EQ(said_, "");
  EXPECT_EQ(one_.rejected.total(), 3U);
  EXPECT_EQ(one_.rejected.top(9),
            (std::vector<std::pair<std::string, std::uint64_t>>{{"scheme", 2}, {"same-host", 1}}));
  EXPECT_EQ(one_.rejected.examples("scheme"),
            (std::vector<std::string>{"\"mailto:a@b.test\"", "\"ftp://h/x\""}));
  EXPECT_EQ(one_.frontier->statistics().refused, 3U);
}

// A page's record says where it was found, once. It has none of the fields that are for fetch
// alone, even where no fetch took them out.
TEST_F(ShareTest, ARecordIsShownWithItsPlaceAndWithoutWhatWasForFetch) {
  Share& it = share({});
  listen([&] {
    it.take_link(kA + "\tdepth=1\tvia=http://v/\\t\\\\", 1);
    it.take_link(kB + "\tdepth=1\tvia=http://v/", 2);
    one_.frontier->seal();
    ASSERT_TRUE(it.commit().ok());
    frontier::Dispatch out;
    while (it.next(out)) {
    }
    settle(it, kA + "\tgap=1\tlane=3\tunheard=yes\tdepth=1\tstatus=200\toutcome=ok");
    settle(it, kB + "\tgap=1\tlane=3\tdepth=1\tvia=http://own/\toutcome=blocked-by-robots");
    // This URL was never sent.
    settle(it, "http://stranger/\tstatus=200\toutcome=ok");
  });
  EXPECT_EQ(records_, kA + "\tvia=http://v/\\t\\\\\tdepth=1\tstatus=200\toutcome=ok\n" + kB +
                          "\tdepth=1\tvia=http://own/\toutcome=blocked-by-robots\n");
}

TEST_F(ShareTest, AStrangerThatThePolicyRefusesIsALinkAndAPageIsNot) {
  Share& it = share({kA});
  listen([&] {
    ASSERT_TRUE(it.commit().ok());
    send(it, kA);
    settle(it, kA + "\trule=deny-path x\toutcome=blocked-by-policy");
    settle(it, kB + "\trule=deny-path x\toutcome=blocked-by-policy");
  });
  EXPECT_EQ(one_.rejected.total(), 1U);
  EXPECT_EQ(one_.rejected.examples("deny-path x"), std::vector<std::string>{"\"" + kB + "\""});
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "blocked-by-policy"}}));
}

// --- from other partitions ---

TEST_F(ShareTest, OfWhatOthersSendOnlyLinksAreTakenAndTheRestIsNamedWithItsSource) {
  SendingNeighbours neighbours;
  neighbours_ = &neighbours;
  Share& it = share({});
  neighbours.batches = {{"p7.3", kA + "\tdepth=1\tvia=http://v/\n" + "no url\n" +
                                     "http://settled/\tstatus=200\toutcome=ok\n" +
                                     "mailto:a@b.test\n" + kB + "\tdepth=2\n"},
                        {"p8.1", "\n\x1B]0;x\x07\n"}};
  listen([&] { ASSERT_TRUE(it.commit().ok()); });
  EXPECT_EQ(waiting(), 2U);
  EXPECT_TRUE(said("from p7.3: ")) << said_;
  EXPECT_TRUE(said("\"no url\""));
  EXPECT_TRUE(said("from p7.3: is not a link: \"http://settled/\""));
  EXPECT_TRUE(said("from p8.1: "));
  EXPECT_EQ(said_.find('\x1B'), std::string::npos);
  // Sending them again would change nothing: each is counted, and dropped.
  EXPECT_EQ(one_.rejected.total(), 5U);
  EXPECT_EQ(neighbours.commits, 1);
  listen([&] { ASSERT_TRUE(it.commit().ok()); });
  EXPECT_EQ(said_, "");
  EXPECT_EQ(one_.rejected.total(), 5U);
}

TEST_F(ShareTest, NothingIsSaidToBeCommittedThatIsNot) {
  SendingNeighbours neighbours;
  neighbours_ = &neighbours;
  Share& it = share({});
  neighbours.batches = {{"p1.1", kA + "\tdepth=1\n"}};
  one_.store.fail_next_commit();
  listen([&] { EXPECT_FALSE(it.commit().ok()); });
  EXPECT_EQ(neighbours.commits, 0);
}

TEST_F(ShareTest, NothingGoesOutOfAShareThatLeavesOrMayNotSend) {
  SendingNeighbours neighbours;
  neighbours_ = &neighbours;
  Share& it = share({kA});
  EXPECT_TRUE(it.may_send());
  neighbours.sends = false;
  EXPECT_FALSE(it.may_send());
  neighbours.sends = true;
  it.leave();
  EXPECT_FALSE(it.may_send());
  EXPECT_TRUE(it.goes_on());
  it.give_up();
  EXPECT_FALSE(it.goes_on());
}

// --- from people ---

TEST_F(ShareTest, SeedsThatAreAddedComeInOnceAndTheWrongOnesDoNot) {
  const std::string inbox = folder_.file("inbox");
  Share& it = share({kA}, {.inbox = inbox});
  EXPECT_FALSE(it.has_mail());
  ASSERT_TRUE(add_to_inbox(inbox, kB + "\tpriority=9\n" + kA + "\nno url\nmailto:x\n\n").ok());
  EXPECT_TRUE(it.has_mail());
  // Ten looks a second are enough.
  listen([&] { ASSERT_TRUE(it.take_mail(99).ok()); });
  EXPECT_TRUE(it.has_mail());
  listen([&] { ASSERT_TRUE(it.take_mail(100).ok()); });
  EXPECT_FALSE(it.has_mail());
  EXPECT_TRUE(said("seeds came in") || said("seed came in")) << said_;
  // Bug: invalid seeds were not reported.
  EXPECT_TRUE(said(inbox + ":3: a relative URL without a base: \"no url\"")) << said_;
  EXPECT_TRUE(said(inbox + ":4: is not http or https: \"mailto:x\"")) << said_;
  EXPECT_FALSE(said(inbox + ":5:")) << said_;
  EXPECT_EQ(waiting(), 2U);
  listen([&] { ASSERT_TRUE(it.take_mail(200).ok()); });
  EXPECT_EQ(said_, "");
}

TEST_F(ShareTest, SeedsStayInTheirFileWhereTheStateCannotBeWritten) {
  const std::string inbox = folder_.file("inbox");
  Share& it = share({}, {.inbox = inbox});
  ASSERT_TRUE(add_to_inbox(inbox, kB + "\n").ok());
  one_.store.fail_next_commit();
  listen([&] { EXPECT_FALSE(it.take_mail(100).ok()); });
  EXPECT_TRUE(it.has_mail());
}

// --- copies ---

TEST_F(ShareTest, CopiesAreMadeWhenItIsTimeAndNeverWithoutAnInterval) {
  const std::string copy = folder_.file("copy");
  Share& it = share({kA}, {.checkpoint = copy, .checkpoint_every_ms = 1000});
  ASSERT_TRUE(it.may_copy().ok());
  const std::int64_t begin = clock_.monotonic_ns() / 1'000'000;
  for (const std::int64_t at : {0, 999}) ASSERT_TRUE(it.tick(begin + at).ok());
  EXPECT_EQ(store_.copies, 0);
  for (const std::int64_t at : {1000, 1001, 1999}) ASSERT_TRUE(it.tick(begin + at).ok());
  EXPECT_EQ(store_.copies, 1);
  // A late copy is not made up for by another one.
  for (const std::int64_t at : {9000, 9500}) ASSERT_TRUE(it.tick(begin + at).ok());
  EXPECT_EQ(store_.copies, 2);
  EXPECT_EQ(*read_file(copy + "/db/CURRENT"), "2");
  Share& none = share({kA}, {.checkpoint = copy});
  ASSERT_TRUE(none.tick(begin + 1'000'000).ok());
  EXPECT_EQ(store_.copies, 2);
}

TEST_F(ShareTest, WhatIsInTheWayOfACopyIsToldBeforeAnythingIsFetched) {
  const std::string copy = folder_.file("copy");
  std::filesystem::create_directories(copy);
  ASSERT_TRUE(write_file_atomic(copy + "/letter", "x").ok());
  const Status may = share({kA}, {.checkpoint = copy, .checkpoint_every_ms = 1}).may_copy();
  ASSERT_FALSE(may.ok());
  EXPECT_NE(may.message().find(copy), std::string::npos) << may.message();
  // Without an interval no copy is made, and nothing is in the way.
  EXPECT_TRUE(share({kA}, {.checkpoint = copy}).may_copy().ok());
  EXPECT_EQ(*read_file(copy + "/letter"), "x");
}

// --- the end ---

TEST_F(ShareTest, OnceTheTimeIsUpItWaitsForNothingThatIsQueued) {
  Share& it = share({kA, kB});
  ASSERT_TRUE(it.commit().ok());
  EXPECT_FALSE(it.exhausted(false));
  EXPECT_TRUE(it.exhausted(true));
  // A result must be kept before.
  send(it, kA);
  ASSERT_TRUE(it.commit_flights().ok());
  listen([&] { settle(it, kA + "\tstatus=200\toutcome=ok"); });
  EXPECT_FALSE(it.exhausted(true));
  ASSERT_TRUE(it.commit().ok());
  EXPECT_TRUE(it.exhausted(true));
}

TEST_F(ShareTest, ACrawlWithoutEndGoesOnUntilALimit) {
  one_.options.max_pages = 1;
  Share& it = share({kA, kB}, {.continuous = true});
  ASSERT_TRUE(it.commit().ok());
  listen([&] {
    send(it, kA);
    settle(it, kA + "\tstatus=200\toutcome=ok");
    ASSERT_TRUE(it.commit().ok());
  });
  EXPECT_TRUE(it.exhausted(false));
  one_.options.max_pages = 0;
  FakeShare other;
  open(other, {});
  Share endless(*voice_, clock_,
                Belongings{.frontier = *other.frontier,
                           .store = other.store,
                           .metrics = *other.metrics,
                           .rejected = other.rejected},
                ShareOptions{.continuous = true});
  EXPECT_FALSE(endless.exhausted(false));
  EXPECT_TRUE(endless.exhausted(true));
}

}  // namespace
}  // namespace spinneret::loop
