// SPDX-License-Identifier: Apache-2.0
// Stores of keys of lines: those that forget by age, and their indexes.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/file.h"
#include "dedupe/seen_log.h"
#include "dedupe/seen_set.h"
#include "dedupe/store_tools.h"
#include "store_fixture.h"
#include "support/sanitized.h"

namespace spinneret::dedupe {
namespace {

// A store, its clock and its age, compared with a map of times.
class AgingTest : public StoreFixture {
 protected:
  SeenSetOptions aging(std::uint64_t max_age) const {
    SeenSetOptions options = stored();
    options.max_age = max_age;
    options.now = [this] { return now_; };
    return options;
  }
  std::int64_t now_ = 1'000'000'000;
};

TEST_F(AgingTest, what_came_too_long_ago_is_fresh_again_and_repeats_make_nothing_younger) {
  auto set = make(aging(10));
  EXPECT_EQ(insert(*set, {"a", "a"}), (std::vector<bool>{true, false}));
  now_ += 10;
  EXPECT_EQ(insert(*set, {"a", "b"}), (std::vector<bool>{false, true}));
  now_ += 1;
  EXPECT_EQ(insert(*set, {"a", "b", "a"}), (std::vector<bool>{true, false, false}));
  set.reset();
  now_ += 10;
  EXPECT_EQ(insert(*make(aging(10)), {"a", "b"}), (std::vector<bool>{false, true}));
  SeenSetOptions looks = aging(9);
  looks.read_only = true;
  set = make(looks);
  const std::string_view keys[] = {"a", "b"};
  bool fresh[2];
  ASSERT_TRUE(set->find_batch(keys, fresh).ok());
  EXPECT_TRUE(fresh[0] && !fresh[1]);
  set.reset();
  EXPECT_EQ(insert(*make(stored()), {"a", "b", "c"}), (std::vector<bool>{false, false, true}))
      << "without an age all is remembered";
  now_ -= 500;
  EXPECT_EQ(insert(*make(aging(1)), {"b"}), (std::vector<bool>{false})) << "a clock was set back";
}

TEST_F(AgingTest, is_as_a_map_of_times_says_over_runs_of_every_age) {
  for (const unsigned bits : {64U, 128U}) {
    std::filesystem::remove(path_);
    std::mt19937 random(bits);
    std::map<std::string, std::int64_t> last;
    for (int run = 0; run < 30; ++run) {
      SeenSetOptions options = aging(1 + random() % 40);
      options.bits = bits;
      const auto set = make(options);
      for (int batch = 0; batch < 20; ++batch) {
        now_ += random() % 5;
        std::vector<std::string> keys;
        std::vector<bool> expected;
        for (std::size_t i = random() % 50; i > 0; --i) {
          keys.push_back(std::to_string(random() % 200));
          const auto held = last.find(keys.back());
          expected.push_back(held == last.end() ||
                             now_ - held->second > static_cast<std::int64_t>(options.max_age));
          if (expected.back()) last[keys.back()] = now_;
        }
        ASSERT_EQ(insert(*set, keys), expected) << run;
      }
    }
    // Compaction keeps each key's last time, and drops keys from before a given one.
    const auto since = static_cast<std::uint64_t>(now_ - 100);
    const Result<LogStats> stats = compact_store(path_, since);
    ASSERT_TRUE(stats.ok()) << stats.message();
    std::uint64_t young = 0;
    for (const auto& [key, time] : last) young += static_cast<std::uint64_t>(time) >= since;
    EXPECT_EQ(stats->entries, young);
    const auto set = make(aging(50));
    for (const auto& [key, time] : last) {
      EXPECT_EQ(insert(*set, {key}), (std::vector<bool>{now_ - time > 50})) << key;
    }
  }
}

TEST_F(AgingTest, an_old_store_gets_the_time_of_its_last_change) {
  insert(*make(stored()), {"a", "b"});
  insert(*make(stored()), {"c"});
  EXPECT_NE(compact_store(path_, 1).message().find("--max-age"), std::string::npos);
  struct stat info {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  now_ = info.st_mtime + 100;
  SeenSetOptions looks = aging(50);
  looks.read_only = true;
  const std::string before = *read_file(path_);
  const std::string_view key = "a";
  bool fresh = false;
  ASSERT_TRUE(make(looks)->find_batch({&key, 1}, &fresh).ok());
  EXPECT_TRUE(fresh);
  EXPECT_EQ(*read_file(path_), before);
  EXPECT_EQ(insert(*make(aging(100)), {"a", "d"}), (std::vector<bool>{false, true}));
  ++now_;
  EXPECT_EQ(insert(*make(aging(100)), {"a", "c", "d"}), (std::vector<bool>{true, true, false}));
}

TEST_F(AgingTest, of_two_stores_the_later_time_is_merged) {
  SeenSetOptions other = aging(10);
  insert(*make(aging(10)), {"a", "b"});
  other.like = path_;
  other.store = folder_ + "/other";
  now_ += 5;
  insert(*make(other), {"a", "c"});
  ASSERT_EQ(*merge_stores(path_, other.store), 2U);
  ASSERT_EQ(*merge_stores(other.store, path_), 1U);
  now_ += 8;
  EXPECT_EQ(insert(*make(aging(10)), {"a", "b", "c"}), (std::vector<bool>{false, true, false}));
  SeenSetOptions untimed = stored();
  untimed.like = path_;
  untimed.store = folder_ + "/untimed";
  insert(*make(untimed), {"a"});
  EXPECT_NE(merge_stores(path_, untimed.store).message().find("--max-age"), std::string::npos);
}

// A store whose tables are so small that a few thousand keys make runs and merges, compared with a
// set of what it should hold.
class IndexTest : public StoreFixture {
 protected:
  // Options for a store that is opened by its index, or reads its whole log if there is none.
  SeenSetOptions small() const {
    SeenSetOptions options = stored();
    options.memory = std::uint64_t{1} << 17;
    return options;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    if (!std::filesystem::exists(path_ + ".index")) return names;
    for (const auto& entry : std::filesystem::directory_iterator(path_ + ".index")) {
      names.push_back(entry.path().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // Inserts keys of [0, range), some of which the store has, until an error, which is returned.
  Status insert_some(SeenSet& set, std::mt19937& random, unsigned range, int batches) {
    for (int i = 0; i < batches; ++i) {
      std::vector<std::string> keys(1 + random() % 900);
      for (std::string& key : keys) key = std::to_string(random() % range);
      const std::vector<std::string_view> views(keys.begin(), keys.end());
      const auto fresh = std::make_unique<bool[]>(keys.size());
      if (Status done = set.insert_batch(views, fresh.get()); !done.ok()) {
        unsure_.insert(keys.begin(), keys.end());
        return done;
      }
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const bool first = truth_.insert(keys[k]).second;
        if (!unsure_.contains(keys[k])) {
          EXPECT_EQ(fresh[k], first) << keys[k];
        }
      }
    }
    return {};
  }
  // The store must hold the keys of `truth_`, and may hold those of `unsure_`.
  void expect_all(const SeenSetOptions& options, bool exactly) {
    const auto set = make(options);
    std::vector<std::string> keys(truth_.begin(), truth_.end());
    keys.push_back("never");
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const auto fresh = std::make_unique<bool[]>(keys.size());
    ASSERT_TRUE(set->find_batch(views, fresh.get()).ok());
    EXPECT_EQ(std::find(fresh.get(), fresh.get() + truth_.size(), true),
              fresh.get() + truth_.size());
    EXPECT_TRUE(fresh[truth_.size()]);
    if (exactly) {
      EXPECT_EQ(store_figures(path_)->stats.entries, truth_.size());
    }
  }
  std::unordered_set<std::string> truth_;
  // The keys of the batch that an error ended.
  std::unordered_set<std::string> unsure_;
};

TEST_F(IndexTest, says_what_a_set_says_over_many_openings) {
  for (const unsigned bits : {64U, 128U}) {
    std::mt19937 random(bits);
    SeenSetOptions options = small();
    options.bits = bits;
    for (int opening = 0; opening < 12; ++opening) {
      // With and without a bound of memory, closed and killed, with runs and after somebody has
      // removed them.
      options.memory = opening % 3 == 2 ? 0 : std::uint64_t{1} << 17;
      const auto set = make(options);
      ASSERT_TRUE(insert_some(*set, random, 40'000, 20).ok());
      EXPECT_EQ(set->size(), truth_.size());
      if (opening % 4 != 3) {
        ASSERT_TRUE(set->close().ok());
      }
      if (opening == 8) std::filesystem::remove_all(path_ + ".index");
    }
    EXPECT_FALSE(files().empty());
    EXPECT_LT(files().size(), 16U) << "runs are merged";
    expect_all(options, true);
    options.read_only = true;
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{1} << 17}) {
      options.memory = memory;
      expect_all(options, true);
    }
    std::filesystem::remove_all(path_ + ".index");
    std::filesystem::remove(path_);
    truth_.clear();
  }
}

TEST_F(IndexTest, repeats_alone_make_no_run) {
  std::mt19937 random(3);
  auto set = make(small());
  ASSERT_TRUE(insert_some(*set, random, 5'000, 60).ok());
  ASSERT_TRUE(set->close().ok());
  const std::vector<std::string> before = files();
  ASSERT_TRUE(insert_some(*set, random, 5'000, 60).ok());
  ASSERT_TRUE(set->close().ok());
  EXPECT_LE(files().size(), before.size() + 1);
  set.reset();
  expect_all(small(), true);
}

// A run that is torn, cut, changed or another store's is made from the log again.
TEST_F(IndexTest, a_damaged_run_is_made_anew) {
  std::mt19937 random(4);
  {
    const auto set = make(small());
    ASSERT_TRUE(insert_some(*set, random, 1'000'000, 12).ok());
    ASSERT_TRUE(set->close().ok());
  }
  const std::vector<std::string> names = files();
  ASSERT_FALSE(names.empty());
  for (int round = 0; round < 60; ++round) {
    const std::string& name = names[random() % names.size()];
    const std::string whole = *read_file(name);
    // The last bytes are the footer's, and those before it the filter's and the tables'.
    const std::size_t at = whole.size() - 1 - random() % std::min<std::size_t>(whole.size(), 1500);
    std::string bad = whole.substr(0, round % 3 == 0 ? at : whole.size());
    if (round % 3 != 0) bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    ASSERT_TRUE(write_file_atomic(name, bad).ok());
    if (round % 10 == 0) std::filesystem::remove(name);
    SeenSetOptions options = small();
    options.read_only = round % 2 == 0;
    expect_all(options, true);
    ASSERT_TRUE(write_file_atomic(name, whole).ok());
  }
  for (const std::string& name : names) std::filesystem::copy_file(name, name + ".new");
  expect_all(small(), true);
  for (const std::string& name : files()) EXPECT_FALSE(name.ends_with(".new"));
  // A changed key is reported where it is read; the log is not touched.
  for (const std::string& name : names) {
    std::string bad = *read_file(name);
    for (std::size_t at = 5; at < bad.size() / 2; at += 512) bad[at] ^= 1;
    ASSERT_TRUE(write_file_atomic(name, bad).ok());
  }
  const auto set = make(small());
  Status status;
  for (const std::string& key : truth_) {
    const std::string_view view = key;
    bool fresh = false;
    if (status = set->find_batch({&view, 1}, &fresh); !status.ok()) break;
  }
  EXPECT_NE(status.message().find("remove it, and it is made anew"), std::string::npos);
}

TEST_F(IndexTest, bug_a_fifo_in_the_place_of_a_run_was_waited_for) {
  std::mt19937 random(8);
  {
    const auto set = make(small());
    ASSERT_TRUE(insert_some(*set, random, 1'000'000, 12).ok());
    ASSERT_TRUE(set->close().ok());
  }
  for (const std::string& name : files()) {
    ASSERT_EQ(unlink(name.c_str()), 0);
    ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  }
  SeenSetOptions options = small();
  options.read_only = true;
  expect_all(options, true);
  expect_all(small(), true);
}

// A store is used as before it had an index, by a user who may write to its log alone.
TEST_F(IndexTest, bug_a_store_was_refused_where_no_index_can_be_written) {
  ASSERT_TRUE(write_file_atomic(path_ + ".index", "in the way").ok());
  std::vector<std::string> keys(300'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = std::to_string(i);
  for (const bool first : {true, false}) {
    const auto set = make(stored());
    EXPECT_EQ(insert(*set, keys), std::vector<bool>(keys.size(), first));
    const Status done = set->close();
    EXPECT_TRUE(done.ok()) << done.message();
  }
  EXPECT_EQ(*read_file(path_ + ".index"), "in the way");
}

TEST_F(IndexTest, a_log_that_was_compacted_or_replaced_has_another) {
  std::mt19937 random(5);
  {
    const auto set = make(small());
    ASSERT_TRUE(insert_some(*set, random, 1'000'000, 12).ok());
    ASSERT_TRUE(set->close().ok());
  }
  ASSERT_TRUE(compact_store(path_).ok());
  expect_all(small(), true);
  std::filesystem::copy_file(path_, folder_ + "/old");
  std::filesystem::remove(path_);
  SeenSetOptions options = small();
  options.like = folder_ + "/old";
  EXPECT_EQ(insert(*make(options), {*truth_.begin(), "x"}), (std::vector<bool>{true, true}));
}

// 4.3 million keys are more than a table without a bound of memory takes.
TEST_F(IndexTest, bug_a_disk_that_was_full_for_the_index_alone_ended_the_work) {
  SeenSetOptions options = stored();
  bool full = false;
  options.fault = [&] { return full ? ENOSPC : 0; };
  std::vector<std::string> keys(300'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = std::to_string(i);
  {
    full = true;
    const auto set = make(options);
    EXPECT_EQ(insert(*set, keys), std::vector<bool>(keys.size(), true));
    EXPECT_EQ(set->report(), "");
    ASSERT_TRUE(set->close().ok());
    EXPECT_NE(set->report().find("No space left on device: the store goes on without"),
              std::string::npos);
  }
  full = false;
  {
    const auto set = make(options);
    EXPECT_EQ(insert(*set, {"0", "x", "299999"}), (std::vector<bool>{false, true, false}));
    ASSERT_TRUE(set->close().ok());
    EXPECT_EQ(set->report(), "");
  }
  EXPECT_EQ(files().size(), 1U);
  if (kSanitized) return;  // what follows would take a minute
  full = true;
  const auto set = make(options);
  for (int part = 1; part <= 15; ++part) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = std::to_string(i + keys.size() * static_cast<std::size_t>(part));
    }
    ASSERT_EQ(insert(*set, keys), std::vector<bool>(keys.size(), true)) << part;
  }
  ASSERT_EQ(insert(*set, keys), std::vector<bool>(keys.size(), false));
  EXPECT_EQ(insert(*set, {"7", "300001", "x", "y"}),
            (std::vector<bool>{false, false, false, true}));
  ASSERT_TRUE(set->close().ok());
  EXPECT_NE(set->report(), "");
}

// Each write, sync, rename and removal in turn fails, or the process is killed there. Keys that
// were reported as new are in the store, and the next opening succeeds.
TEST_F(IndexTest, any_call_may_fail_or_be_the_last) {
  for (const bool killed : {false, true}) {
    bool reached = true;
    for (int last = 1; reached; last += last < 14 ? 1 : 11) {
      std::filesystem::remove_all(path_ + ".index");
      std::filesystem::remove(path_);
      truth_.clear();
      unsure_.clear();
      std::atomic<int> calls = 0;
      SeenSetOptions options = small();
      options.fault = [&] {
        if (++calls != last) return 0;
        if (killed) raise(SIGKILL);
        return ENOSPC;
      };
      const auto work = [&](unsigned seed, int batches) {
        std::mt19937 random(seed);
        const auto set = make(options);
        Status done = insert_some(*set, random, 1'000'000, batches);
        return done.ok() ? set->close() : done;
      };
      if (!killed) {
        const Status done = work(6, 25);
        reached = calls >= last;
        if (!done.ok()) {
          EXPECT_NE(done.message().find("No space"), std::string::npos);
        }
      } else if (const pid_t child = fork(); child == 0) {
        _exit(work(6, 25).ok() ? 0 : 1);
      } else {
        int status = 0;
        waitpid(child, &status, 0);
        reached = !WIFEXITED(status);
        // What the killed process did is unknown, but what its log holds must be found.
      }
      if (killed) {
        std::filesystem::copy_file(path_, folder_ + "/twin",
                                   std::filesystem::copy_options::overwrite_existing);
        const std::uint64_t entries = store_figures(path_)->stats.entries;
        options.fault = nullptr;
        std::mt19937 random(6);
        const auto with = make(options);
        SeenSetOptions twin = options;
        twin.store = folder_ + "/twin";
        auto without = make(twin);
        EXPECT_EQ(with->size(), entries);
        for (int i = 0; i < 20; ++i) {
          std::vector<std::string> keys(1 + random() % 900);
          for (std::string& key : keys) key = std::to_string(random() % 1'000'000);
          ASSERT_EQ(insert(*with, keys), insert(*without, keys)) << last;
        }
        ASSERT_TRUE(with->close().ok());
        without.reset();
        std::filesystem::remove_all(folder_ + "/twin.index");
      } else {
        options.fault = nullptr;
        expect_all(options, false);
        ASSERT_TRUE(work(7, 5).ok());
        expect_all(options, false);
      }
    }
  }
}

}  // namespace
}  // namespace spinneret::dedupe
