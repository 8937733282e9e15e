// SPDX-License-Identifier: Apache-2.0
#include "cluster/termination.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace spinneret::cluster {
namespace {

// Work, links in outboxes, and restores of older copies, with the sums that the first design
// compared.
struct Crawl {
  explicit Crawl(unsigned seed) : random(seed) { work[0] = 1; }
  struct Link {
    std::size_t from, to;
    bool taken = false;
  };
  std::minstd_rand random;
  std::size_t left = 10;
  std::vector<std::size_t> work = {0, 0, 0}, sent = {0, 0, 0}, received = {0, 0, 0};
  std::vector<std::shared_ptr<Link>> links, outbox[3];
  std::vector<Report> reports = std::vector<Report>(3);
  std::vector<std::uint64_t> activity = {0, 0, 0}, epoch = {1, 1, 1}, beat = {0, 0, 0};
  struct Copy {
    std::size_t work = 0, sent = 0, received = 0;
  };
  Copy copies[3];

  void step() {
    const std::size_t p = random() % 3, k = random() % 100;
    if (k < 35 && work[p] != 0) {
      --work[p];
      ++activity[p];
      for (std::size_t n = random() % 3; n != 0 && left != 0; --n, --left) {
        const std::size_t to = random() % 3;
        links.push_back(std::make_shared<Link>(Link{p, to}));
        outbox[p].push_back(links.back());
        ++sent[p];
      }
    } else if (k < 65 && !links.empty()) {
      Link& link = *links[random() % links.size()];
      if (link.taken) return;
      link.taken = true;
      ++received[link.to];
      ++work[link.to];
      ++activity[link.to];
    } else if (k < 75) {
      std::erase_if(outbox[p], [](const auto& link) { return link->taken; });
    } else if (k < 78) {
      copies[p] = {work[p], sent[p], received[p]};
      // The copy's page is fetched again; what it sent stays received.
    } else if (k < 80) {
      work[p] = copies[p].work + 1;
      sent[p] = copies[p].sent;
      received[p] = copies[p].received;
      ++epoch[p];
    } else {
      reports[p] = {epoch[p], epoch[p], ++beat[p], activity[p], work[p] == 0, outbox[p].empty()};
    }
  }
  bool over() const {
    bool quiet = true;
    for (std::size_t p = 0; p < 3; ++p) quiet = quiet && work[p] == 0;
    for (const auto& link : links) quiet = quiet && link->taken;
    return quiet;
  }
  bool sums_equal() const {
    return sent[0] + sent[1] + sent[2] == received[0] + received[1] + received[2];
  }
};

TEST(Termination, IsNeitherEarlyNorNeverThoughSumsAre) {
  int sums_early = 0, sums_never = 0;
  for (unsigned seed = 0; seed < 10'000; ++seed) {
    Crawl crawl(seed * 31 + 5);
    Termination over(3);
    bool said = false;
    for (int i = 0; i < 3000 && !said; ++i) {
      crawl.step();
      for (std::size_t p = 0; p < 3; ++p) crawl.reports[p].holder = crawl.epoch[p];
      if (i % 3 == 0) said = over.round(crawl.reports);
      sums_early += crawl.sums_equal() && !crawl.over();
    }
    EXPECT_TRUE(!said || crawl.over()) << "too early: " << seed;
    // Nothing happens any more. That must be recognised, though the sums may differ for ever.
    for (int i = 0; i < 4 && !said; ++i) {
      for (std::size_t p = 0; p < 3; ++p) {
        crawl.reports[p] = {crawl.epoch[p],    crawl.epoch[p], ++crawl.beat[p],
                            crawl.activity[p], true,           true};
      }
      said = over.round(crawl.reports);
    }
    EXPECT_TRUE(said) << "never: " << seed;
    sums_never += crawl.over() && !crawl.sums_equal();
  }
  EXPECT_GT(sums_early, 0);
  EXPECT_GT(sums_never, 0);
}

TEST(Termination, AsksForAReportThatIsNewer) {
  Termination over(2);
  std::vector<Report> reports = {{5, 5, 1, 9, true, true}, {6, 6, 1, 4, true, true}};
  EXPECT_FALSE(over.round(reports));
  // Both reports are as old as before, and so do not show what happened since.
  EXPECT_FALSE(over.round(reports));
  reports[0].beat = 2;
  EXPECT_FALSE(over.round(reports));
  reports[1].beat = 2;
  reports[1].holder = 7;  // in quarantine
  EXPECT_FALSE(over.round(reports));
  reports[1] = {7, 7, 3, 0, true, true};
  EXPECT_FALSE(over.round(reports));
  for (Report& one : reports) ++one.beat;
  EXPECT_TRUE(over.round(reports));
}

}  // namespace
}  // namespace spinneret::cluster
