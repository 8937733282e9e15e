// SPDX-License-Identifier: Apache-2.0
// The pages that link to URLs: each is stored once where it links to several, and can be read by
// anyone, whatever becomes of the URL.
#include "frontier/vias.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontier/encode.h"
#include "frontier/order.h"
#include "frontier/upkeep.h"
#include "unit/frontier/frontier_fixture.h"

namespace spinneret::frontier {
namespace {

constexpr const char* kList = "http://a.test/list";
constexpr const char* kOther = "http://b.test/other";

class ViasTest : public FrontierTest {
 protected:
  // Each URL, and the page that links to it.
  using Links = std::vector<std::pair<std::string, std::string>>;
  void admit(const Links& links) {
    for (const auto& [url, via] : links) frontier_->offer({.url = url, .depth = 1, .via = via});
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
  }
  std::vector<std::string> via_rows() const {
    std::vector<std::string> out;
    for (const auto& [key, bytes] : store_.rows(Table::kUrls)) {
      if (is_via_key(key)) out.push_back(bytes);
    }
    return out;
  }
  std::size_t queue_bytes() const {
    std::size_t sum = 0;
    for (const auto& [key, bytes] : store_.rows(Table::kQueue)) sum += bytes.size();
    return sum;
  }
  // Returns the linking pages as --export does, without what a move changes.
  std::map<std::string, std::string> vias() {
    std::map<std::string, std::string> out;
    EXPECT_TRUE(for_each_host(store_, [&](const HostEntry& host) {
                  const auto each = [&](std::string_view rest, const UrlRow& row) {
                    out[join_url(host.origin, rest)] = row.via;
                    return true;
                  };
                  return for_each_url(store_, host, each).ok();
                }).ok());
    return out;
  }
  // Visits all URLs, and returns the page where each was reported to be found.
  std::map<std::string, std::string> visit_all() {
    std::map<std::string, std::string> said;
    frontier_->assume_rules();
    for (int turn = 0; turn < 1000 && !frontier_->exhausted(); ++turn) {
      while (frontier_->next(sent_)) {
        const Settlement found = frontier_->settle({.url = sent_.url, .status = 200});
        EXPECT_EQ(found.verdict, Verdict::kFinal);
        said[sent_.url] = found.row.via;
      }
      EXPECT_TRUE(frontier_->commit().ok());
      clock_.advance_ms(60'000);
    }
    return said;
  }
};

TEST_F(ViasTest, APageOfManyLinksIsNamedOnceAndOneOfFewWithEach) {
  open();
  const Links links = {{"http://a.test/1", kList},  {"http://b.test/2", kList},
                       {"http://a.test/3", kList},  {"http://a.test/4", kOther},
                       {"http://b.test/5", kOther}, {"http://c.test/6", ""}};
  const std::map<std::string, std::string> expected(links.begin(), links.end());
  admit(links);
  EXPECT_EQ(via_rows(), std::vector<std::string>{kList});
  EXPECT_EQ(vias(), expected);
  EXPECT_EQ(row("http://b.test/2").via, kList);
  expect_in_order();
  EXPECT_EQ(visit_all(), expected);
  EXPECT_EQ(vias(), expected);
  EXPECT_EQ(via_rows().size(), 1U);
  expect_in_order();
}

// With 100 links each entry has a byte for the page, and no more.
TEST_F(ViasTest, AnEntryNamesItByAByte) {
  open();
  Links links;
  std::size_t rests = 0;
  for (int i = 0; i < 100; ++i) {
    links.emplace_back("http://a.test/" + std::to_string(100 + i), kOther);
    rests += 4;
  }
  admit(links);
  EXPECT_EQ(queue_bytes(), rests + 100 * (1 + 1 + 5 + 1));  // flags, depth, when, and where
}

// A link that is known, comes twice or has no page makes no difference when it stands between new
// ones.
TEST_F(ViasTest, OnlyNewLinksOfOnePageBehindOneAnotherCount) {
  open();
  admit({{"http://a.test/1", ""}, {"http://a.test/2", ""}});
  admit({{"http://a.test/1", kList},
         {"http://a.test/3", kList},
         {"http://a.test/2", kList},
         {"http://a.test/4", kList},
         {"http://a.test/3", kList}});
  EXPECT_TRUE(via_rows().empty());
  admit({{"http://a.test/5", kList},
         {"http://a.test/6", ""},
         {"http://a.test/1", kOther},
         {"http://a.test/7", kList},
         {"http://a.test/8", kList},
         {"http://a.test/9", kOther}});
  EXPECT_EQ(via_rows().size(), 1U);
  const auto found = vias();
  EXPECT_EQ(found.at("http://a.test/6"), "");
  for (const char* const url : {"http://a.test/5", "http://a.test/7", "http://a.test/8"})
    EXPECT_EQ(found.at(url), kList);
  EXPECT_EQ(found.at("http://a.test/9"), kOther);
  EXPECT_EQ(found.at("http://a.test/1"), "");
  expect_in_order();
}

// A URL's place changes, and with it the distance of its page's number from its own.
TEST_F(ViasTest, AUrlThatMovesFailsOrIsVisitedAgainKeepsIt) {
  for (const Order order : {Order::kPriority, Order::kBreadth, Order::kInlinks, Order::kOpic}) {
    store_ = MemoryStore();
    options_.order = order;
    options_.retry_delay_ms = 1000;
    open();
    Links links;
    for (int i = 0; i < 6; ++i) links.emplace_back("http://a.test/" + std::to_string(i), kOther);
    admit(links);
    // Links bring a shorter way, a better priority, and other pages' votes.
    frontier_->offer({.url = links[4].first, .depth = 0, .via = kList});
    frontier_->offer({.url = links[5].first, .depth = 9, .priority = 0, .raises = true});
    for (int i = 0; i < 9; ++i)
      frontier_->offer({.url = links[3].first, .depth = 1, .via = "http://v" + std::to_string(i)});
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
    frontier_->assume_rules();
    settle(next(), Outcome::kServerError);
    expect_in_order();
    reopen();
    options_.order = Order::kPriority;
    open();  // in another order
    for (const auto& [url, via] : vias()) EXPECT_EQ(via, kOther) << url;
    for (const auto& [url, via] : visit_all()) EXPECT_EQ(via, kOther) << url;
    expect_in_order();
    Result<Upkeep> upkeep = Upkeep::open(store_);
    const std::vector<Outcome> outcomes = {Outcome::kOk};
    ASSERT_TRUE(upkeep.ok() && upkeep->clear_outcomes(outcomes).ok());
    for (const auto& [url, via] : vias()) EXPECT_EQ(via, kOther) << url;
    expect_in_order();
  }
}

TEST_F(ViasTest, ARowThatIsLostIsToldAndNamedNoMore) {
  open();
  Links links;
  for (int i = 0; i < 9; ++i) links.emplace_back("http://a.test/" + std::to_string(i), kList);
  admit(links);
  frontier_->assume_rules();
  for (int i = 0; i < 3; ++i) {
    settle(next());
    clock_.advance_ms(60'000);
  }
  reopen();
  ASSERT_TRUE(frontier_->close().ok());
  for (const auto& [key, bytes] : MemoryStore::Rows(store_.rows(Table::kUrls))) {
    if (is_via_key(key)) store_.erase(Table::kUrls, key);
  }
  ASSERT_TRUE(store_.commit().ok());
  const auto count = [this] {
    int problems = 0;
    EXPECT_TRUE(verify(store_, [&](const std::string&) { ++problems; }).ok());
    return problems;
  };
  EXPECT_EQ(count(), 9);
  Result<Upkeep> upkeep = Upkeep::open(store_);
  ASSERT_TRUE(upkeep.ok() && upkeep->repair().ok());
  EXPECT_EQ(count(), 0);
  const auto found = vias();
  EXPECT_EQ(found.size(), 9U);
  for (const auto& [url, via] : found) EXPECT_EQ(via, "") << url;
  open();
  EXPECT_EQ(visit_all().size(), 6U);
}

// A state of format 8 has no such rows, and needs none.
TEST_F(ViasTest, AStateOfFormat8IsTakenAsItIs) {
  open();
  admit({{"http://a.test/1", kList}, {"http://a.test/2", kList}});
  ASSERT_TRUE(frontier_->close().ok());
  store_.put(Table::kMeta, kFormatKey, encode_number(8));
  ASSERT_TRUE(store_.commit().ok());
  const auto before = vias();
  const MemoryStore::Rows rows = store_.rows(Table::kUrls);
  open();
  EXPECT_EQ(vias(), before);
  EXPECT_TRUE(store_.rows(Table::kUrls) == rows);
  std::string bytes;
  ASSERT_TRUE(store_.get(Table::kMeta, kFormatKey, bytes));
  EXPECT_EQ(bytes, encode_number(kFormat));
}

}  // namespace
}  // namespace spinneret::frontier
