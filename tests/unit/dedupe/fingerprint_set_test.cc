// SPDX-License-Identifier: Apache-2.0
// The sets of fingerprints, each against std::set.
#include "dedupe/fingerprint_set.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <vector>

#include "dedupe/blocked_filter.h"
#include "dedupe/sorted_run.h"
#include "dedupe/temporary_file.h"

namespace spinneret {
namespace {

template <typename F>
void expect_same_as_set(FingerprintSet<F>& set, std::uint64_t range, std::uint64_t count) {
  std::mt19937_64 random(range);
  std::set<std::uint64_t> twin;
  std::vector<F> keys;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < count;) {
    keys.clear();
    numbers.clear();
    for (std::size_t j = 0; j < 500; ++j, ++i) {
      // Half of them from all over the range, half from its lower end: old keys and recent ones.
      numbers.push_back(random() % 2 == 0 ? random() % range : i % range);
      std::mt19937_64 key(numbers.back());
      keys.push_back(fingerprint_of<F>({key(), key()}));
    }
    bool fresh[500];
    ASSERT_TRUE(set.find_batch(keys, fresh).ok());
    for (std::size_t j = 0; j < keys.size(); ++j) {
      ASSERT_EQ(fresh[j], !twin.contains(numbers[j])) << i << " " << j;
    }
    ASSERT_TRUE(set.insert_batch(keys, fresh).ok());
    for (std::size_t j = 0; j < keys.size(); ++j) {
      ASSERT_EQ(fresh[j], twin.insert(numbers[j]).second) << i << " " << j;
    }
  }
  EXPECT_EQ(set.size(), twin.size());
}

TEST(TableSet, is_a_set) {
  expect_same_as_set(*make_table_set<Fingerprint128>(), 50'000, 100'000);
  expect_same_as_set(*make_table_set<Fingerprint64>(1000), 50'000, 100'000);
}

// Some 30 spills and merges of eight runs, twice over.
TEST(SpillingSet, is_a_set_however_often_it_spills) {
  const auto wide = make_spilling_set<Fingerprint128>(std::uint64_t{1} << 19, temporary_folder());
  expect_same_as_set(*wide, 150'000, 200'000);
  const auto narrow = make_spilling_set<Fingerprint64>(std::uint64_t{1} << 19, temporary_folder());
  expect_same_as_set(*narrow, 150'000, 200'000);
}

TEST(SpillingSet, memory_stays_within_its_bound) {
  constexpr std::uint64_t kMemory = std::uint64_t{4} << 20;
  const auto set = make_spilling_set<Fingerprint128>(kMemory, temporary_folder());
  std::mt19937_64 random(1);
  std::vector<Fingerprint128> keys(1000);
  const auto fresh = std::make_unique<bool[]>(keys.size());
  for (int i = 0; i < 2000; ++i) {
    for (auto& key : keys) key = fingerprint_of<Fingerprint128>({random(), random()});
    ASSERT_TRUE(set->insert_batch(keys, fresh.get()).ok());
    ASSERT_LE(set->bytes(), kMemory);
  }
  EXPECT_EQ(set->size(), 2'000'000U);
}

TEST(SpillingSet, says_where_it_cannot_write) {
  const auto set = make_spilling_set<Fingerprint128>(std::uint64_t{1} << 18, "/nonexistent");
  std::mt19937_64 random(1);
  Status status;
  for (int i = 0; i < 100'000 && status.ok(); ++i) {
    const auto key = fingerprint_of<Fingerprint128>({random(), random()});
    bool fresh = false;
    status = set->insert_batch(std::span(&key, 1), &fresh);
  }
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("/nonexistent"), std::string::npos) << status.message();
}

TEST(SortedRun, finds_what_it_holds_and_nothing_else) {
  for (const std::uint64_t count : {0ULL, 1ULL, 255ULL, 256ULL, 257ULL, 5000ULL}) {
    const auto run = SortedRun<Fingerprint128>::write(
        temporary_folder(), [&](const SortedRun<Fingerprint128>::Visit& visit) -> Status {
          for (std::uint64_t i = 1; i <= count; ++i) visit({i / 3 + 1, i * 2});
          return {};
        });
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->size(), count);
    for (std::uint64_t i = 0; i <= count + 1; ++i) {
      bool found = false;
      ASSERT_TRUE(run->contains({i / 3 + 1, i * 2}, found).ok());
      EXPECT_EQ(found, i >= 1 && i <= count);
      ASSERT_TRUE(run->contains({i / 3 + 1, i * 2 + 1}, found).ok());
      EXPECT_FALSE(found);
    }
  }
}

TEST(BlockedFilter, forgets_nothing_and_errs_as_planned) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 20;
  for (const double rate : {0.1, 0.01, 0.0001}) {
    const FilterPlan plan = plan_filter(kBytes, rate);
    BlockedFilter filter(kBytes, plan.probes);
    std::mt19937_64 random(7);
    for (std::uint64_t i = 0; i < plan.capacity; ++i) {
      const std::uint64_t high = random();
      filter.insert(high, random());
    }
    std::mt19937_64 again(7);
    for (std::uint64_t i = 0; i < plan.capacity; ++i) {
      const std::uint64_t high = again();
      ASSERT_TRUE(filter.may_contain(high, again()));
    }
    constexpr int kTries = 1'000'000;
    int wrong = 0;
    for (int i = 0; i < kTries; ++i) {
      const std::uint64_t high = random();
      wrong += filter.may_contain(high, random());
    }
    const double measured = static_cast<double>(wrong) / kTries;
    EXPECT_LT(measured, rate * 1.5 + 5e-6);
    EXPECT_GT(measured, rate / 3 - 1e-5);
    EXPECT_NEAR(filter.false_rate() / rate, 1, 0.5);
  }
}

TEST(BlockedFilter, insert_tells_of_what_may_have_been_there) {
  BlockedFilter filter(1 << 16, 6);
  constexpr std::uint64_t kLow = 0x8BADF00D12345678;
  EXPECT_TRUE(filter.insert(1, kLow));
  EXPECT_FALSE(filter.insert(1, kLow));
  EXPECT_FALSE(filter.may_contain(1, ~kLow));
}

}  // namespace
}  // namespace spinneret
