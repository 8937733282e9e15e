// SPDX-License-Identifier: Apache-2.0
#include "frontier/rocks_store.h"

#include <malloc.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace spinneret::frontier {
namespace {

constexpr std::array<const char*, kTableCount> kTableNames = {"default", "hosts", "urls", "queue",
                                                              "later"};

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// "cannot write the state: No space left on device": RocksDB's words behind ours.
Error store_error(const char* what, const rocksdb::Status& status) {
  return Error{std::string(what) + ": " + status.ToString()};
}

rocksdb::ColumnFamilyOptions table_options(Table table,
                                           const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions options;
  options.compression = rocksdb::kLZ4Compression;
  options.level_compaction_dynamic_level_bytes = true;
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = cache;
  blocks.format_version = 5;
  blocks.block_size = 8 << 10;
  switch (table) {
    case Table::kUrls:
      // Most lookups are for URLs that are not there: the filter answers those without a read.
      blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
      options.bottommost_compression = rocksdb::kZSTD;
      options.write_buffer_size = 32 << 20;
      options.memtable_whole_key_filtering = true;
      options.memtable_prefix_bloom_size_ratio = 0.05;
      break;
    case Table::kQueue:
      options.bottommost_compression = rocksdb::kZSTD;
      options.write_buffer_size = 16 << 20;
      break;
    case Table::kHosts:
      blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
      options.write_buffer_size = 8 << 20;
      break;
    case Table::kMeta:
    case Table::kLater: options.write_buffer_size = 8 << 20; break;
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
  options.keep_log_file_num = 2;
  options.max_log_file_size = 1 << 20;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.max_open_files = 512;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

class RocksCursor : public Cursor {
 public:
  explicit RocksCursor(std::string_view end) : end_(end), end_slice_(end_) {}
  void open(rocksdb::DB& db, rocksdb::ReadOptions reading, rocksdb::ColumnFamilyHandle* handle) {
    // The bound keeps a walk from reading on through what has been erased behind its last entry.
    if (!end_.empty()) reading.iterate_upper_bound = &end_slice_;
    at_.reset(db.NewIterator(reading, handle));
  }
  void seek(std::string_view key) override { at_->Seek(slice(key)); }
  void next() override { at_->Next(); }
  bool valid() const override { return at_->Valid(); }
  std::string_view key() const override { return view(at_->key()); }
  std::string_view value() const override { return view(at_->value()); }

 private:
  std::string end_;
  rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> at_;
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
    auto cursor = std::make_unique<RocksCursor>(end);
    cursor->open(*db_, reading_, handle(table));
    return cursor;
  }

  void put(Table table, std::string_view key, std::string_view value) override {
    note(batch_.Put(handle(table), slice(key), slice(value)));
  }
  void erase(Table table, std::string_view key) override {
    note(batch_.Delete(handle(table), slice(key)));
  }
  void erase_single(Table table, std::string_view key) override {
    note(batch_.SingleDelete(handle(table), slice(key)));
  }
  std::size_t staged() const override { return static_cast<std::size_t>(batch_.Count()); }

  Status commit() override {
    if (!status_.ok()) return status_;
    if (batch_.Count() == 0) return {};
    const rocksdb::Status done = db_->Write(writing_, &batch_);
    if (!done.ok()) {
      status_ = store_error("cannot write the state", done);
      return status_;
    }
    // A huge batch must not hold its memory for ever.
    if (batch_.GetDataSize() > (8U << 20)) {
      batch_ = rocksdb::WriteBatch();
    } else {
      batch_.Clear();
    }
    const std::lock_guard lock(mutex_);
    dirty_ = true;
    return sync_status_;
  }

  Status sync() override {
    {
      const std::lock_guard lock(mutex_);
      dirty_ = false;
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
  void fail_read(const rocksdb::Status& status) {
    if (status_.ok()) status_ = store_error("cannot read the state", status);
  }
  void note(const rocksdb::Status& status) {
    if (!status.ok() && status_.ok()) status_ = store_error("cannot stage a change", status);
  }

  void keep_syncing(std::int64_t every_ms) {
    std::unique_lock lock(mutex_);
    while (!closing_) {
      wake_.wait_for(lock, std::chrono::milliseconds(every_ms), [this] { return closing_; });
      if (!std::exchange(dirty_, false)) continue;
      lock.unlock();
      const rocksdb::Status done = db_->SyncWAL();
      lock.lock();
      if (!done.ok()) sync_status_ = store_error("cannot sync the state", done);
    }
  }

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  rocksdb::ReadOptions reading_;
  rocksdb::WriteOptions writing_;
  rocksdb::WriteBatch batch_;
  std::vector<rocksdb::Slice> keys_;
  std::vector<rocksdb::PinnableSlice> pinned_;
  std::vector<rocksdb::Status> statuses_;

  std::thread syncer_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool dirty_ = false;
  bool closing_ = false;
  Status sync_status_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_rocks_store(const std::string& path,
                                                const RocksOptions& options) {
#ifdef M_ARENA_MAX
  // Flushes and compactions run in threads of their own; an arena for each would keep what they once used.
  mallopt(M_ARENA_MAX, 2);
#endif
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (std::size_t i = 0; i < kTableCount; ++i) {
    families.emplace_back(kTableNames[i], table_options(static_cast<Table>(i), cache));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status done =
      options.read_only
          ? rocksdb::DB::OpenForReadOnly(database_options(), path, families, &handles, &opened)
          : rocksdb::DB::Open(database_options(), path, families, &handles, &opened);
  if (!done.ok()) return store_error(("cannot open the state " + path).c_str(), done);
  return std::unique_ptr<Store>(std::make_unique<RocksStore>(std::unique_ptr<rocksdb::DB>(opened),
                                                             std::move(handles), options));
}

}  // namespace spinneret::frontier
