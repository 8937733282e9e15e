// SPDX-License-Identifier: Apache-2.0
// The store's file: cut at every byte, changed at every byte, written by two processes.
#include "dedupe/seen_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "dedupe/store_tools.h"
#include "support/temporary_folder.h"

namespace spinneret::dedupe {
namespace {

class SeenLogTest : public ::testing::Test {
 protected:
  // Writes entries of 8 bytes, in three blocks of 1, 2 and 3.
  std::string small_store() {
    const LogHeader header{8, false, 42, "url"};
    Result<SeenLog> log = SeenLog::open(path_, SeenLog::Mode::kAppend, header, ignore);
    EXPECT_TRUE(log.ok());
    EXPECT_TRUE(log->append({"entry-1.", 1}, false).ok());
    EXPECT_TRUE(log->append({"entry-2.entry-3.", 2}, true).ok());
    EXPECT_TRUE(log->append({"entry-4.entry-5.entry-6.", 3}, false).ok());
    return *read_file(path_);
  }

  void put(const std::string& bytes) { ASSERT_TRUE(write_file_atomic(path_, bytes).ok()); }

  static void ignore(const LogBlock&) {}

  // Returns all payloads joined, or the error of opening.
  Result<std::string> content(SeenLog::Mode mode, LogStats* stats = nullptr) {
    std::string all;
    const LogHeader header{8, false, 7, "url"};
    Result<SeenLog> log =
        SeenLog::open(path_, mode, header, [&](const LogBlock& block) { all += block.payload; });
    if (!log.ok()) return log.error();
    if (stats != nullptr) *stats = log->stats();
    return all;
  }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
  std::string path_ = temporary_.file("store");
};

constexpr char kAll[] = "entry-1.entry-2.entry-3.entry-4.entry-5.entry-6.";
// The ends of the header and of each block.
constexpr std::size_t kEnds[] = {256, 256 + 40, 256 + 40 + 48, 256 + 40 + 48 + 56};
constexpr std::size_t kEntriesBytes[] = {0, 8, 24, 48};

TEST_F(SeenLogTest, comes_back_as_written) {
  small_store();
  LogStats stats;
  EXPECT_EQ(*content(SeenLog::Mode::kRead, &stats), kAll);
  EXPECT_EQ(stats.entries, 6U);
  EXPECT_EQ(stats.blocks, 3U);
  EXPECT_EQ(stats.torn_bytes, 0U);
  const Result<LogHeader> header = SeenLog::read_header(path_);
  EXPECT_EQ(*header, (LogHeader{8, false, 42, "url"}));
}

// A crash may cut the file anywhere: whole blocks stay, a torn one goes, and the next writer goes
// on.
TEST_F(SeenLogTest, cut_at_every_byte_nothing_whole_is_lost_and_nothing_invented) {
  const std::string whole = small_store();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    put(whole.substr(0, size));
    std::size_t blocks = 0;
    while (blocks < 3 && size >= kEnds[blocks + 1]) ++blocks;
    const std::string expected = std::string(kAll).substr(0, kEntriesBytes[blocks]);
    if (size >= 256) {
      LogStats stats;
      EXPECT_EQ(*content(SeenLog::Mode::kRead, &stats), expected) << size;
      EXPECT_EQ(stats.torn_bytes, size - kEnds[blocks]) << size;
    }
    {
      Result<SeenLog> log =
          SeenLog::open(path_, SeenLog::Mode::kAppend, {8, false, 7, "url"}, ignore);
      ASSERT_TRUE(log.ok()) << size << log.message();
      EXPECT_EQ(log->header().seed, size < 256 ? 7U : 42U);
      ASSERT_TRUE(log->append({"entry-X.", 1}, false).ok());
    }
    EXPECT_EQ(*content(SeenLog::Mode::kRead), expected + "entry-X.") << size;
  }
}

// The same for a log with times, which come back with their blocks.
TEST_F(SeenLogTest, with_times_cut_at_every_byte) {
  const LogHeader header{8, false, 42, "url", true};
  {
    Result<SeenLog> log = SeenLog::open(path_, SeenLog::Mode::kAppend, header, ignore);
    ASSERT_TRUE(log.ok());
    for (std::uint64_t time = 1; time <= 3; ++time) {
      ASSERT_TRUE(log->append({"entry-1.", 1, time}, false).ok());
    }
  }
  const std::string whole = *read_file(path_);
  for (std::size_t size = 256; size <= whole.size(); ++size) {
    put(whole.substr(0, size));
    std::vector<std::uint64_t> times;
    const auto visit = [&](const LogBlock& block) {
      EXPECT_EQ(block.payload, "entry-1.");
      times.push_back(block.time);
    };
    Result<SeenLog> log = SeenLog::open(path_, SeenLog::Mode::kAppend, header, visit);
    ASSERT_TRUE(log.ok()) << log.message();
    EXPECT_TRUE(log->header().timed);
    ASSERT_EQ(times.size(), (size - 256) / (32 + 8 + 8)) << size;
    ASSERT_TRUE(log->append({"entry-1.", 1, 9}, false).ok());
    times.clear();
    ASSERT_TRUE(SeenLog::open(path_, SeenLog::Mode::kRead, {}, visit).ok());
    EXPECT_EQ(times.back(), 9U);
  }
}

TEST_F(SeenLogTest, times_are_added_at_once_or_not_at_all) {
  small_store();
  Result<SeenLog> log = SeenLog::open(path_, SeenLog::Mode::kAppend, {}, ignore);
  ASSERT_TRUE(log.ok());
  const std::string before = *read_file(path_);
  signal(SIGXFSZ, SIG_IGN);
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  // Wherever the disk becomes full, the old store is still there and works.
  for (rlim_t most = 0; most < 256 + 3 * 40 + 48; most += 8) {
    const rlimit limit{most, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const Status added = log->add_times();
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    EXPECT_FALSE(added.ok()) << most;
    ASSERT_EQ(*read_file(path_), before);
  }
  ASSERT_TRUE(log->add_times().ok());
  ASSERT_TRUE(log->append({"entry-7.", 1, 5}, false).ok());
  EXPECT_EQ(*content(SeenLog::Mode::kRead), std::string(kAll) + "entry-7.");
  EXPECT_TRUE(SeenLog::read_header(path_)->timed);
}

// A byte changed in the middle is damage: the store is refused, and recover() keeps the other
// blocks. In the last block it looks like a torn end.
TEST_F(SeenLogTest, every_byte_changed_is_noticed) {
  const std::string whole = small_store();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    put(changed);
    const Result<std::string> read = content(SeenLog::Mode::kAppend);
    if (at < kEnds[2]) {
      EXPECT_FALSE(read.ok()) << at;
    } else {
      EXPECT_EQ(*read, std::string(kAll).substr(0, 24)) << at;
    }
    if (at < kEnds[0] || at >= kEnds[2]) continue;
    EXPECT_NE(read.message().find("--recover"), std::string::npos) << read.message();
    EXPECT_EQ(*read_file(path_), changed) << "a refused store is not touched";
    std::string kept;
    const Result<LogStats> recovered = SeenLog::recover(path_, kept);
    ASSERT_TRUE(recovered.ok()) << recovered.message();
    EXPECT_EQ(recovered->damaged_bytes, at < kEnds[1] ? 40U : 48U);
    const std::string all = kAll;
    EXPECT_EQ(*content(SeenLog::Mode::kAppend),
              at < kEnds[1] ? all.substr(8) : all.substr(0, 8) + all.substr(24));
    EXPECT_EQ(*read_file(path_ + ".damaged"), changed);
    std::filesystem::remove(path_ + ".damaged");
  }
}

TEST_F(SeenLogTest, a_second_writer_is_refused_and_readers_are_not) {
  const LogHeader header{8, false, 42, "url"};
  Result<SeenLog> first = SeenLog::open(path_, SeenLog::Mode::kAppend, header, ignore);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(first->append({"entry-1.", 1}, false).ok());
  const Result<SeenLog> second = SeenLog::open(path_, SeenLog::Mode::kAppend, header, ignore);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.message().find("in use"), std::string::npos);
  EXPECT_EQ(*content(SeenLog::Mode::kRead), "entry-1.");
}

TEST_F(SeenLogTest, other_files_are_left_alone) {
  for (const std::string bytes : {"hello\n", "https://a.example/\nhttps://b.example/\n", "S"}) {
    put(bytes + std::string(bytes.size() == 1 ? 0 : 300, 'x'));
    const Result<std::string> read = content(SeenLog::Mode::kAppend);
    // This could be the first byte of our own header, torn.
    if (bytes.size() == 1) continue;
    EXPECT_FALSE(read.ok());
    EXPECT_EQ(read_file(path_)->substr(0, bytes.size()), bytes);
  }
  ASSERT_TRUE(make_directories(folder_ + "/d").ok());
  path_ = folder_ + "/d";
  EXPECT_FALSE(content(SeenLog::Mode::kAppend).ok());
  EXPECT_FALSE(content(SeenLog::Mode::kRead).ok());
}

TEST_F(SeenLogTest, a_store_of_a_later_version_is_named_and_left_alone) {
  small_store();
  std::string later = *read_file(path_);
  constexpr std::size_t kVersionAt = 8, kSeedAt = 24, kSumAt = 248;
  later[kVersionAt] = 3;
  std::uint64_t seed = 0;
  std::memcpy(&seed, &later[kSeedAt], sizeof seed);
  const std::uint64_t sum = hash64(std::string_view(later).substr(0, kSumAt), seed);
  std::memcpy(&later[kSumAt], &sum, sizeof sum);
  put(later);
  for (const SeenLog::Mode mode : {SeenLog::Mode::kAppend, SeenLog::Mode::kRead}) {
    const Result<std::string> read = content(mode);
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.message().find("later version"), std::string::npos) << read.message();
  }
  std::string kept;
  EXPECT_FALSE(SeenLog::recover(path_, kept).ok());
  EXPECT_EQ(*read_file(path_), later);
}

TEST_F(SeenLogTest, a_full_disk_leaves_the_log_as_it_was) {
  small_store();
  Result<SeenLog> log = SeenLog::open(path_, SeenLog::Mode::kAppend, {}, ignore);
  ASSERT_TRUE(log.ok());
  // The file may grow by 20 bytes, which is half a block.
  signal(SIGXFSZ, SIG_IGN);
  const rlimit most{log->stats().file_bytes + 20, RLIM_INFINITY};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &most), 0);
  const Status full = log->append({"entry-7.", 1}, false);
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  EXPECT_FALSE(full.ok());
  EXPECT_EQ(*content(SeenLog::Mode::kRead), kAll);
  ASSERT_TRUE(log->append({"entry-8.", 1}, true).ok());
  EXPECT_EQ(*content(SeenLog::Mode::kRead), std::string(kAll) + "entry-8.");
}

TEST_F(SeenLogTest, names_of_every_length) {
  const LogHeader header{16, true, 1, "content"};
  std::string payload;
  for (std::size_t length = 0; length < 40; ++length) {
    append_log_entry(payload, header, std::string(16, static_cast<char>('a' + length % 26)),
                     std::string(length, 'n'));
    EXPECT_EQ(payload.size() % 8, 0U);
  }
  LogEntries entries(header, payload);
  std::string_view entry;
  std::string_view name;
  for (std::size_t length = 0; length < 40; ++length) {
    ASSERT_TRUE(entries.next(entry, name));
    EXPECT_EQ(name, std::string(length, 'n'));
  }
  EXPECT_FALSE(entries.next(entry, name));
}

TEST_F(SeenLogTest, entries_that_are_not_well_formed_end_the_walk) {
  const LogHeader header{16, true, 1, "content"};
  std::string_view entry;
  std::string_view name;
  EXPECT_FALSE(LogEntries(header, "short").next(entry, name));
  EXPECT_FALSE(LogEntries(header, std::string(16, 'x')).next(entry, name));
  const std::string long_name = std::string(16, 'x') + "\xff\xff\xff\xff";
  EXPECT_FALSE(LogEntries(header, long_name).next(entry, name));
}

TEST_F(SeenLogTest, compact_drops_repeats_and_keeps_order) {
  const LogHeader header{8, false, 42, "url"};
  {
    Result<SeenLog> log = SeenLog::open(path_, SeenLog::Mode::kAppend, header, ignore);
    ASSERT_TRUE(log.ok());
    for (const char* entry : {"entry-2.", "entry-1.", "entry-2.", "entry-3."}) {
      ASSERT_TRUE(log->append({entry, 1}, false).ok());
    }
  }
  const Result<LogStats> stats = compact_store(path_);
  ASSERT_TRUE(stats.ok()) << stats.message();
  EXPECT_EQ(stats->blocks, 1U);
  EXPECT_EQ(*content(SeenLog::Mode::kRead), "entry-2.entry-1.entry-3.");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

TEST_F(SeenLogTest, merge_needs_one_seed) {
  const std::string other = folder_ + "/other";
  for (const auto& [path, seed, entries] :
       {std::tuple{path_, 42ULL, "entry-1.entry-2."}, {other, 42ULL, "entry-2.entry-3."}}) {
    Result<SeenLog> log =
        SeenLog::open(path, SeenLog::Mode::kAppend, {8, false, seed, "url"}, ignore);
    ASSERT_TRUE(log.ok());
    ASSERT_TRUE(log->append({entries, 2}, false).ok());
  }
  const Result<std::uint64_t> added = merge_stores(path_, other);
  ASSERT_TRUE(added.ok()) << added.message();
  EXPECT_EQ(*added, 1U);
  EXPECT_EQ(*content(SeenLog::Mode::kRead), "entry-1.entry-2.entry-3.");
  const std::string third = folder_ + "/third";
  ASSERT_TRUE(SeenLog::open(third, SeenLog::Mode::kAppend, {8, false, 43, "url"}, ignore).ok());
  const Result<std::uint64_t> refused = merge_stores(path_, third);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.message().find("--like"), std::string::npos);
}

}  // namespace
}  // namespace spinneret::dedupe
