// SPDX-License-Identifier: Apache-2.0
// For tests of a whole frontier, with an injected clock and a store in memory.
#ifndef SPINNERET_TESTS_UNIT_FRONTIER_FRONTIER_FIXTURE_H_
#define SPINNERET_TESTS_UNIT_FRONTIER_FRONTIER_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontier/frontier.h"
#include "frontier/inspect.h"
#include "frontier/memory_store.h"

namespace spinneret::frontier {

class FrontierTest : public testing::Test {
 protected:
  void open() {
    Result<std::unique_ptr<Frontier>> opened = Frontier::open(store_, clock_, options_);
    ASSERT_TRUE(opened.ok()) << opened.message();
    frontier_ = opened.take();
  }
  // Ends a run, and begins the next; open() alone is a crash.
  void reopen() {
    ASSERT_TRUE(frontier_->close().ok());
    open();
  }
  void seed(const std::vector<std::string>& urls) {
    for (const std::string& url : urls) {
      ASSERT_EQ(frontier_->offer({.url = url, .priority = kSeedPriority}),
                Frontier::Offer::kStaged);
    }
    frontier_->seal();
    ASSERT_TRUE(frontier_->commit().ok());
  }
  // Returns the next URL, or "" if there is none.
  std::string next() {
    if (!frontier_->next(sent_)) return "";
    EXPECT_TRUE(frontier_->commit_flights().ok());
    return sent_.url;
  }
  Verdict settle(Settled result) {
    const Verdict verdict = frontier_->settle(result).verdict;
    EXPECT_TRUE(frontier_->commit().ok());
    return verdict;
  }
  Verdict settle(const std::string& url, Outcome outcome = Outcome::kOk) {
    const bool heard = class_of(outcome) != OutcomeClass::kPersistent;
    return settle(Settled{
        .url = url, .outcome = outcome, .status = static_cast<std::uint16_t>(heard ? 200 : 0)});
  }
  void expect_in_order() {
    const Result<std::uint64_t> checked =
        verify(store_, [](const std::string& problem) { ADD_FAILURE() << problem; });
    EXPECT_TRUE(checked.ok());
  }
  UrlRow row(const std::string& url) {
    Result<std::optional<FoundUrl>> found = find_url(store_, url);
    EXPECT_TRUE(found.ok() && found->has_value()) << url;
    return found.ok() && found->has_value() ? (*found)->row : UrlRow();
  }

  MemoryStore store_;
  FakeClock clock_;
  Options options_;
  std::unique_ptr<Frontier> frontier_;
  Dispatch sent_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_TESTS_UNIT_FRONTIER_FRONTIER_FIXTURE_H_
