// SPDX-License-Identifier: Apache-2.0
#include "dedupe/sorted_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "dedupe/fingerprint.h"
#include "dedupe/temporary_file.h"

namespace spinneret::dedupe {
namespace {

template <typename F>
F key_of(std::uint64_t high) {
  F key{};
  key.high = high;
  return key;
}

template <typename F>
Result<SortedRun<F>> write_run(RunFile& file, const std::vector<std::uint64_t>& highs) {
  return SortedRun<F>::write(file, {0, highs.size(), 0},
                             [&](const typename SortedRun<F>::Visit& visit) -> Status {
                               for (const std::uint64_t high : highs) visit(key_of<F>(high));
                               return {};
                             });
}

// Returns even keys, so that the odd keys beside them are absent. `crowded`: most are in a 256th of
// the range.
std::vector<std::uint64_t> even_keys(std::size_t count, bool crowded) {
  std::mt19937_64 random(count);
  std::vector<std::uint64_t> keys(count);
  for (auto& key : keys) {
    key = (random() | 2) & ~std::uint64_t{1};
    if (crowded && random() % 8 != 0) key = key >> 8 & ~std::uint64_t{1};
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

template <typename F>
void expect_all_found() {
  for (const bool crowded : {false, true}) {
    // Runs are written behind others, so that stretches and pages begin at any distance from each
    // other.
    RunFile file(temporary_folder());
    for (const std::size_t count : {1U, 200U, 333U, 5000U, 9000U}) {
      const auto keys = even_keys(count, crowded);
      const auto run = write_run<F>(file, keys);
      ASSERT_TRUE(run.ok());
      for (const std::uint64_t key : keys) {
        bool found = false;
        ASSERT_TRUE(run->contains(key_of<F>(key), found).ok());
        EXPECT_TRUE(found);
        ASSERT_TRUE(run->contains(key_of<F>(key + 1), found).ok());
        EXPECT_FALSE(found);
        ASSERT_TRUE(run->contains(key_of<F>(key - 1), found).ok());
        EXPECT_FALSE(found);
      }
    }
  }
}

// Mostly only one of the two pages in which a stretch lies is read; the answer must hold for the
// whole stretch.
TEST(SortedRun, finds_keys_on_either_side_of_a_page_s_end) {
  expect_all_found<Fingerprint64>();
  expect_all_found<Fingerprint128>();
}

// The runs can be searched meanwhile, and the result is the same however the merge is divided.
TEST(SortedRun, are_merged_piece_by_piece) {
  for (const std::uint64_t piece : {std::uint64_t{1}, std::uint64_t{4999}, UINT64_MAX}) {
    RunFile file(temporary_folder());
    std::vector<SortedRun<Fingerprint128>> runs;
    std::vector<const SortedRun<Fingerprint128>*> merged;
    std::vector<std::uint64_t> all;
    for (const std::size_t count : {1U, 3000U, 20'000U, 3001U}) {
      const auto keys = even_keys(count, false);
      all.insert(all.end(), keys.begin(), keys.end());
      auto run = write_run<Fingerprint128>(file, keys);
      ASSERT_TRUE(run.ok());
      runs.push_back(run.take());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const auto& run : runs) merged.push_back(&run);
    SortedRun<Fingerprint128>::Merger merger(file, {0, all.size(), 8}, merged);
    std::size_t steps = 0;
    for (bool done = false; !done; ++steps) {
      ASSERT_TRUE(merger.step(piece, done).ok());
      if (steps % 1000 != 0) continue;
      bool found = false;
      ASSERT_TRUE(runs[2].contains(key_of<Fingerprint128>(all[steps]), found).ok());
      ASSERT_TRUE(found || runs[1].contains(key_of<Fingerprint128>(all[steps]), found).ok());
      ASSERT_TRUE(found || runs[3].contains(key_of<Fingerprint128>(all[steps]), found).ok());
      EXPECT_TRUE(found || steps == 0);
    }
    EXPECT_EQ(steps, piece == 1 ? 26'002 : piece == UINT64_MAX ? 1U : 6U);
    const SortedRun<Fingerprint128> run = merger.take();
    std::vector<std::uint64_t> kept;
    ASSERT_TRUE(run.for_each([&](const Fingerprint128& key) { kept.push_back(key.high); }).ok());
    EXPECT_EQ(kept, all);
  }
}

TEST(SortedRun, one_bit_that_was_changed_is_told_by_who_reads_it) {
  RunFile file(temporary_folder());
  ASSERT_TRUE(write_run<Fingerprint128>(file, even_keys(77, false)).ok());
  const std::uint64_t begin = file.end();
  const auto keys = even_keys(20'000, false);
  const auto run = write_run<Fingerprint128>(file, keys);
  ASSERT_TRUE(run.ok());
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    const std::size_t number = random() % keys.size();
    const auto at = static_cast<off_t>(begin + number * sizeof(Fingerprint128) + random() % 16);
    char byte = 0;
    ASSERT_EQ(pread(file.fd(), &byte, 1, at), 1);
    const char bad = static_cast<char>(byte ^ 1 << random() % 8);
    ASSERT_EQ(pwrite(file.fd(), &bad, 1, at), 1);
    bool found = false;
    EXPECT_FALSE(run->contains(key_of<Fingerprint128>(keys[number]), found).ok()) << number;
    EXPECT_FALSE(run->for_each([](const Fingerprint128&) {}).ok());
    ASSERT_EQ(pwrite(file.fd(), &byte, 1, at), 1);
  }
  EXPECT_TRUE(run->for_each([](const Fingerprint128&) {}).ok());
}

}  // namespace
}  // namespace spinneret::dedupe
