// SPDX-License-Identifier: Apache-2.0
#include "frontier/rocks_store.h"

#include <malloc.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "frontier/advice.h"
#include "frontier/beside_writer.h"
#include "frontier/leaf_memtable.h"
#include "frontier/log_end.h"
#include "frontier/log_framing.h"
#include "frontier/log_syncer.h"
#include "frontier/no_options_files.h"
#include "frontier/staged_changes.h"
#include "frontier/table_footer.h"

namespace spinneret::frontier {

struct BlockCache {
  std::shared_ptr<rocksdb::Cache> blocks;
};

std::shared_ptr<BlockCache> make_block_cache(std::size_t bytes) {
  return std::make_shared<BlockCache>(BlockCache{rocksdb::NewLRUCache(bytes)});
}

namespace {

constexpr std::array<const char*, kTableCount> kTableNames = {"default", "hosts",  "urls", "queue",
                                                              "later",   "outbox", "inbox"};

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// RocksDB's words between ours: "cannot write the state: IO error: ...; make room there, ...".
Error store_error(const char* what, const rocksdb::Status& status) {
  std::string text = std::string(what) + ": " + status.ToString();
  text += advice_for(text, status.IsCorruption());
  return Error{std::move(text)};
}

// A store reports the first one.
void keep_unreadable(const rocksdb::Status& status, Status& kept) {
  if (kept.ok()) kept = store_error("cannot read the state", status);
}

// A write searches its memtable: eight of 4 MB flushed together cost 38 % less CPU than one of 32
// MB, beyond the processor's cache (500 k URLs of a bare RocksDB: 2.4 s, not 3.9). Writes wait at
// count + 2, which bounds memory. (A WriteBufferManager ignores those that wait for that flush.)
// Merging level 0 by 8 files, not 4, saves 20 % of CPU over 2.5 M puts with flushes and merges (24
// s, not 30). Without ZSTD: 11.6 us of CPU of all threads, not 13.5, but 70 bytes a URL, not 52.
void use_small_memtables(rocksdb::ColumnFamilyOptions& options, int count) {
  options.memtable_factory = make_leaf_memtables();
  options.memtable_insert_with_hint_prefix_extractor.reset();  // leaves know where they were
  options.write_buffer_size = std::size_t{4} << 20;
  options.min_write_buffer_number_to_merge = count;
  options.max_write_buffer_number = count + 2;
  options.level0_file_num_compaction_trigger = 8;
}

rocksdb::ColumnFamilyOptions table_options(Table table,
                                           const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions options;
  options.compression = rocksdb::kLZ4Compression;
  options.level_compaction_dynamic_level_bytes = true;
  // One hint for all keys, which commit() sorts: a search begins where the last one ended.
  options.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(0));
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = cache;
  blocks.format_version = 5;
  blocks.block_size = 8 << 10;
  switch (table) {
    case Table::kUrls:
      // The filter saves most lookups a read. Others unpack a block: a known URL of 10 M costs 5.4
      // us, 7.3 with ZSTD in the last level; 7.5 in blocks of 4 KB, 9.3 of 8 KB (in turn, load 3).
      blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
      blocks.block_size = 4 << 10;
      use_small_memtables(options, 4);
      options.level0_file_num_compaction_trigger = 12;  // its filters make many cheap to look into
      options.memtable_whole_key_filtering = true;
      options.memtable_prefix_bloom_size_ratio = 0.05;
      break;
    case Table::kQueue:
      options.bottommost_compression = rocksdb::kZSTD;
      // Each flush soon goes through ZSTD with the whole table: by 24 MB, not 8, 10 M URLs of
      // 100,000 hosts cost 10.9 us of CPU each, not 13.4. Runs of like size take 1.8 us, levels
      // 3.3; states in levels open, too. Up to 10 M URLs all is merged four times, 4 s each.
      options.compaction_style = rocksdb::kCompactionStyleUniversal;
      use_small_memtables(options, 6);
      blocks.block_size = 16 << 10;
      break;
    case Table::kHosts:
      blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
      options.write_buffer_size = 2 << 20;
      break;
    case Table::kMeta:  // logs, written in order: in levels each merge took all along
      options.compaction_style = rocksdb::kCompactionStyleUniversal;
      options.write_buffer_size = 4 << 20;
      break;
    // Batches of 20 KB, which are erased seconds later, mostly in the memtable.
    case Table::kOutbox: options.write_buffer_size = 8 << 20; break;
    default: options.write_buffer_size = 1 << 20; break;
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  return options;
}

rocksdb::DBOptions database_options() {
  rocksdb::DBOptions options;
  options.env = env_without_options_files();
  options.fail_if_options_file_error = false;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_background_jobs = 2;
  // The default, 16, begins 15 for each table, even an empty one: 45 of 60 ms of CPU at opening.
  options.max_file_opening_threads = 1;
  options.allow_concurrent_memtable_write = false;  // there is one writer
  // Opening after a kill reads what was not flushed: for a million hosts, at a load of 20, .54 s of
  // CPU with 48 MB of log at most, .35 with 32; a put costs 8.1 and 8.35 us.
  options.max_total_wal_size = 32 << 20;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

// Replaces RocksDB's own log, which ends the process where the disk is full. What counts comes back
// as a status, except what recovery leaves out: that is told to the log alone.
class RecoveryLog : public rocksdb::Logger {
 public:
  RecoveryLog() : rocksdb::Logger(rocksdb::WARN_LEVEL) {}

  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    if (!listening_) return;
    char line[512];
    std::vsnprintf(line, sizeof line, format, arguments);
    if (std::strstr(line, ": dropping ") != nullptr) dropped_ = true;
  }
  // What was dropped until here was dropped by the opening.
  bool stop_listening() {
    listening_ = false;
    return dropped_;
  }

 private:
  std::atomic<bool> listening_ = true;
  std::atomic<bool> dropped_ = false;
};

// Failures in RocksDB's own threads, of which it tells with the next write only.
class Troubles : public rocksdb::EventListener {
 public:
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override {
    // If files could not be merged, there may still be room for others.
    if (reason == rocksdb::BackgroundErrorReason::kCompaction) return;
    const std::lock_guard lock(mutex_);
    if (first_.ok()) first_ = *error;
  }
  rocksdb::Status first() {
    const std::lock_guard lock(mutex_);
    return first_;
  }

 private:
  std::mutex mutex_;
  rocksdb::Status first_;
};

class RocksCursor : public Cursor {
 public:
  RocksCursor(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* handle, std::string_view end,
              rocksdb::ReadOptions reading, Status& status)
      : end_(end), end_slice_(end_), status_(status) {
    // The bound keeps a walk from reading on through what has been erased behind its last entry.
    if (!end_.empty()) reading.iterate_upper_bound = &end_slice_;
    at_.reset(db.NewIterator(reading, handle));
  }
  void seek(std::string_view key) override {
    at_->Seek(slice(key));
    check();
  }
  void next() override {
    at_->Next();
    check();
  }
  bool valid() const override { return at_->Valid(); }
  std::string_view key() const override { return view(at_->key()); }
  std::string_view value() const override { return view(at_->value()); }

 private:
  // A walk that meets a block which cannot be read ends there, as at the end of the table.
  void check() {
    if (!at_->Valid() && !at_->status().ok()) keep_unreadable(at_->status(), status_);
  }

  std::string end_;
  rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> at_;
  Status& status_;  // of the store
};

// RocksDB aborts if its database goes before them, as it would if a store's thread cannot start.
using Handles = std::vector<std::unique_ptr<rocksdb::ColumnFamilyHandle>>;

class RocksStore : public Store {
 public:
  RocksStore(std::string path, std::unique_ptr<rocksdb::DB> db, Handles handles,
             std::shared_ptr<Troubles> troubles, const RocksOptions& options)
      : path_(std::move(path)),
        db_(std::move(db)),
        handles_(std::move(handles)),
        troubles_(std::move(troubles)),
        syncer_(options.read_only ? 0 : options.sync_every_ms, [this] { return sync_log(); }) {}

  ~RocksStore() override {
    syncer_.stop();
    if (within_write_) {  // closing would write what is left in its buffers once more
      for (auto& handle : handles_) static_cast<void>(handle.release());
      static_cast<void>(db_.release());
      return;
    }
    handles_.clear();
    db_->Close();
  }

  bool has(Table table) const override { return static_cast<std::size_t>(table) < handles_.size(); }
  bool get(Table table, std::string_view key, std::string& value) override {
    const rocksdb::Status got = db_->Get(reading_, handle(table), slice(key), &value);
    if (!got.ok() && !got.IsNotFound()) keep_unreadable(got, status_);
    return got.ok();
  }

  void multi_get(Table table, std::span<const std::string_view> keys,
                 std::vector<std::string>& values, std::vector<char>& found) override {
    values.resize(keys.size());
    found.assign(keys.size(), 0);
    keys_.resize(keys.size());
    pinned_.resize(keys.size());
    statuses_.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys_[i] = slice(keys[i]);
    db_->MultiGet(reading_, handle(table), keys.size(), keys_.data(), pinned_.data(),
                  statuses_.data(), /*sorted_input=*/true);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (statuses_[i].ok()) {
        values[i].assign(pinned_[i].data(), pinned_[i].size());
        found[i] = 1;
      } else if (!statuses_[i].IsNotFound()) {
        keep_unreadable(statuses_[i], status_);
      }
      pinned_[i].Reset();
    }
  }

  std::unique_ptr<Cursor> scan(Table table, std::string_view end) override {
    return std::make_unique<RocksCursor>(*db_, handle(table), end, reading_, status_);
  }

  void put(Table table, std::string_view key, std::string_view value) override {
    staged_.add(table, Staged::Kind::kPut, key, value);
  }
  void erase(Table table, std::string_view key) override {
    staged_.add(table, Staged::Kind::kErase, key, {});
  }
  void erase_single(Table table, std::string_view key) override {
    staged_.add(table, Staged::Kind::kEraseSingle, key, {});
  }
  std::size_t staged() const override { return staged_.size(); }

  Status commit() override {
    if (!status_.ok()) return status_;
    if (staged_.size() == 0) return {};
    rocksdb::Status done = fill_batch();
    if (done.ok()) done = write_batch();
    if (!done.ok()) {
      status_ = store_error("cannot write the state", done);
      // RocksDB ends the process if its log is synced after that.
      static_cast<void>(syncer_.none_unsynced());
      return status_;
    }
    const bool keep = staged_.bytes() <= kKeepAtMost;  // a huge batch must not hold memory for ever
    staged_.clear(keep);
    batch_.Clear();
    if (!keep) batch_ = rocksdb::WriteBatch();
    status_ = syncer_.written();
    return status_;
  }

  Status sync() override {
    if (status_.ok()) status_ = syncer_.none_unsynced();
    if (status_.ok()) status_ = sync_log();
    if (status_.ok()) write_log_end(path_, db_->GetLatestSequenceNumber());
    return status_;
  }

  Status checkpoint(const std::string& path) override {
    rocksdb::Checkpoint* made = nullptr;
    rocksdb::Status done = rocksdb::Checkpoint::Create(db_.get(), &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    if (done.ok()) done = checkpoint->CreateCheckpoint(path);
    return done.ok() ? Status() : store_error("cannot write the checkpoint", done);
  }

  Status verify() override {
    const rocksdb::Status done = db_->VerifyChecksum();
    return done.ok() ? Status() : store_error("the state is damaged", done);
  }

  std::uint64_t bytes_on_disk() override {
    return total_of(rocksdb::DB::Properties::kLiveSstFilesSize);
  }

  void settle_down() override {
    std::vector<rocksdb::ColumnFamilyHandle*> all;
    for (const auto& each : handles_) all.push_back(each.get());
    db_->Flush(rocksdb::FlushOptions(), all);
    // If the queue has as many runs as it may, its merge stays pending, too: nothing begins it.
    for (int idle = 0; idle < kIdleLooks && busy(idle);)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

 private:
  static constexpr std::size_t kKeepAtMost = std::size_t{8} << 20;
  static constexpr int kIdleLooks = 100;

  // Sorts the changes: see table_options.
  rocksdb::Status fill_batch() {
    batch_.Clear();
    rocksdb::Status done;
    for (std::size_t table = 0; table < handles_.size(); ++table) {
      staged_.for_each(static_cast<Table>(table), [&](Staged::Kind kind, std::string_view key,
                                                      std::string_view value) {
        if (done.ok()) done = add_to_batch(handles_[table].get(), kind, slice(key), slice(value));
      });
    }
    return done;
  }
  rocksdb::Status add_to_batch(rocksdb::ColumnFamilyHandle* family, Staged::Kind kind,
                               const rocksdb::Slice& key, const rocksdb::Slice& value) {
    switch (kind) {
      case Staged::Kind::kPut: return batch_.Put(family, key, value);
      case Staged::Kind::kErase: return batch_.Delete(family, key);
      case Staged::Kind::kEraseSingle: return batch_.SingleDelete(family, key);
    }
    return {};
  }

  rocksdb::ColumnFamilyHandle* handle(Table table) const {
    return handles_[static_cast<std::size_t>(table)].get();
  }
  std::uint64_t total_of(const std::string& property) {
    std::uint64_t total = 0;
    for (const auto& each : handles_) {
      std::uint64_t value = 0;
      db_->GetIntProperty(each.get(), property, &value);
      total += value;
    }
    return total;
  }
  // Whether work is pending or runs; `idle` counts the times that it was only pending.
  bool busy(int& idle) {
    std::uint64_t errors = 0;
    db_->GetIntProperty(rocksdb::DB::Properties::kBackgroundErrors, &errors);
    if (errors != 0) return false;  // what has failed stays pending for ever
    const std::uint64_t running = total_of(rocksdb::DB::Properties::kNumRunningCompactions);
    idle = running == 0 ? idle + 1 : 0;
    return running + total_of(rocksdb::DB::Properties::kCompactionPending) != 0;
  }
  // An allocation that fails within leaves the batch in RocksDB's log or its buffer, but its number
  // free: a second batch of that number makes a log that RocksDB dies of at the next opening.
  rocksdb::Status write_batch() {
    if (std::exchange(within_write_, true))
      return rocksdb::Status::Aborted("a write has broken off");
    const rocksdb::Status done = db_->Write(writing_, &batch_);
    within_write_ = false;
    return done;
  }

  // RocksDB ends the process if a log whose sync has failed is synced again.
  Status sync_log() {
    rocksdb::Status done = troubles_->first();
    if (done.ok()) done = db_->SyncWAL();
    return done.ok() ? Status() : store_error("cannot sync the state", done);
  }

  const std::string path_;
  std::unique_ptr<rocksdb::DB> db_;
  Handles handles_;
  std::shared_ptr<Troubles> troubles_;
  rocksdb::ReadOptions reading_;
  rocksdb::WriteOptions writing_;
  Staged staged_;
  rocksdb::WriteBatch batch_;
  bool within_write_ = false;  // stays true after an exception
  std::vector<rocksdb::Slice> keys_;
  std::vector<rocksdb::PinnableSlice> pinned_;
  std::vector<rocksdb::Status> statuses_;
  LogSyncer syncer_;
};

rocksdb::Status open(bool read_only, const rocksdb::DBOptions& database, const std::string& path,
                     const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                     std::vector<rocksdb::ColumnFamilyHandle*>& handles, rocksdb::DB*& opened) {
  if (read_only) return rocksdb::DB::OpenForReadOnly(database, path, families, &handles, &opened);
  return rocksdb::DB::Open(database, path, families, &handles, &opened);
}

Result<std::unique_ptr<Store>> open_once(const std::string& path, const RocksOptions& options,
                                         std::string* notice) {
#ifdef M_ARENA_MAX
  // Flushes and compactions would keep arenas of their own. Flushed memtables go back to the
  // system: a crawl of a million pages peaks at 88 MB, not 104. The trim threshold keeps all above
  // 128 KB from going back at once: a known URL of 10 M costs 10 us, not 28.6, mostly in brk().
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
  // RocksDB counts each comparison of this thread, for a tenth of a put; nobody asks for that.
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  const std::shared_ptr<rocksdb::Cache> cache =
      options.cache != nullptr ? options.cache->blocks : rocksdb::NewLRUCache(options.cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const auto add_tables = [&](std::size_t count) {
    for (std::size_t i = families.size(); i < count; ++i)
      families.emplace_back(kTableNames[i], table_options(static_cast<Table>(i), cache));
  };
  add_tables(options.partition ? kTableCount : kOwnTableCount);
  for (const auto check : {check_current, check_table_footers, check_log_framing}) {
    if (const Status sound = check(path); !sound.ok())
      return Error{"cannot open the state " + path + ": " + sound.message()};
  }
  const std::uint64_t log_end = read_log_end(path);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  rocksdb::DBOptions database = database_options();
  database.max_open_files = options.max_open_files;
  const auto log = std::make_shared<RecoveryLog>();
  database.info_log = log;
  const auto troubles = std::make_shared<Troubles>();
  database.listeners.push_back(troubles);
  rocksdb::Status done = open(options.read_only, database, path, families, handles, opened);
  if (!options.partition && done.ToString().find("families not opened") != std::string::npos) {
    add_tables(kTableCount);
    done = open(options.read_only, database, path, families, handles, opened);
  }
  const bool left_out = log->stop_listening();
  std::error_code none;
  const bool unborn = done.ToString().find("Column family not found") != std::string::npos;
  if (options.read_only && (unborn || !std::filesystem::exists(path + "/CURRENT", none)))
    return Error{"there is no state yet in " + path + ": what was to make it has ended before"};
  if (!done.ok()) return store_error(("cannot open the state " + path).c_str(), done);
  std::unique_ptr<rocksdb::DB> db(opened);
  Handles owned(handles.begin(), handles.end());
  if (notice != nullptr && left_out) {
    *notice =
        path +
        ": its last changes were damaged and are left out: the crawl goes on from before them";
  } else if (notice != nullptr && opened->GetLatestSequenceNumber() < log_end) {
    *notice = path +
              ": its last changes are lost: a log was deleted or cut; --verify --repair mends what "
              "that tore";
  }
  return std::unique_ptr<Store>(
      std::make_unique<RocksStore>(path, std::move(db), std::move(owned), troubles, options));
}

}  // namespace

Result<std::unique_ptr<Store>> open_rocks_store(const std::string& path,
                                                const RocksOptions& options, std::string* notice) {
  const auto open = [&] {
    if (notice != nullptr) notice->clear();  // what was said of files that went away
    return open_once(path, options, notice);
  };
  return options.read_only ? open_beside_writer(path, open) : open();
}

}  // namespace spinneret::frontier
