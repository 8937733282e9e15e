// SPDX-License-Identifier: Apache-2.0
#include "dedupe/fingerprint_set.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "dedupe/blocked_filter.h"
#include "dedupe/fingerprint_table.h"
#include "dedupe/sorted_run.h"
#include "dedupe/temporary_file.h"
#include "support/temporary_folder.h"

namespace spinneret::dedupe {
namespace {

// Tests the sets of fingerprints, each against std::set.

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
      // Half of the keys are from the whole range, half from its lower end: old keys and recent
      // ones.
      numbers.push_back(random() % 2 == 0 ? random() % range : i % range);
      keys.push_back(fingerprint_of<F>(
          hash128({reinterpret_cast<const char*>(&numbers.back()), sizeof numbers.back()})));
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

// Makes some dozens of spills, and merges of four runs on several levels.
TEST(SpillingSet, is_a_set_however_often_it_spills) {
  const auto wide = make_spilling_set<Fingerprint128>(std::uint64_t{1} << 19, temporary_folder());
  expect_same_as_set(*wide, 150'000, 200'000);
  const auto narrow = make_spilling_set<Fingerprint64>(std::uint64_t{1} << 19, temporary_folder());
  expect_same_as_set(*narrow, 150'000, 200'000);
  // There are sixteen parts, of which some spill while another is merged.
  const auto parted = make_spilling_set<Fingerprint128>(std::uint64_t{8} << 20, temporary_folder());
  expect_same_as_set(*parted, 300'000, 400'000);
}

// Clocks prove nothing on a busy machine; the number of bytes that one call writes does.
TEST(SpillingSet, bug_a_batch_waited_for_a_whole_merge) {
  const auto written = [] {
    std::ifstream io("/proc/self/io");
    std::uint64_t bytes = 0;
    for (std::string name; io >> name && name != "wchar:";) continue;
    io >> bytes;
    return bytes;
  };
  const std::uint64_t start = written();
  const auto set = make_spilling_set<Fingerprint128>(std::uint64_t{4} << 20, temporary_folder());
  std::mt19937_64 random(1);
  std::vector<Fingerprint128> keys(512);
  const auto fresh = std::make_unique<bool[]>(keys.size());
  std::uint64_t most = 0;
  for (int i = 0; i < 4000; ++i) {
    for (auto& key : keys) key = fingerprint_of<Fingerprint128>({random(), random()});
    const std::uint64_t before = written();
    ASSERT_TRUE(set->insert_batch(keys, fresh.get()).ok());
    most = std::max(most, written() - before);
  }
  EXPECT_GT(written() - start, 4000U * 512 * 16 * 2) << "keys were merged";
  // A part has 4 MiB, all of which were merged at once.
  EXPECT_LT(most, std::uint64_t{1} << 20);
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

// Files are limited to some length, so that the disk is full in the middle of writing a run, or of
// a merge. All earlier answers are right, and the error names the failure and the file.
TEST(SpillingSet, a_full_disk_is_told_wherever_it_comes) {
  const TemporaryFolder temporary;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = signal(SIGXFSZ, SIG_IGN);
  std::set<std::uint64_t> lengths;
  for (rlim_t most = 4096; most < 1'600'000; most += 61'000) {
    const auto set = make_spilling_set<Fingerprint128>(std::uint64_t{1} << 19, temporary.path());
    std::mt19937_64 random(1);
    std::set<std::uint64_t> twin;
    rlimit limit = before;
    limit.rlim_cur = most;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    Status status;
    while (status.ok() && twin.size() < 150'000) {
      Fingerprint128 keys[100];
      bool fresh[100];
      for (auto& key : keys) {
        const std::uint64_t number = random() % 200'000;
        key = fingerprint_of<Fingerprint128>(
            hash128({reinterpret_cast<const char*>(&number), sizeof number}));
      }
      status = set->insert_batch(keys, fresh);
      for (std::size_t i = 0; status.ok() && i < std::size(keys); ++i) {
        EXPECT_EQ(fresh[i], twin.insert(keys[i].high).second);
      }
    }
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.message(),
              "cannot write a temporary file in " + temporary.path() + ": File too large");
    lengths.insert(twin.size());
  }
  EXPECT_GT(lengths.size(), 8U) << "in runs and in merges";
  signal(SIGXFSZ, ignored);
}

// A careless program could change the file like this, through /proc: no answer is made from what is
// there then.
TEST(SpillingSet, a_run_that_was_cut_or_changed_is_told) {
  for (const bool cut : {false, true}) {
    const TemporaryFolder temporary;
    const auto set = make_spilling_set<Fingerprint128>(std::uint64_t{1} << 19, temporary.path());
    std::mt19937_64 random(2);
    std::vector<Fingerprint128> keys(100'000);
    const auto fresh = std::make_unique<bool[]>(keys.size());
    for (auto& key : keys) key = fingerprint_of<Fingerprint128>({random(), random()});
    ASSERT_TRUE(set->insert_batch(keys, fresh.get()).ok());
    int changed = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code code;
      const std::string target = std::filesystem::read_symlink(entry.path(), code).string();
      if (!target.starts_with(temporary.path() + "/")) continue;
      const int fd = std::stoi(entry.path().filename().string());
      const auto size = static_cast<std::size_t>(lseek(fd, 0, SEEK_END));
      const std::string zeros(size, '\0');
      ASSERT_EQ(cut ? ftruncate(fd, 0) : pwrite(fd, zeros.data(), size, 0) < 0, 0);
      ++changed;
    }
    ASSERT_GT(changed, 0);
    Status status;
    for (std::size_t i = 0; i < keys.size() && status.ok(); i += 500) {
      status = set->find_batch(std::span(keys).subspan(i, 500), fresh.get());
    }
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find("temporary file in " + temporary.path()), std::string::npos)
        << status.message();
    EXPECT_NE(status.message().find(cut ? "cannot read" : "not as it was written"),
              std::string::npos)
        << status.message();
  }
}

// The parts of a table are forgotten one by one, and it remains a set all the while. Compared with
// std::set.
TEST(FingerprintTable, forgets_by_prefix) {
  for (const std::uint32_t depth : {0U, 1U, 6U}) {
    FingerprintTable<Fingerprint128> table(0, depth);
    std::set<std::pair<std::uint64_t, std::uint64_t>> twin;
    std::mt19937_64 random(depth);
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 3000; ++i) {
        const auto key =
            fingerprint_of<Fingerprint128>({random(), random() % 7 == 0 ? 0 : random()});
        EXPECT_EQ(table.insert(key), twin.emplace(key.high, key.low).second);
      }
      const std::uint64_t prefix = random() >> 1 >> (63 - depth);
      const auto in_part = [&](const auto& key) {
        return key.first >> 1 >> (63 - depth) == prefix;
      };
      std::vector<std::pair<std::uint64_t, std::uint64_t>> part;
      std::copy_if(twin.begin(), twin.end(), std::back_inserter(part), in_part);
      EXPECT_EQ(table.count(prefix, depth), part.size());
      std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
      table.for_each(prefix, depth,
                     [&](const Fingerprint128& key) { found.emplace_back(key.high, key.low); });
      EXPECT_EQ(found, part);
      table.forget(prefix, depth);
      std::erase_if(twin, in_part);
      ASSERT_EQ(table.size(), twin.size());
      EXPECT_EQ(table.count(prefix, depth), 0U);
      for (const auto& [high, low] : part) {
        Fingerprint128 key;
        key.high = high, key.low = low;
        ASSERT_EQ(table.find(key), nullptr);
      }
    }
    std::size_t rest = 0;
    table.for_each([&](const Fingerprint128&) { ++rest; });
    EXPECT_EQ(rest, twin.size());
  }
}

// Keys that are not uniform make long stretches; the answers are exact all the same.
TEST(SpillingSet, is_a_set_of_keys_that_are_not_uniform) {
  const auto set = make_spilling_set<Fingerprint128>(std::uint64_t{1} << 17, temporary_folder());
  std::set<std::uint64_t> twin;
  std::mt19937_64 random(3);
  std::vector<Fingerprint128> keys(40);
  bool fresh[40];
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> numbers(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      numbers[i] = random() % 9000;
      // Most keys are in one stretch.
      keys[i] = {numbers[i] % 9 == 0 ? (numbers[i] + 1) << 40 : 7, numbers[i]};
    }
    ASSERT_TRUE(set->insert_batch(keys, fresh).ok());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(fresh[i], twin.insert(numbers[i]).second) << round << " " << i;
    }
  }
  EXPECT_EQ(set->size(), twin.size());
}

// With more keys than memory has bytes for, the filters shrink, and the bound holds.
TEST(SpillingSet, memory_stays_within_its_bound_where_filters_shrink) {
  constexpr std::uint64_t kMemory = std::uint64_t{2} << 20;
  const auto set = make_spilling_set<Fingerprint64>(kMemory, temporary_folder());
  std::mt19937_64 random(1);
  std::vector<Fingerprint64> keys(1000);
  const auto fresh = std::make_unique<bool[]>(keys.size());
  for (int i = 0; i < 800; ++i) {
    for (auto& key : keys) key = fingerprint_of<Fingerprint64>({random(), random()});
    ASSERT_TRUE(set->insert_batch(keys, fresh.get()).ok());
    ASSERT_LE(set->bytes(), kMemory);
  }
  EXPECT_EQ(set->size(), 800'000U);
  std::mt19937_64 again(1);
  for (auto& key : keys) key = fingerprint_of<Fingerprint64>({again(), again()});
  ASSERT_TRUE(set->find_batch(keys, fresh.get()).ok());
  EXPECT_EQ(std::count(fresh.get(), fresh.get() + keys.size(), true), 0);
}

// A run that something has overwritten gives an error, not a wrong answer.
TEST(SortedRun, a_changed_file_is_noticed) {
  RunFile file(temporary_folder());
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> keys(20'000);
  for (auto& key : keys) key = random();
  std::sort(keys.begin(), keys.end());
  const auto run = SortedRun<Fingerprint64>::write(
      file, {0, keys.size(), 8}, [&](const SortedRun<Fingerprint64>::Visit& visit) -> Status {
        for (const std::uint64_t key : keys) visit({key});
        return {};
      });
  ASSERT_TRUE(run.ok());
  bool found = false;
  ASSERT_TRUE(run->contains({keys[9000]}, found).ok());
  EXPECT_TRUE(found);
  const std::string zeros(keys.size() * 8, '\0');
  ASSERT_EQ(pwrite(run->file().fd(), zeros.data(), zeros.size(), 0), std::ssize(zeros));
  const Status changed = run->contains({keys[9000]}, found);
  ASSERT_FALSE(changed.ok());
  EXPECT_NE(changed.message().find("not as it was written"), std::string::npos);
  ASSERT_EQ(ftruncate(run->file().fd(), 0), 0);
  EXPECT_FALSE(run->contains({keys[9000]}, found).ok());
}

TEST(SortedRun, finds_what_it_holds_and_nothing_else) {
  for (const std::uint64_t count : {0ULL, 1ULL, 255ULL, 256ULL, 257ULL, 5000ULL}) {
    RunFile file(temporary_folder());
    const auto run = SortedRun<Fingerprint128>::write(
        file, {0, count, 8}, [&](const SortedRun<Fingerprint128>::Visit& visit) -> Status {
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

using Key = std::pair<std::uint64_t, std::uint64_t>;

Fingerprint128 key128(std::uint64_t high, std::uint64_t low) {
  Fingerprint128 key;
  key.high = high;
  key.low = low;
  return key;
}

// Compares with the slow twin, a std::set, over the same keys, in batches of odd sizes.
void expect_same_as_set(const std::vector<Fingerprint128>& keys) {
  FingerprintTable<Fingerprint128> table;
  std::set<Key> twin;
  std::size_t size = 1;
  for (std::size_t i = 0; i < keys.size(); i += size, size = size * 7 % 1013 + 1) {
    const std::size_t count = std::min(size, keys.size() - i);
    const auto fresh = std::make_unique<bool[]>(count);
    table.insert_batch(std::span(keys).subspan(i, count), fresh.get());
    for (std::size_t j = 0; j < count; ++j) {
      ASSERT_EQ(fresh[j], twin.emplace(keys[i + j].high, keys[i + j].low).second) << i + j;
    }
  }
  EXPECT_EQ(table.size(), twin.size());
  auto expected = twin.begin();
  table.for_each([&](const Fingerprint128& key) {
    ASSERT_NE(expected, twin.end());
    EXPECT_EQ(Key(key.high, key.low), *expected++);
  });
  EXPECT_EQ(expected, twin.end());
  for (const auto& [high, low] : twin) {
    ASSERT_NE(table.find(key128(high, low)), nullptr);
    ASSERT_EQ(table.find(key128(high, ~low)) != nullptr, twin.contains({high, ~low}));
  }
}

TEST(FingerprintTable, empty) {
  FingerprintTable<Fingerprint128> table;
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find(key128(1, 1)), nullptr);
  table.for_each([](const Fingerprint128&) { FAIL(); });
}

TEST(FingerprintTable, uniform_keys_with_repeats) {
  for (const std::uint64_t range : {10ULL, 1000ULL, 100'000ULL, 150'000ULL}) {
    std::mt19937_64 random(range);
    std::vector<Fingerprint128> universe(range);
    for (auto& key : universe) key = fingerprint_of<Fingerprint128>({random(), random()});
    std::vector<Fingerprint128> keys(range * 2);
    for (auto& key : keys) key = universe[random() % range];
    expect_same_as_set(keys);
  }
}

// No seeded hash gives such keys, but a file may hold any.
TEST(FingerprintTable, keys_that_are_not_uniform) {
  std::vector<Fingerprint128> ascending;
  std::vector<Fingerprint128> all_at_the_end;
  std::vector<Fingerprint128> same_high;
  std::vector<Fingerprint128> descending;
  std::vector<Fingerprint128> two_clusters;
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    ascending.push_back(key128(i, 0));
    all_at_the_end.push_back(key128(UINT64_MAX - 20'000 + i, i));
    same_high.push_back(key128(7, i * 0x9E3779B97F4A7C15));
    descending.push_back(key128(UINT64_MAX - i, i));
    two_clusters.push_back(key128((i % 2 << 63) + i, i));
  }
  expect_same_as_set(ascending);
  expect_same_as_set(all_at_the_end);
  same_high.resize(3000);  // such keys make it quadratic
  expect_same_as_set(same_high);
  expect_same_as_set(descending);
  expect_same_as_set(two_clusters);
}

TEST(FingerprintTable, first_and_last_key) {
  expect_same_as_set({key128(1, 0), key128(UINT64_MAX, UINT64_MAX), key128(1, 0), key128(1, 1),
                      key128(UINT64_MAX, 0), key128(UINT64_MAX, UINT64_MAX)});
}

TEST(FingerprintTable, a_hash_of_zero_is_kept) {
  FingerprintTable<Fingerprint128> table;
  EXPECT_TRUE(table.insert(fingerprint_of<Fingerprint128>({0, 0})));
  EXPECT_FALSE(table.insert(fingerprint_of<Fingerprint128>({0, 0})));
}

TEST(FingerprintTable, room_laid_out_at_once) {
  for (const std::uint64_t expected : {1ULL, 1000ULL, 300'000ULL}) {
    FingerprintTable<Fingerprint64> table(expected);
    std::mt19937_64 random(expected);
    std::set<std::uint64_t> twin;
    for (std::uint64_t i = 0; i < expected * 3; ++i) {
      const auto key = fingerprint_of<Fingerprint64>({0, random()});
      EXPECT_EQ(table.insert(key), twin.insert(key.high).second);
    }
    EXPECT_EQ(table.size(), twin.size());
  }
}

TEST(FingerprintTable, values_stay_with_their_keys_through_growth) {
  FingerprintTable<ValuedFingerprint> table;
  std::mt19937_64 random(5);
  std::map<Key, std::uint64_t> twin;
  for (int i = 0; i < 200'000; ++i) {
    ValuedFingerprint key;
    key.high = random() % 50'000 * 0x0001'4000'0000'0000 + 1;
    key.low = random() % 3;
    bool fresh = false;
    ++table.find_or_insert(key, fresh).value;
    ++twin[{key.high, key.low}];
  }
  for (const auto& [key, count] : twin) {
    ValuedFingerprint wanted;
    wanted.high = key.first;
    wanted.low = key.second;
    ASSERT_NE(table.find(wanted), nullptr);
    EXPECT_EQ(table.find(wanted)->value, count);
  }
}

TEST(FingerprintTable, clear_starts_afresh) {
  FingerprintTable<Fingerprint128> table;
  std::mt19937_64 random(9);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100'000; ++i) {
      EXPECT_TRUE(table.insert(fingerprint_of<Fingerprint128>({random(), random()})));
    }
    EXPECT_EQ(table.size(), 100'000U);
    table.clear();
    EXPECT_EQ(table.size(), 0U);
  }
}

// The manual promises 22 bytes a key and 12, at any size, and growth in small steps.
TEST(FingerprintTable, memory_follows_the_keys) {
  FingerprintTable<Fingerprint128> wide;
  FingerprintTable<Fingerprint64> narrow;
  std::mt19937_64 random(3);
  std::uint64_t before = 0;
  for (std::uint64_t i = 1; i <= 3'000'000; ++i) {
    wide.insert(fingerprint_of<Fingerprint128>({random(), random()}));
    narrow.insert(fingerprint_of<Fingerprint64>({random(), random()}));
    if (i < 200'000 || i % 10'000 != 0) continue;
    // One scratch region is a fixed cost.
    EXPECT_LE(wide.bytes(), i * 22 + (256 << 10)) << i;
    EXPECT_LE(narrow.bytes(), i * 12 + (256 << 10)) << i;
    if (before != 0) {
      EXPECT_LE(wide.bytes() - std::min(wide.bytes(), before), std::uint64_t{4} << 20) << i;
    }
    before = wide.bytes();
  }
}

}  // namespace
}  // namespace spinneret::dedupe
