// SPDX-License-Identifier: Apache-2.0
// How pipelines die, and what a crawl makes of it: which URLs go out again, which are reported,
// what the messages say, and when the crawl ends.
#include "loop/driver.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/deadlines.h"
#include "base/number.h"
#include "io/record.h"
#include "unit/loop/loop_fixture.h"

namespace spinneret::loop {
namespace {

const std::string kA = "http://a.test/", kB = "http://b.test/", kC = "http://c.test/";
using Outcomes = std::map<std::string, std::string>;

TEST_F(LoopTest, EachPageOnceAndItEndsByItself) {
  ends_.on_url = [this](const std::string& url) {
    page(url, url == kA ? std::vector{kB, kA} : std::vector<std::string>{});
  };
  EXPECT_EQ(run({kA}), 0);
  EXPECT_EQ(ends_.asked, (std::vector{kA, kB}));
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}, {kB, "ok"}}));
  EXPECT_EQ(ends_.lives, 1);
}

TEST_F(LoopTest, WithoutAnythingToDoNoPipelineIsStarted) {
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(ends_.lives, 0);
}

TEST_F(LoopTest, OneThatDiesBeforeAnyResultIsStartedFiveTimes) {
  ends_.on_url = [this](const std::string&) { ends_.die("ended with status 7"); };
  EXPECT_EQ(run({kA, kB}), 2);
  EXPECT_EQ(ends_.lives, 5);
  EXPECT_TRUE(said("the pipeline ended with status 7; in flight: "));
  EXPECT_TRUE(said("5 times in a row without a result: see the stages' messages"));
  EXPECT_EQ(records_, "");
  EXPECT_EQ(one_.frontier->statistics().all.waiting, 2U);
  // The first restart is at once, the others after pauses that double.
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < ends_.started_ms.size(); ++i)
    gaps.push_back(ends_.started_ms[i] - ends_.started_ms[i - 1]);
  ASSERT_EQ(gaps.size(), 4U);
  EXPECT_LT(gaps[0], 100);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GE(gaps[i], 100 << (i - 1));
    // The pause, and a turn.
    EXPECT_LT(gaps[i], (100 << (i - 1)) + 400);
  }
}

TEST_F(LoopTest, OneThatDiesAfterAResultLosesNothingAndAsksNothingTwiceThatIsBack) {
  ends_.on_url = [this](const std::string& url) {
    if (ends_.lives == 1 && url != ends_.asked.front()) return ends_.die("was killed by signal 9");
    page(url);
  };
  EXPECT_EQ(run({kA, kB, kC}), 0);
  EXPECT_EQ(ends_.lives, 2);
  EXPECT_EQ(times_asked(ends_.asked.front()), 1);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}, {kB, "ok"}, {kC, "ok"}}));
}

// Bug: a stage that could not save its cookies when all pages had come left a run of status 0.
TEST_F(LoopTest, APipelineThatFailsAtItsEndIsTrouble) {
  ends_.on_url = [this](const std::string& url) { page(url); };
  ends_.on_close = [this] { ends_.fail("ended with status 2"); };
  EXPECT_EQ(run({kA}), 2);
  EXPECT_EQ(ends_.lives, 1);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}}));
}

TEST_F(LoopTest, OneThatIsKilledAtItsEndHasLostNothing) {
  ends_.on_url = [this](const std::string& url) { page(url); };
  ends_.on_close = [this] { ends_.die("was killed by signal 9"); };
  EXPECT_EQ(run({kA}), 0);
  EXPECT_EQ(ends_.lives, 1);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}}));
}

// The page's record does not come in the first life; when it comes, the page no longer has the
// link.
TEST_F(LoopTest, LinksThatCameWithoutTheirPageAreForgotten) {
  ends_.on_url = [this](const std::string& url) {
    if (ends_.lives > 1) return page(url);
    ends_.give(kB + "\tdepth=1\tvia=" + url + "\n");
    ends_.die("was killed by signal 9");
  };
  EXPECT_EQ(run({kA}), 0);
  EXPECT_EQ(ends_.asked, (std::vector{kA, kA}));
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}}));
}

TEST_F(LoopTest, HalfALineIsNoLine) {
  ends_.on_url = [this](const std::string& url) {
    if (ends_.lives > 1) return page(url);
    ends_.give(kA + "\tstatus=200\toutcome=o");
    ends_.die("was killed by signal 9");
  };
  EXPECT_EQ(run({kA}), 0);
  EXPECT_EQ(times_asked(kA), 2);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}}));
}

TEST_F(LoopTest, AUrlThatPipelinesDieOfIsFoundAndTheOthersAreNot) {
  ends_.on_url = [this](const std::string& url) {
    if (url == kB) return ends_.die("was killed by signal 11");
    page(url);
  };
  EXPECT_EQ(run({kA, kB, kC}), 0);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}, {kB, "aborted"}, {kC, "ok"}}));
  EXPECT_NE(records_.find("the pipeline dies of it"), std::string::npos);
}

// A stage that cannot start any more ends at once, whatever was sent meanwhile.
class BadStartTest : public LoopTest {
 protected:
  // The first pipeline gives a page, and is killed with another one in flight.
  BadStartTest() {
    ends_.on_url = [this](const std::string& url) {
      if (ends_.lives == 1 && url != ends_.asked.front())
        return ends_.die("was killed by signal 9");
      if (ends_.lives == 1 || works_) page(url);
    };
    ends_.on_wait = [this] {
      if (ends_.lives > 1 && !works_) ends_.die("was killed by signal 9");
    };
  }
  bool works_ = false;
};

TEST_F(BadStartTest, BugAPageWasBlamedForAStageThatCouldNotStartAndGivenUp) {
  EXPECT_EQ(run({kA, kB}), 2);
  EXPECT_EQ(outcomes().size(), 1U);
  EXPECT_EQ(one_.frontier->statistics().all.waiting, 1U);
  EXPECT_EQ(ends_.lives, 5);
  EXPECT_TRUE(said("5 times in a row without a result: see the stages' messages"));
}

TEST_F(BadStartTest, OnceItStartsAgainAllPagesCome) {
  ends_.on_wait = [this] {
    if (ends_.lives > 3) works_ = true;
    if (ends_.lives > 1 && !works_) ends_.die("was killed by signal 9");
  };
  EXPECT_EQ(run({kA, kB, kC}), 0);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}, {kB, "ok"}, {kC, "ok"}}));
  EXPECT_EQ(ends_.lives, 4);
}

TEST_F(LoopTest, AStageThatEndsByItselfGetsNothingMoreAndNobodyIsBlamed) {
  ends_.on_url = [this](const std::string& url) {
    if (ends_.lives > 1) return page(url);
    ends_.give(url + "\toutcome=aborted\n");
  };
  ends_.on_close = [this] {
    if (ends_.lives == 1) ends_.die("ended with status 2");
  };
  EXPECT_EQ(run({kA, kB}), 0);
  EXPECT_EQ(ends_.lives, 2);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}, {kB, "ok"}}));
}

// Bug: fetch gave back URLs that it could not send within the lease of a partition, and that was
// taken for a stage that ends: the pipeline was restarted, and the pages of its hosts were
// suspected.
TEST_F(LoopTest, WhatWasTooLateToBeSentWaitsAgainAndNoStageHasStopped) {
  ends_.on_url = [this](const std::string& url) {
    if (times_asked(url) > 2) return page(url);
    ends_.give(url + "\tlate=yes\toutcome=aborted\n");
  };
  EXPECT_EQ(run({kA, kB}), 0);
  EXPECT_EQ(ends_.lives, 1);
  EXPECT_EQ(times_asked(kA), 3);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}, {kB, "ok"}}));
}

// The record was dropped on its way: the pipeline is left to run empty, and the page is reported.
TEST_F(LoopTest, WhatNeverComesBackIsLookedForOnceAllIsSilent) {
  ends_.on_url = [this](const std::string& url) {
    if (url != kB) page(url);
  };
  EXPECT_EQ(run({kA, kB}), 0);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}, {kB, "aborted"}}));
  EXPECT_NE(records_.find("no stage of the pipeline has given its record back"), std::string::npos);
}

TEST_F(LoopTest, ASignalWaitsForWhatIsInFlight) {
  ends_.on_url = [this](const std::string&) { signal_ = SIGTERM; };
  ends_.on_close = [this] {
    for (const std::string& url : ends_.asked) page(url);
  };
  EXPECT_EQ(run({kA}), 128 + SIGTERM);
  EXPECT_TRUE(said("stopping: waiting for 1 in flight"));
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}}));
  EXPECT_TRUE(ends_.signals.empty());
}

TEST_F(LoopTest, WhatDoesNotComeBackInTimeIsKilledAndKept) {
  ends_.on_url = [this](const std::string&) { signal_ = SIGINT; };
  ends_.ends_when_closed = false;
  ends_.on_signal = [this](int number) {
    if (number == SIGKILL) ends_.die("was killed by signal 9");
  };
  EXPECT_EQ(run({kA}), 128 + SIGINT);
  EXPECT_EQ(ends_.signals, (std::vector{SIGTERM, SIGKILL}));
  EXPECT_EQ(records_, "");
  EXPECT_EQ(one_.frontier->statistics().all.waiting, 1U);
}

TEST_F(LoopTest, WhenTheTimeIsUpWhatIsInFlightMayComeAndNothingMoreIsSent) {
  options_.max_time_ms = 1000;
  ends_.on_url = [](const std::string& url) { EXPECT_EQ(url, kA); };
  const std::int64_t begun_ns = clock_.monotonic_ns();
  ends_.on_wait = [this, begun_ns, came = false]() mutable {
    if (clock_.monotonic_ns() - begun_ns < 4'000'000'000 || std::exchange(came, true)) return;
    page(kA, {kB});
  };
  EXPECT_EQ(run({kA}), 0);
  EXPECT_EQ(ends_.asked, (std::vector{kA}));
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}}));
  EXPECT_TRUE(ends_.signals.empty());
}

// Bug: --max-time waited for what was in flight for as long as that took.
TEST_F(LoopTest, WhenTheTimeIsUpWhatDoesNotComeWithinTheGraceIsKept) {
  options_.max_time_ms = 1000;
  ends_.on_url = [this](const std::string& url) {
    if (url == kA) page(url);
  };
  ends_.ends_when_closed = false;
  const std::int64_t begun_ns = clock_.monotonic_ns();
  EXPECT_EQ(run({kA, kB}), 0);
  EXPECT_LE(clock_.monotonic_ns() - begun_ns, 6'500'000'000);
  EXPECT_TRUE(said("the time is up: not waiting any longer for 1 in flight"));
  EXPECT_EQ(ends_.signals, (std::vector{SIGTERM}));
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}}));
  EXPECT_EQ(one_.frontier->statistics().all.waiting, 1U);
}

TEST_F(LoopTest, WhenTheTimeIsUpAPipelineThatHasGivenAllBackMayTakeItsTimeAtItsEnd) {
  options_.max_time_ms = 1000;
  ends_.ends_when_closed = false;
  const std::int64_t begun_ns = clock_.monotonic_ns();
  ends_.on_wait = [this, begun_ns] {
    if (clock_.monotonic_ns() - begun_ns > 60'000'000'000)
      ends_.die("ended with status 0", /*well=*/true);
  };
  EXPECT_EQ(run({kA}), 0);
  EXPECT_TRUE(ends_.signals.empty());
  EXPECT_GT(clock_.monotonic_ns() - begun_ns, 60'000'000'000);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}}));
}

TEST_F(LoopTest, ASignalWhileItIsDrainedEndsItAllTheSame) {
  ends_.ends_when_closed = false;
  ends_.on_close = [this] { signal_ = SIGTERM; };
  EXPECT_EQ(run({kA}), 128 + SIGTERM);
  EXPECT_EQ(outcomes(), (Outcomes{{kA, "ok"}}));
}

TEST_F(LoopTest, WhereNobodyTakesTheRecordsNothingIsCommitted) {
  open(one_, {kA});
  Shares shares(*voice_);
  shares.add(*one_.share);
  const int out = dup(STDOUT_FILENO);
  const int full = ::open("/dev/full", O_WRONLY);
  dup2(full, STDOUT_FILENO);
  const int status = Driver(ends_, shares, *voice_, clock_, stages_, {}).run();
  dup2(out, STDOUT_FILENO);
  close(out);
  close(full);
  EXPECT_EQ(status, 2);
  // The next run asks for the page again.
  auto opened = frontier::Frontier::open(one_.store, clock_, one_.options);
  ASSERT_TRUE(opened.ok());
  EXPECT_FALSE((*opened)->exhausted());
}

// Bug: the end of the run committed the page all the same, and its line was in the log of no run.
TEST_F(LoopTest, APageWhoseLineTheLogDoesNotTakeIsAskedForAgain) {
  Result<report::PageLog> full = report::PageLog::open("/dev/full");
  ASSERT_TRUE(full.ok()) << full.message();
  open(one_, {kA}, /*in_partitions=*/false, &*full);
  Shares shares(*voice_);
  shares.add(*one_.share);
  EXPECT_EQ(run(shares), 2);
  EXPECT_TRUE(said("cannot write /dev/full"));
  auto opened = frontier::Frontier::open(one_.store, clock_, one_.options);
  ASSERT_TRUE(opened.ok());
  EXPECT_FALSE((*opened)->exhausted());
}

TEST_F(LoopTest, AStateThatCannotBeWrittenEndsTheRun) {
  ends_.on_url = [this](const std::string& url) {
    one_.store.fail_next_commit();
    page(url);
  };
  EXPECT_EQ(run({kA}), 2);
}

// Another node may have the state by now, so that nothing more is written into it.
TEST_F(LoopTest, ALostLeaseEndsItAtOnce) {
  const Partitions partitions(1);
  one_.options.partitions = &partitions;
  open(one_, {kA}, /*in_partitions=*/true);
  Shares shares(*voice_);
  shares.add(*one_.share);
  ends_.on_url = [this](const std::string&) { one_.neighbours.lost_text = "it is lost"; };
  EXPECT_EQ(run(shares), kLeaseLostStatus);
  EXPECT_TRUE(said("it is lost"));
  EXPECT_EQ(records_, "");
  EXPECT_EQ(one_.frontier->in_flight(), 1U);
}

// --- several frontiers behind one pipeline ------------------------------------------------------

class TwoSharesTest : public LoopTest {
 protected:
  // Returns the nth host of a partition.
  std::string host(std::uint32_t partition, int nth) const {
    for (int i = 0;; ++i) {
      const std::string name = "h" + std::to_string(i) + ".test";
      if (partitions_.of_host(name) == partition && nth-- == 0) return "http://" + name + "/";
    }
  }
  int run_both(const std::vector<std::string>& first, const std::vector<std::string>& second) {
    for (FakeShare* it : {&one_, &two_}) {
      it->options.partitions = &partitions_;
      it->options.company = &company_;
      it->neighbours.all_idle = [this] { return one_.neighbours.idle && two_.neighbours.idle; };
    }
    two_.options.partition = 1;
    open(one_, first, true);
    open(two_, second, true);
    Shares shares(*voice_, &partitions_);
    shares.add(*one_.share);
    shares.add(*two_.share);
    return run(shares);
  }

  Partitions partitions_{2};
  frontier::Company company_{64};
  FakeShare two_;
};

TEST_F(TwoSharesTest, APagesLinksGoWhereThePageDoes) {
  const std::string a = host(0, 0), b = host(1, 0);
  ends_.on_url = [&](const std::string& url) {
    if (url == a) return page(url, {a + "own", b + "theirs"});
    if (url == b) return page(url, {b + "own"});
    page(url);
  };
  EXPECT_EQ(run_both({a}, {b}), 0);
  EXPECT_EQ(outcomes(), (Outcomes{{a, "ok"}, {b, "ok"}, {a + "own", "ok"}, {b + "own", "ok"}}));
  // The link goes through the engine, as to any other partition.
  ASSERT_EQ(one_.neighbours.offered.size(), 1U);
  EXPECT_EQ(one_.neighbours.offered[0].first, 1U);
  EXPECT_EQ(one_.neighbours.offered[0].second, b + "theirs\tdepth=1\tvia=" + a);
  EXPECT_TRUE(two_.neighbours.offered.empty());
}

TEST_F(TwoSharesTest, RefusedLinksAndItemsAreCountedWithTheirPage) {
  const std::string a = host(0, 0), b = host(1, 0);
  ends_.on_url = [&](const std::string& url) {
    if (url == b) {
      ends_.give(a + "no\ttag=a@href\trule=deny x\toutcome=blocked-by-policy\n");
      ends_.give(url + "\toutcome=item\n");
    }
    page(url);
  };
  EXPECT_EQ(run_both({a}, {b}), 0);
  EXPECT_EQ(one_.frontier->statistics().refused, 0U);
  EXPECT_EQ(two_.frontier->statistics().refused, 1U);
  EXPECT_EQ(one_.frontier->statistics().items, 0U);
  EXPECT_EQ(two_.frontier->statistics().items, 1U);
}

TEST_F(TwoSharesTest, LinksThatCameWithoutTheirPageAreForgotten) {
  const std::string a = host(0, 0), b = host(1, 0);
  ends_.on_url = [&](const std::string& url) {
    if (ends_.lives > 1 || url == b) return page(url);
    ends_.give(a + "x\tdepth=1\tvia=" + url + "\n");
    ends_.die("was killed by signal 9");
  };
  EXPECT_EQ(run_both({a}, {b}), 0);
  EXPECT_EQ(times_asked(a + "x"), 0);
}

// Bug: of many partitions on a machine each made a commit of nearly every page.
TEST_F(TwoSharesTest, APartitionGathersPagesForACommitWhileOthersFillTheSlots) {
  std::vector<std::string> first, second;
  for (int i = 0; i < 200; ++i) {
    first.push_back(host(0, i % 10) + std::to_string(i));
    second.push_back(host(1, i % 10) + std::to_string(i));
  }
  company_.slots = frontier::Slots(8);
  std::vector<std::string> out;
  ends_.on_url = [&](const std::string& url) { out.push_back(url); };
  // One page a turn.
  ends_.on_wait = [&] {
    if (out.empty()) return;
    page(out.front());
    out.erase(out.begin());
  };
  EXPECT_EQ(run_both(first, second), 0);
  EXPECT_EQ(outcomes().size(), 400U);
  EXPECT_LT(one_.store.commits + two_.store.commits, 200);
}

// A page of this share is durable soon, and at once where there is nothing else to send.
TEST_F(TwoSharesTest, APageThatNobodyElseCanFollowIsCommittedWithTheTurn) {
  const std::string a = host(0, 0), b = host(1, 0);
  std::int64_t b_asked_ms = 0;
  ends_.on_url = [&](const std::string& url) {
    if (url == b) b_asked_ms = clock_.monotonic_ns() / 1'000'000;
    if (url != b)
      page(url, url == a ? std::vector<std::string>{a + "own"} : std::vector<std::string>());
  };
  std::int64_t own_asked_ms = 0;
  ends_.on_wait = [&] {
    if (times_asked(a + "own") == 0 || own_asked_ms != 0) return;
    own_asked_ms = clock_.monotonic_ns() / 1'000'000;
    page(b);
  };
  EXPECT_EQ(run_both({a}, {b}), 0);
  EXPECT_EQ(outcomes(), (Outcomes{{a, "ok"}, {b, "ok"}, {a + "own", "ok"}}));
  EXPECT_LE(own_asked_ms - b_asked_ms, 5);
}

// Bug: the page was committed without its links for other partitions, which nobody would ever have
// found again.
TEST_F(TwoSharesTest, APageThatCameBeforeAReadErrorIsKeptWithAllItsLinks) {
  const std::string a = host(0, 0), b = host(1, 0);
  ends_.on_url = [&](const std::string& url) {
    page(url, {a + "own", b + "theirs"});
    ends_.break_read(EIO);
  };
  EXPECT_EQ(run_both({a}, {}), 2);
  EXPECT_TRUE(said("cannot read the pipeline"));
  EXPECT_EQ(outcomes(), (Outcomes{{a, "ok"}}));
  EXPECT_EQ(one_.frontier->statistics().all.done, 1U);
  EXPECT_EQ(one_.neighbours.offered.size(), 1U);
  EXPECT_EQ(one_.neighbours.staged, 1U);
}

// Bug: where a partition had gone to another machine the line said 2,987,400,400,179,316,736 pages
// a second.
TEST_F(TwoSharesTest, TheProgressLineKeepsThePagesOfAShareThatHasGone) {
  const std::string a = host(0, 0), b = host(1, 0);
  ends_.on_url = [&](const std::string& url) { page(url); };
  EXPECT_EQ(run_both({a}, {b}), 0);
  Progress progress({.name = "t"}, clock_);
  Voice voice(*tool_, progress, /*shows_records=*/true);
  Shares shares(voice, &partitions_);
  shares.add(*one_.share);
  shares.add(*two_.share);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    clock_.advance_ms(10'000);
    shares.show_progress();
    shares.remove(*one_.share);
  }
  shares.finish_progress();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.starts_with("t: 2 pages, 0.20/s, ")) << said;
  EXPECT_NE(said.find("\nt: 2 pages, 0.01/s, "), std::string::npos) << said;
  EXPECT_NE(said.find("\nt: 2 pages, 0 B in 20 s (0.10/s); 0 waiting, 1 done, "), std::string::npos)
      << said;
}

// A URL that is alone in flight of its partition is not alone in the pipeline: a slow innocent one
// is in flight whenever the killer of the other partition strikes.
TEST_F(TwoSharesTest, AKillerInOneConvictsNoneOfTheOthers) {
  const std::string innocent = host(0, 0);
  std::vector<std::string> others;
  for (int i = 0; i < 8; ++i) others.push_back(host(1, i));
  const std::string killer = others[3];
  bool slow = false;
  const auto come_back = [&] {
    if (std::exchange(slow, false)) page(innocent);
  };
  ends_.on_url = [&](const std::string& url) {
    if (url == innocent) {
      slow = true;
    } else if (url == killer) {
      slow = false;
      ends_.die("was killed by signal 11");
    } else {
      page(url);
    }
  };
  ends_.on_close = come_back;
  EXPECT_EQ(run_both({innocent}, others), 0);
  Outcomes found = outcomes();
  EXPECT_EQ(found.extract(killer).mapped(), "aborted");
  EXPECT_EQ(found.size(), 8U);
  for (const auto& [url, outcome] : found) EXPECT_EQ(outcome, "ok") << url;
  // It was a suspect.
  EXPECT_GE(times_asked(innocent), 3);
}

TEST_F(TwoSharesTest, TogetherTheyHaveNoMoreInFlightThanOneMay) {
  company_.slots = frontier::Slots(1);
  std::vector<std::string> first, second;
  for (int i = 0; i < 20; ++i) {
    first.push_back(host(0, i));
    second.push_back(host(1, i));
  }
  std::size_t most = 0;
  ends_.on_url = [&](const std::string& url) {
    most = std::max(most, one_.frontier->in_flight() + two_.frontier->in_flight());
    page(url);
  };
  EXPECT_EQ(run_both(first, second), 0);
  EXPECT_LE(most, 5U);  // one that is known, four that are not
  EXPECT_EQ(outcomes().size(), 40U);
}

// URLs that go out together come back together, into one commit.
TEST_F(TwoSharesTest, FreeSlotsGoToOneAndTheNextTimeToTheOther) {
  company_.slots = frontier::Slots(1);
  std::vector<std::string> first, second;
  for (int i = 0; i < 20; ++i) {
    first.push_back(host(0, i));
    second.push_back(host(1, i));
  }
  EXPECT_EQ(run_both(first, second), 0);
  ASSERT_EQ(ends_.asked.size(), 40U);
  std::string whose;
  for (std::size_t i = 0; i < 16; ++i) {
    const bool of_one = std::find(first.begin(), first.end(), ends_.asked[i]) != first.end();
    whose += of_one ? '1' : '2';
  }
  EXPECT_EQ(whose, "1111222211112222");
}

TEST_F(TwoSharesTest, LinksOfOthersAndPagesWaitForAWhileWhereThereIsEnoughToDo) {
  one_.options.partitions = &partitions_;
  open(one_, {host(0, 0), host(0, 1)}, true);
  Share& share = *one_.share;
  const auto rest = [&] { return share.put_off_ms(clock_.monotonic_ns() / 1'000'000); };
  ASSERT_TRUE(share.commit().ok());
  EXPECT_EQ(rest(), INT64_MAX);
  one_.neighbours.come = true;
  EXPECT_EQ(rest(), 100);
  EXPECT_TRUE(share.is_put_off());
  EXPECT_FALSE(share.exhausted(false));
  clock_.advance_ms(60);
  EXPECT_EQ(rest(), 40);
  clock_.advance_ms(50);
  EXPECT_EQ(rest(), 0);
  ASSERT_TRUE(share.commit().ok());
  EXPECT_FALSE(share.is_put_off());
  EXPECT_EQ(rest(), INT64_MAX);
  // The result of a page has the same effect.
  frontier::Dispatch out;
  ASSERT_TRUE(share.next(out));
  ASSERT_TRUE(share.commit_flights().ok());
  frontier::Settled result;
  result.url = out.url;
  result.status = 200;
  share.take_result(out.url + "\tstatus=200\toutcome=ok", result);
  EXPECT_EQ(rest(), 100);
  EXPECT_EQ(share.uncommitted(), 1U);
  ASSERT_TRUE(share.commit().ok());
  EXPECT_EQ(share.uncommitted(), 0U);
}

// --- shares that come and go --------------------------------------------------------------------

// Calls a function of the test at the beginning of each turn.
class FakeLandlord : public Landlord {
 public:
  std::function<bool(Shares&)> on_look = [](Shares&) { return false; };
  std::vector<std::pair<std::uint32_t, bool>> given_up;  // each partition, and whether it was lost
  bool ended = false;

  bool look(Shares& shares) override {
    bool restart = on_look(shares);
    for (Share* const share : leaving_) {
      shares.remove(*share);
      restart = true;
    }
    leaving_.clear();
    return restart;
  }
  void give_up(Share& share, bool lost) override {
    share.give_up();
    given_up.emplace_back(share.partition(), lost);
    leaving_.push_back(&share);
  }
  bool over() override { return ended; }

 private:
  std::vector<Share*> leaving_;
};

class LandlordTest : public TwoSharesTest {
 protected:
  void open_both(const std::vector<std::string>& first, const std::vector<std::string>& second) {
    for (FakeShare* it : {&one_, &two_}) {
      it->options.partitions = &partitions_;
      it->options.company = &company_;
    }
    two_.options.partition = 1;
    open(one_, first, true);
    open(two_, second, true);
    options_.landlord = &landlord_;
  }
  // Adds both shares; what the first one sends has a deadline.
  void add_both(Deadlines& deadlines, const std::string& first, const std::string& second) {
    one_.deadlines = two_.deadlines = &deadlines;
    one_.neighbours.send_by = one_.neighbours.end_by = 50;
    open_both({first}, {second});
    shares_.add(*one_.share);
    shares_.add(*two_.share);
  }
  Shares shares_{*voice_, &partitions_};
  FakeLandlord landlord_;
};

TEST_F(LandlordTest, AShareThatComesLaterIsCrawledByTheSamePipeline) {
  const std::string a = host(0, 0), b = host(1, 0);
  open_both({a}, {b});
  one_.neighbours.all_idle =
      two_.neighbours.all_idle = [this] { return one_.neighbours.idle && two_.neighbours.idle; };
  shares_.add(*one_.share);
  landlord_.on_look = [&](Shares& shares) {
    if (shares.size() == 1 && times_asked(a) == 1) shares.add(*two_.share);
    return false;
  };
  EXPECT_EQ(run(shares_), 0);
  EXPECT_EQ(ends_.asked, (std::vector{a, b}));
  EXPECT_EQ(ends_.lives, 1);
}

TEST_F(LandlordTest, WithoutAShareItWaitsUntilNoneComes) {
  open_both({}, {});
  int turns = 0;
  landlord_.on_look = [&](Shares&) {
    landlord_.ended = ++turns > 50;
    return false;
  };
  EXPECT_EQ(run(shares_), 0);
  EXPECT_EQ(turns, 51);
  EXPECT_EQ(ends_.lives, 0);
}

// Each share has a part of the whole crawl's number of pages. Having none left for now does not end
// it.
TEST_F(LandlordTest, NoMoreGoesOutThanEachShareMayAndThatEndsTheRun) {
  std::vector<std::string> first, second;
  for (int i = 0; i < 5; ++i) {
    first.push_back(host(0, i));
    second.push_back(host(1, i));
  }
  open_both(first, second);
  one_.neighbours.all_idle =
      two_.neighbours.all_idle = [this] { return one_.neighbours.idle && two_.neighbours.idle; };
  shares_.add(*one_.share);
  shares_.add(*two_.share);
  int turns = 0;
  landlord_.on_look = [&](Shares& shares) {
    const bool may = ++turns >= 20, over = one_.share->pages() + two_.share->pages() == 7;
    for (Share* const share : shares) {
      share->limit(may ? share->partition() == 0 ? 4 : 3 : 0, over);
      if (!may) {
        EXPECT_TRUE(share->wants());
      }
    }
    return false;
  };
  ends_.on_url = [&](const std::string& url) {
    EXPECT_GE(turns, 20);
    page(url);
  };
  EXPECT_EQ(run(shares_), 0);
  EXPECT_EQ(ends_.asked.size(), 7U);
  EXPECT_EQ(outcomes().size(), 7U);
  EXPECT_EQ(one_.share->pages(), 4U);
}

// dedupe would take the links of a page whose result was not kept for repeats when that page is
// fetched again.
TEST_F(LandlordTest, OneThatIsLostGoesAloneAndThePipelineIsStartedAnew) {
  const std::string a = host(0, 0), b = host(1, 0);
  open_both({a, a + "2"}, {b});
  shares_.add(*one_.share);
  shares_.add(*two_.share);
  ends_.on_url = [&](const std::string& url) {
    if (url == b) {
      two_.neighbours.lost_text = "partition 1 is lost";
      return;
    }
    page(url);
  };
  // Its page comes back after all, with a link, when no share here owns it.
  ends_.on_close = [&] {
    if (ends_.lives == 1) page(b, {a + "late"});
  };
  // The other node sends this while the second pipeline runs.
  bool sent = false;
  landlord_.on_look = [&](Shares&) {
    if (ends_.lives == 2 && !std::exchange(sent, true)) {
      one_.frontier->offer({.url = a + "3"});
      one_.frontier->seal();
    }
    return false;
  };
  one_.neighbours.all_idle = [&] { return times_asked(a + "3") == 1; };
  EXPECT_EQ(run(shares_), 0);
  EXPECT_EQ(landlord_.given_up, (std::vector{std::pair{1U, true}}));
  EXPECT_TRUE(said("partition 1 is lost"));
  EXPECT_EQ(ends_.lives, 2);
  EXPECT_EQ(outcomes(), (Outcomes{{a, "ok"}, {a + "2", "ok"}, {a + "3", "ok"}}));
  EXPECT_EQ(times_asked(a + "late"), 0);
}

// All partitions of a machine stand still until the pipeline is empty.
TEST_F(LandlordTest, NoPageThatTakesLongHoldsUpAPipelineThatIsStartedAnew) {
  const std::string a = host(0, 0), b = host(1, 0);
  Result<Deadlines> deadlines = Deadlines::make(2);
  ASSERT_TRUE(deadlines.ok()) << deadlines.message();
  add_both(*deadlines, a, b);
  std::uint64_t name = 0;
  bool came = false;
  ends_.on_url = [&](const std::string& url) {
    const std::string_view field = find_raw_field(ends_.record, "by-lease").value_or("");
    if (url == a) name = parse_unsigned(field).value_or(0);
    if (url == b) two_.neighbours.lost_text = "partition 1 is lost";
    deadlines->put_off(0, 99);
  };
  ends_.on_wait = [&] { came = came || deadlines->of(name) == 99; };
  ends_.on_close = [&] {
    EXPECT_EQ(deadlines->of(name), 0);
    page(a);
  };
  EXPECT_EQ(run(shares_), 0);
  EXPECT_TRUE(came);
  EXPECT_EQ(outcomes(), (Outcomes{{a, "ok"}}));
}

// Bug: where all had been silent for ten seconds before, the pipeline was already running empty,
// and waited for the page that takes minutes.
TEST_F(LandlordTest, NorOneThatIsLetRunEmptyAlready) {
  const std::string a = host(0, 0), b = host(1, 0);
  Result<Deadlines> deadlines = Deadlines::make(2);
  ASSERT_TRUE(deadlines.ok()) << deadlines.message();
  add_both(*deadlines, a, b);
  std::uint64_t name = 0;
  ends_.on_url = [&](const std::string& url) {
    if (url == a)
      name = parse_unsigned(find_raw_field(ends_.record, "by-lease").value_or("")).value_or(0);
    deadlines->put_off(0, 99);
  };
  ends_.on_close = [&] {
    EXPECT_EQ(deadlines->of(name), 99);
    two_.neighbours.lost_text = "partition 1 is lost";
  };
  ends_.ends_when_closed = false;
  int waits = 0;
  ends_.on_wait = [&] {
    if (two_.neighbours.lost_text.empty() || ends_.lives != 1) return;
    if (deadlines->of(name) != 0 && ++waits < 100) return;
    page(a);
    ends_.die("ended with status 0", /*well=*/true);
  };
  EXPECT_EQ(run(shares_), 0);
  EXPECT_LT(waits, 100);
  EXPECT_EQ(outcomes(), (Outcomes{{a, "ok"}}));
}

TEST_F(LandlordTest, TroubleOfOneDiskIsThatOfOneShare) {
  const std::string a = host(0, 0), b = host(1, 0);
  open_both({a}, {b});
  shares_.add(*one_.share);
  shares_.add(*two_.share);
  ends_.on_url = [&](const std::string& url) {
    if (url == b) two_.store.fail_next_commit();
    page(url);
  };
  EXPECT_EQ(run(shares_), 0);
  EXPECT_EQ(landlord_.given_up, (std::vector{std::pair{1U, false}}));
  EXPECT_EQ(one_.frontier->statistics().pages, 1U);
}

}  // namespace
}  // namespace spinneret::loop
