// SPDX-License-Identifier: Apache-2.0
// --order: the votes of pages for those that they link to, and what goes first by them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "frontier/keys.h"
#include "frontier/order.h"
#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

class VotesTest : public FrontierTest {
 protected:
  VotesTest() {
    options_.politeness.delay_ms = 0;
    options_.politeness.factor_percent = 0;
  }
  void open_by(std::optional<Order> order) {
    options_.order = order;
    open();
    frontier_->assume_rules();
  }
  static std::string url(const std::string& path) { return "http://h.test" + path; }
  void link(const std::string& from, const std::string& to, std::uint32_t depth = 1) {
    ASSERT_EQ(frontier_->offer({.url = url(to), .depth = depth, .via = url(from)}),
              Frontier::Offer::kStaged);
  }
  // Sends the next page, settles it with these links, and returns its path.
  std::string visit(const std::map<std::string, std::vector<std::string>>& web,
                    Outcome outcome = Outcome::kOk) {
    const std::string sent = next();
    if (sent.empty()) return sent;
    const std::string path = sent.substr(url("").size());
    if (const auto at = web.find(path); at != web.end()) {
      for (const std::string& to : at->second) link(path, to, sent_.depth + 1);
    }
    settle(sent, outcome);
    return path;
  }
  std::string crawl(const std::map<std::string, std::vector<std::string>>& web) {
    std::string out;
    for (std::string path = visit(web); !path.empty(); path = visit(web)) out += path + " ";
    return out;
  }
  Votes votes(const std::string& path) { return row(url(path)).votes; }
};

const std::map<std::string, std::vector<std::string>> kWeb = {
    {"/", {"/a", "/b", "/c", "/d"}},
    {"/a", {"/d", "/late"}},
    {"/d", {"/rich"}},
    {"/late", {"/deep"}},
};

TEST(Order, RanksAreMonotonicAndStayInTheirBits) {
  for (const Order order : {Order::kInlinks, Order::kOpic}) {
    std::uint64_t last = kMostRank;
    for (std::uint64_t n = 0; n < std::uint64_t{1} << 40; n = n * 9 / 8 + 1) {
      Votes votes;
      if (order == Order::kOpic) {
        votes.cash = n;
      } else {
        votes.links = static_cast<std::uint32_t>(std::min<std::uint64_t>(n, UINT32_MAX));
      }
      const std::uint64_t rank = rank_of(order, 0, votes);
      EXPECT_LE(rank, last) << n;
      last = rank;
    }
    EXPECT_EQ(last, 0U);
  }
  EXPECT_NE(rank_of(Order::kInlinks, 0, {.links = 15}), rank_of(Order::kInlinks, 0, {.links = 16}));
  EXPECT_EQ(rank_of(Order::kBreadth, 5, {}), 5U);
  EXPECT_EQ(rank_of(Order::kBreadth, kCheckDepth + 2, {}), 2U);
  EXPECT_EQ(rank_of(Order::kPriority, 5, {9, 9, false}), 0U);
  const std::uint64_t arrival = arrival_of(kMostRank, (std::uint64_t{1} << 34) - 1);
  EXPECT_EQ(arrival, kMaxArrival);
  EXPECT_EQ(rank_in(arrival), kMostRank);
  EXPECT_EQ(number_in(arrival), (std::uint64_t{1} << 34) - 1);
  EXPECT_EQ(arrival_of(0, 77), 77U);
}

TEST(Order, ALinkFromASeedIsWorthAQuarterOfTheLinks) {
  for (std::uint32_t depth = 0; depth < 12; ++depth) {
    SCOPED_TRACE(depth);
    for (std::uint32_t links = 1; links < 2000; links = links * 3 / 2 + 1) {
      const std::uint64_t near = rank_of(Order::kInlinks, depth, {.links = links});
      const std::uint64_t far = rank_of(Order::kInlinks, depth + 1, {.links = links * 4});
      if (depth < 8) {
        EXPECT_EQ(far, near) << links;  // even for 12 links and 3
      } else {
        EXPECT_LT(far, near) << links;  // all that are deeper have their rank by votes
      }
      for (const Order order : {Order::kInlinks, Order::kOpic}) {
        const Votes votes{links * kUnitCash / 8, links, false};
        EXPECT_LE(rank_of(order, depth, votes), rank_of(order, depth + 1, votes)) << links;
      }
    }
  }
  EXPECT_LT(rank_of(Order::kInlinks, 1, {.links = 1}), rank_of(Order::kInlinks, 1, {}));
  // Cash from many pages is worth more than as much from one.
  EXPECT_LT(rank_of(Order::kOpic, 2, {kUnitCash, 2}), rank_of(Order::kOpic, 2, {kUnitCash, 1}));
  EXPECT_EQ(rank_of(Order::kOpic, 2, {kUnitCash, 64}), rank_of(Order::kOpic, 1, {kUnitCash, 1}));
  EXPECT_EQ(rank_of(Order::kOpic, 0, {UINT64_MAX, UINT32_MAX}), 0U);  // in a damaged row
}

TEST_F(VotesTest, EachOrderHasItsFirst) {
  const std::pair<Order, std::string> kExpected[] = {
      {Order::kPriority, "/ /a /b /c /d /late /rich /deep "},
      {Order::kBreadth, "/ /a /b /c /d /late /rich /deep "},
      {Order::kInlinks, "/ /a /d /b /c /late /rich /deep "},
      {Order::kOpic, "/ /a /d /b /c /rich /late /deep "},
  };
  for (const auto& [order, expected] : kExpected) {
    store_ = MemoryStore();
    open_by(order);
    seed({url("/")});
    EXPECT_EQ(crawl(kWeb), expected) << to_string(order);
    expect_in_order();
    EXPECT_EQ(votes("/d").links, counts_votes(order) ? 2U : 0U);
  }
}

TEST_F(VotesTest, BreadthGoesByDepthWhereArrivalsDoNot) {
  open_by(Order::kBreadth);
  seed({url("/")});
  EXPECT_EQ(visit({}), "/");
  link("/", "/deep", 7);
  link("/", "/near", 2);
  link("/", "/raised", 9);
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  link("/", "/raised", 1);
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(crawl({}), "/raised /near /deep ");
}

TEST_F(VotesTest, PriorityIsBeforeAllVotes) {
  open_by(Order::kInlinks);
  seed({url("/")});
  EXPECT_EQ(visit(kWeb), "/");
  EXPECT_EQ(visit(kWeb), "/a");
  ASSERT_EQ(frontier_->offer({.url = url("/c"), .priority = 2, .raises = true}),
            Frontier::Offer::kStaged);
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(visit(kWeb), "/c");
  EXPECT_EQ(visit(kWeb), "/d");
}

TEST_F(VotesTest, APageIsHeardOnceOfEachAndNotOfItself) {
  open_by(Order::kOpic);
  seed({url("/")});
  EXPECT_EQ(visit({{"/", {"/x", "/x#two", "/", "/y", "/x"}}}), "/");
  EXPECT_EQ(votes("/x").links, 1U);
  EXPECT_EQ(votes("/y").links, 1U);
  EXPECT_EQ(votes("/x").cash, share_of(0, 2));
  EXPECT_EQ(votes("/"), (Votes{0, 0, true}));
}

TEST_F(VotesTest, ASitemapsLinesAndThoseOfNobodyCountForNothing) {
  open_by(Order::kInlinks);
  frontier_->offer({.url = url("/sitemap.xml"), .is_sitemap = true});
  frontier_->seal();
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(visit({{"/sitemap.xml", {"/a"}}}), "/sitemap.xml");
  EXPECT_EQ(votes("/a").links, 0U);
  EXPECT_EQ(next(), url("/a"));
  link("/other", "/b");  // the page of this link gives no result
  settle(url("/a"));
  EXPECT_EQ(votes("/b").links, 0U);
}

TEST_F(VotesTest, NobodyPaysTwice) {
  options_.recrawl = *parse_recrawl("1s");
  options_.continuous = true;
  open_by(Order::kInlinks);
  seed({url("/"), url("/slow")});
  EXPECT_EQ(visit({{"/", {"/far"}}}), "/");
  EXPECT_EQ(votes("/far").links, 1U);
  // A result that comes twice: its links are known, and have no further effect.
  link("/", "/far");
  EXPECT_EQ(settle(url("/")), Verdict::kStranger);
  EXPECT_EQ(votes("/far").links, 1U);
  // It is killed before the commit: the page goes out again, and votes then.
  EXPECT_EQ(next(), url("/slow"));
  link("/slow", "/far");
  frontier_->settle({.url = url("/slow"), .status = 200});
  store_.drop_staged();
  open_by(Order::kInlinks);
  EXPECT_EQ(votes("/far").links, 1U);
  EXPECT_EQ(visit({{"/slow", {"/far"}}}), "/slow");
  EXPECT_EQ(votes("/far").links, 2U);
  // A further visit is not a further page: /far is still waiting, because a revisited page has its
  // first priority.
  clock_.advance_ms(2000);
  ASSERT_TRUE(frontier_->commit().ok());
  int seen = 0;
  for (int i = 0; i < 2; ++i) {
    const std::string sent = next();
    if (sent == url("/far")) continue;
    link(sent.substr(url("").size()), "/far");
    settle(sent);
    ++seen;
  }
  EXPECT_GE(seen, 1);
  EXPECT_EQ(votes("/far").links, 2U);
  expect_in_order();
}

TEST_F(VotesTest, AFailedTryKeepsWhatItWasGivenAlsoInThatVeryBatch) {
  options_.retry_delay_ms = 1000;
  open_by(Order::kInlinks);
  seed({url("/"), url("/two")});
  EXPECT_EQ(visit({{"/", {"/x"}}}), "/");
  options_.in_flight = 64;
  EXPECT_EQ(visit({{"/two", {"/x"}}}), "/two");
  EXPECT_EQ(votes("/x").links, 2U);
  EXPECT_EQ(next(), url("/x"));
  settle(url("/x"), Outcome::kServerError);
  EXPECT_EQ(votes("/x").links, 2U);
  clock_.advance_ms(2000);
  ASSERT_TRUE(frontier_->commit().ok());
  EXPECT_EQ(next(), url("/x"));
  settle(url("/x"));
  EXPECT_EQ(votes("/x"), (Votes{votes("/x").cash, 2, false}));
}

TEST_F(VotesTest, AnotherOrderTurnsTheQueuesAround) {
  open_by(Order::kInlinks);
  seed({url("/")});
  EXPECT_EQ(visit(kWeb), "/");
  EXPECT_EQ(visit(kWeb), "/a");
  for (const Order order : {Order::kBreadth, Order::kPriority, Order::kOpic}) {
    options_.order = order;
    reopen();
    expect_in_order();
  }
  options_.order = std::nullopt;  // the state's order
  reopen();
  frontier_->assume_rules();
  EXPECT_EQ(crawl(kWeb), "/d /b /c /rich /late /deep ");
}

// An older version left the queues with the same order's name, and other ranks.
TEST_F(VotesTest, QueuesOfAnOlderRuleAreTurnedAround) {
  open_by(Order::kBreadth);
  seed({url("/"), url("/too")});
  EXPECT_EQ(visit(kWeb), "/");
  EXPECT_EQ(visit({{"/too", {"/near"}}}), "/too");
  link("/", "/far", 3);
  frontier_->seal();
  ASSERT_TRUE(frontier_->close().ok());
  store_.put(Table::kMeta, "order", "inlinks");
  ASSERT_TRUE(store_.commit().ok());
  open_by(std::nullopt);  // the state's order
  expect_in_order();
  std::string name;
  ASSERT_TRUE(store_.get(Table::kMeta, "order", name));
  EXPECT_EQ(name, stored_name(Order::kInlinks));
}

TEST_F(VotesTest, AStateOfFormatSixIsOpenedAndOrdered) {
  open_by(std::nullopt);
  seed({url("/")});
  EXPECT_EQ(visit(kWeb), "/");
  ASSERT_TRUE(frontier_->close().ok());
  store_.put(Table::kMeta, "format", "\x06");
  store_.erase(Table::kMeta, "order");
  ASSERT_TRUE(store_.commit().ok());
  open_by(Order::kInlinks);
  frontier_->assume_rules();
  expect_in_order();
  std::string format;
  ASSERT_TRUE(store_.get(Table::kMeta, "format", format));
  EXPECT_EQ(format, encode_number(kFormat));
  EXPECT_EQ(crawl(kWeb), "/a /d /b /c /late /rich /deep ");
}

// The slow twin keeps sets of names: which pages have linked to which before their visit. The crawl
// beside it is killed at random.
TEST_F(VotesTest, SumsAreThoseOfDistinctPagesWhateverHappens) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto pick = [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
    std::vector<std::vector<unsigned>> web(40);
    for (auto& links : web) {
      for (unsigned i = pick(12); i != 0; --i) links.push_back(pick(40));
    }
    store_ = MemoryStore();
    options_.in_flight = 4;
    options_.politeness.per_host = 4;
    options_.retry_delay_ms = 1000;
    options_.tries = 9;
    options_.recrawl = seed % 2 == 0 ? Recrawl() : *parse_recrawl("10s");
    options_.continuous = seed % 2 != 0;
    open_by(seed % 3 == 0 ? Order::kInlinks : Order::kOpic);
    this->seed({url("/0"), url("/1"), url("/2")});
    std::vector<std::set<unsigned>> durable(40), staged;
    std::set<unsigned> visited, visited_now;
    staged = durable;
    std::vector<std::string> out;
    for (int step = 0; step < 300; ++step) {
      switch (pick(8)) {
        case 0:  // killed
          store_.drop_staged();
          open_by(options_.order);
          out.clear();
          staged = durable;
          visited_now = visited;
          break;
        case 1:
        case 2:
          ASSERT_TRUE(frontier_->commit().ok());
          durable = staged;
          visited = visited_now;
          break;
        case 3: clock_.advance_ms(1000 + pick(4000)); break;
        case 4:
        case 5:
          ASSERT_TRUE(frontier_->commit().ok());
          durable = staged;
          visited = visited_now;
          for (std::string sent = next(); !sent.empty(); sent = next()) out.push_back(sent);
          break;
        default: {
          if (out.empty()) break;
          const std::size_t at = pick(static_cast<unsigned>(out.size()));
          const std::string page = out[at];
          out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
          const auto number = static_cast<unsigned>(std::stoul(page.substr(url("/").size())));
          if (pick(5) == 0) {
            frontier_->settle({.url = page, .outcome = Outcome::kServerError, .status = 500});
            break;
          }
          const bool first = !visited_now.contains(number);
          for (const unsigned to : web[number]) {
            link("/" + std::to_string(number), "/" + std::to_string(to));
            // A page that is visited by the end of the batch gets no further votes.
            if (first && to != number) staged[to].insert(number);
          }
          visited_now.insert(number);
          frontier_->settle({.url = page, .status = 200});
          break;
        }
      }
    }
    ASSERT_TRUE(frontier_->commit().ok());
    expect_in_order();
    for (unsigned page = 0; page < 40; ++page) {
      const Result<std::optional<FoundUrl>> found =
          find_url(store_, url("/" + std::to_string(page)));
      ASSERT_TRUE(found.ok());
      if (!found->has_value()) continue;
      const Votes votes = (*found)->row.votes;
      if (!visited_now.contains(page)) {
        EXPECT_EQ(votes.links, staged[page].size()) << page;
      } else {
        EXPECT_LE(votes.links, staged[page].size()) << page;
      }
    }
  }
}

}  // namespace
}  // namespace spinneret::frontier
