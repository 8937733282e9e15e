// SPDX-License-Identifier: Apache-2.0
#include "frontier/rocks_store.h"

#include <malloc.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "frontier/log_framing.h"
#include "frontier/table_footer.h"

namespace spinneret::frontier {
namespace {

constexpr std::array<const char*, kTableCount> kTableNames = {"default", "hosts",  "urls", "queue",
                                                              "later",   "outbox", "inbox"};

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// "cannot write the state: No space left on device": RocksDB's words behind ours.
Error store_error(const char* what, const rocksdb::Status& status) {
  return Error{std::string(what) + ": " + status.ToString()};
}

// A write finds its place among what is in its memtable: eight of 4 MB that are flushed together cost 38 %
// less CPU than one of 32 MB, for the small one stays in the processor's cache (500 k URLs of a bare RocksDB:
// 2.4 s against 3.9; the same with 1 and 2 MB). Their number bounds the memory: writes wait for the flush at
// count + 2. (A WriteBufferManager does not bound them: it counts out those that wait to be flushed together.)
//
// Files of the first level are merged into the next by eight, not by four: 20 % less CPU over 2.5 M puts, flushes
// and compactions included (24 s against 30), which pays for the smaller flushes. Universal compaction, a larger
// second level and a faster ZSTD level made no difference; ZSTD nowhere: 12 % less CPU, 15 bytes more a URL.
void use_small_memtables(rocksdb::ColumnFamilyOptions& options, int count) {
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
  // One hint for all keys: a write begins its search where the last one ended, and commit() sorts them.
  options.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(0));
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = cache;
  blocks.format_version = 5;
  blocks.block_size = 8 << 10;
  switch (table) {
    case Table::kUrls:
      // Most lookups are for URLs that are not there: the filter answers those without a read.
      blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
      options.bottommost_compression = rocksdb::kZSTD;
      use_small_memtables(options, 4);
      // Its filters make many files cheap to look into.
      options.level0_file_num_compaction_trigger = 12;
      options.memtable_whole_key_filtering = true;
      options.memtable_prefix_bloom_size_ratio = 0.05;
      break;
    case Table::kQueue:
      options.bottommost_compression = rocksdb::kZSTD;
      use_small_memtables(options, 2);
      break;
    case Table::kHosts:
      blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
      options.write_buffer_size = 2 << 20;
      break;
    // Batches of 20 KB that are erased seconds later: most of them in the memtable.
    case Table::kOutbox: options.write_buffer_size = 8 << 20; break;
    default: options.write_buffer_size = 1 << 20; break;
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  return options;
}

rocksdb::DBOptions database_options() {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_background_jobs = 2;
  options.allow_concurrent_memtable_write = false;  // there is one writer
  options.max_total_wal_size = 128 << 20;
  options.max_open_files = 512;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

// In the place of RocksDB's own log, which ends the process where the disk is full. What counts comes back as a
// status; but what recovery leaves out is told to the log alone.
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
  // Until here, what is dropped is dropped by the opening.
  bool stop_listening() {
    listening_ = false;
    return dropped_;
  }

 private:
  std::atomic<bool> listening_ = true;
  std::atomic<bool> dropped_ = false;
};

class RocksCursor : public Cursor {
 public:
  RocksCursor(std::string_view end, Status& status)
      : end_(end), end_slice_(end_), status_(status) {}
  void open(rocksdb::DB& db, rocksdb::ReadOptions reading, rocksdb::ColumnFamilyHandle* handle) {
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
    if (at_->Valid() || !status_.ok()) return;
    if (const rocksdb::Status walked = at_->status(); !walked.ok()) {
      status_ = store_error("cannot read the state", walked);
    }
  }

  std::string end_;
  rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> at_;
  Status& status_;  // of the store
};

class RocksStore : public Store {
 public:
  RocksStore(std::unique_ptr<rocksdb::DB> db, std::vector<rocksdb::ColumnFamilyHandle*> handles,
             const RocksOptions& options)
      : db_(std::move(db)), handles_(std::move(handles)) {
    if (!options.read_only && options.sync_every_ms > 0) {
      syncer_ = std::thread([this, every = options.sync_every_ms] { keep_syncing(every); });
    }
  }

  ~RocksStore() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    if (syncer_.joinable()) syncer_.join();
    if (within_write_) {  // closing would write what is left in its buffers once more
      static_cast<void>(db_.release());
      return;
    }
    for (rocksdb::ColumnFamilyHandle* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
    db_->Close();
  }

  bool get(Table table, std::string_view key, std::string& value) override {
    const rocksdb::Status got = db_->Get(reading_, handle(table), slice(key), &value);
    if (!got.ok() && !got.IsNotFound()) fail_read(got);
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
        fail_read(statuses_[i]);
      }
      pinned_[i].Reset();
    }
  }

  std::unique_ptr<Cursor> scan(Table table, std::string_view end) override {
    auto cursor = std::make_unique<RocksCursor>(end, status_);
    cursor->open(*db_, reading_, handle(table));
    return cursor;
  }

  void put(Table table, std::string_view key, std::string_view value) override {
    stage(table, Change::kPut, key, value);
  }
  void erase(Table table, std::string_view key) override { stage(table, Change::kErase, key, {}); }
  void erase_single(Table table, std::string_view key) override {
    stage(table, Change::kEraseSingle, key, {});
  }
  std::size_t staged() const override { return staged_; }

  Status commit() override {
    if (!status_.ok()) return status_;
    if (staged_ == 0) return {};
    rocksdb::Status done = fill_batch();
    if (done.ok()) done = write_batch();
    if (!done.ok()) {
      status_ = store_error("cannot write the state", done);
      const std::lock_guard lock(mutex_);
      dirty_ = false;
      return status_;
    }
    for (std::vector<Change>& changes : changes_) changes.clear();
    staged_ = 0;
    // A huge batch must not hold its memory for ever.
    if (arena_.size() > kKeepAtMost) {
      batch_ = rocksdb::WriteBatch();
      arena_ = std::string();
    } else {
      batch_.Clear();
      arena_.clear();
    }
    const std::lock_guard lock(mutex_);
    dirty_ = true;
    return keep_sync_status();
  }

  Status sync() override {
    if (!status_.ok()) return status_;
    {
      const std::lock_guard lock(mutex_);
      dirty_ = false;
      if (!keep_sync_status().ok()) return status_;
    }
    const rocksdb::Status done = db_->SyncWAL();
    if (!done.ok()) status_ = store_error("cannot sync the state", done);
    return status_;
  }

  Status checkpoint(const std::string& path) override {
    rocksdb::Checkpoint* made = nullptr;
    rocksdb::Status done = rocksdb::Checkpoint::Create(db_.get(), &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    if (done.ok()) done = checkpoint->CreateCheckpoint(path);
    if (!done.ok()) return store_error("cannot write the checkpoint", done);
    return {};
  }

  Status verify() override {
    const rocksdb::Status done = db_->VerifyChecksum();
    if (!done.ok()) return store_error("the state is damaged", done);
    return {};
  }

  std::uint64_t bytes_on_disk() override {
    std::uint64_t total = 0;
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      std::uint64_t bytes = 0;
      db_->GetIntProperty(handle, rocksdb::DB::Properties::kLiveSstFilesSize, &bytes);
      total += bytes;
    }
    return total;
  }

  void settle_down() override {
    db_->Flush(rocksdb::FlushOptions(), handles_);
    while (busy()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

 private:
  // A staged change; its key and then its value stand in arena_.
  struct Change {
    enum Kind : std::uint8_t { kPut, kErase, kEraseSingle };
    std::size_t begin;
    std::uint32_t key_size, value_size;
    Kind kind;
  };
  static constexpr std::size_t kKeepAtMost = std::size_t{8} << 20;

  void stage(Table table, Change::Kind kind, std::string_view key, std::string_view value) {
    changes_[static_cast<std::size_t>(table)].push_back(
        {arena_.size(), static_cast<std::uint32_t>(key.size()),
         static_cast<std::uint32_t>(value.size()), kind});
    ++staged_;
    arena_ += key;
    arena_ += value;
  }
  std::string_view key_of(const Change& change) const {
    return std::string_view(arena_).substr(change.begin, change.key_size);
  }
  // Sorted, for see table_options; changes of one key stay in their order.
  rocksdb::Status fill_batch() {
    batch_.Clear();
    rocksdb::Status done;
    const auto by_key = [this](const Change& a, const Change& b) { return key_of(a) < key_of(b); };
    for (std::size_t table = 0; table < handles_.size(); ++table) {
      std::vector<Change>& changes = changes_[table];
      if (!std::is_sorted(changes.begin(), changes.end(), by_key))
        std::stable_sort(changes.begin(), changes.end(), by_key);
      for (const Change& change : changes) {
        if (done.ok()) done = add_to_batch(handles_[table], change);
      }
    }
    return done;
  }
  rocksdb::Status add_to_batch(rocksdb::ColumnFamilyHandle* family, const Change& change) {
    const rocksdb::Slice key = slice(key_of(change));
    switch (change.kind) {
      case Change::kPut: {
        const rocksdb::Slice value(arena_.data() + change.begin + change.key_size,
                                   change.value_size);
        return batch_.Put(family, key, value);
      }
      case Change::kErase: return batch_.Delete(family, key);
      case Change::kEraseSingle: return batch_.SingleDelete(family, key);
    }
    return {};
  }

  rocksdb::ColumnFamilyHandle* handle(Table table) const {
    return handles_[static_cast<std::size_t>(table)];
  }
  bool busy() {
    std::uint64_t total = 0;
    for (rocksdb::ColumnFamilyHandle* each : handles_) {
      for (const std::string& property : {rocksdb::DB::Properties::kCompactionPending,
                                          rocksdb::DB::Properties::kNumRunningCompactions}) {
        std::uint64_t count = 0;
        db_->GetIntProperty(each, property, &count);
        total += count;
      }
    }
    return total != 0;
  }
  // An allocation that fails within leaves the batch in RocksDB's log, and its sequence number free, or in the log's
  // buffer as well: a second batch of the same number makes a log that RocksDB dies of when it is opened again.
  rocksdb::Status write_batch() {
    if (std::exchange(within_write_, true))
      return rocksdb::Status::Aborted("a write has broken off");
    const rocksdb::Status done = db_->Write(writing_, &batch_);
    within_write_ = false;
    return done;
  }

  void fail_read(const rocksdb::Status& status) {
    if (status_.ok()) status_ = store_error("cannot read the state", status);
  }

  void keep_syncing(std::int64_t every_ms) {
    std::unique_lock lock(mutex_);
    while (!closing_) {
      wake_.wait_for(lock, std::chrono::milliseconds(every_ms), [this] { return closing_; });
      if (!std::exchange(dirty_, false)) continue;
      lock.unlock();
      const rocksdb::Status done = db_->SyncWAL();
      lock.lock();
      if (done.ok()) continue;
      sync_status_ = store_error("cannot sync the state", done);
      return;
    }
  }
  // What a failed sync has dropped no later one brings back: from then on everything fails. Under mutex_.
  const Status& keep_sync_status() {
    if (status_.ok() && !sync_status_.ok()) status_ = sync_status_;
    return status_;
  }

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  rocksdb::ReadOptions reading_;
  rocksdb::WriteOptions writing_;
  std::array<std::vector<Change>, kTableCount> changes_;
  std::size_t staged_ = 0;
  std::string arena_;
  rocksdb::WriteBatch batch_;
  bool within_write_ = false;  // stays so where an exception has left it
  std::vector<rocksdb::Slice> keys_;
  std::vector<rocksdb::PinnableSlice> pinned_;
  std::vector<rocksdb::Status> statuses_;

  std::thread syncer_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool dirty_ = false;  // never after a failed write: RocksDB aborts where its log is synced then
  bool closing_ = false;
  Status sync_status_;  // of the thread; see keep_sync_status
};

// A new state: its tables together and not one after the other, as opening would make them, each with a file of options
// that is written, synced and read again: 6 syncs of 24 are saved. Killed in between, opening adds what is missing.
rocksdb::Status create(const rocksdb::DBOptions& database, const std::string& path,
                       const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                       std::vector<rocksdb::ColumnFamilyHandle*>& handles, rocksdb::DB*& opened) {
  rocksdb::Status done = rocksdb::DB::Open(database, path, {families.front()}, &handles, &opened);
  if (!done.ok()) return done;
  std::vector<rocksdb::ColumnFamilyHandle*> others;
  done = opened->CreateColumnFamilies({families.begin() + 1, families.end()}, &others);
  handles.insert(handles.end(), others.begin(), others.end());
  if (done.ok()) return done;
  for (rocksdb::ColumnFamilyHandle* handle : handles) opened->DestroyColumnFamilyHandle(handle);
  delete opened;
  return done;
}

rocksdb::Status open(bool read_only, const rocksdb::DBOptions& database, const std::string& path,
                     const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                     std::vector<rocksdb::ColumnFamilyHandle*>& handles, rocksdb::DB*& opened) {
  if (read_only) return rocksdb::DB::OpenForReadOnly(database, path, families, &handles, &opened);
  if (rocksdb::Env::Default()->FileExists(path + "/CURRENT").IsNotFound())
    return create(database, path, families, handles, opened);
  return rocksdb::DB::Open(database, path, families, &handles, &opened);
}

}  // namespace

Result<std::unique_ptr<Store>> open_rocks_store(const std::string& path,
                                                const RocksOptions& options, std::string* notice) {
#ifdef M_ARENA_MAX
  // Flushes and compactions run in threads of their own; an arena for each would keep what they once used.
  mallopt(M_ARENA_MAX, 2);
  // Blocks of memtables go back to the system once they are flushed: 88 MB at the peak of a crawl of a million
  // pages rather than 104.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
  // It counts every comparison of this thread for whom asks; nobody does. A tenth of a put.
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const auto add_tables = [&](std::size_t count) {
    for (std::size_t i = families.size(); i < count; ++i)
      families.emplace_back(kTableNames[i], table_options(static_cast<Table>(i), cache));
  };
  add_tables(options.partition ? kTableCount : kOwnTableCount);
  for (const auto check : {check_current, check_table_footers, check_log_framing}) {
    if (const Status sound = check(path); !sound.ok()) {
      return Error{"cannot open the state " + path + ": " + sound.message()};
    }
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  rocksdb::DBOptions database = database_options();
  const auto log = std::make_shared<RecoveryLog>();
  database.info_log = log;
  rocksdb::Status done = open(options.read_only, database, path, families, handles, opened);
  if (!options.partition && done.ToString().find("families not opened") != std::string::npos) {
    add_tables(kTableCount);
    done = open(options.read_only, database, path, families, handles, opened);
  }
  if (log->stop_listening() && notice != nullptr) {
    *notice = path + ": its last changes were damaged and are left out";
  }
  // Its tables are made one after the other, and the first write comes behind all of them.
  std::error_code none;
  const bool unborn = done.ToString().find("Column family not found") != std::string::npos;
  if (options.read_only && (unborn || !std::filesystem::exists(path + "/CURRENT", none)))
    return Error{"there is no state yet in " + path + ": what was to make it has ended before"};
  if (!done.ok()) return store_error(("cannot open the state " + path).c_str(), done);
  return std::unique_ptr<Store>(std::make_unique<RocksStore>(std::unique_ptr<rocksdb::DB>(opened),
                                                             std::move(handles), options));
}

}  // namespace spinneret::frontier
