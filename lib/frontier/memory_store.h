// SPDX-License-Identifier: Apache-2.0
// The Store's twin in memory: an ordered map a table, and beside it which entry has a key, by hash. (A search of a million keys
// in the map alone is some twenty waits for memory: of a simulated year a third.) It is for tests, and nothing survives it.
#ifndef SPINNERET_FRONTIER_MEMORY_STORE_H_
#define SPINNERET_FRONTIER_MEMORY_STORE_H_

#include <array>
#include <map>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "frontier/staged_changes.h"
#include "frontier/store.h"

namespace spinneret::frontier {

class MemoryStore : public Store {
 public:
  MemoryStore();
  bool get(Table table, std::string_view key, std::string& value) override;
  void multi_get(Table table, std::span<const std::string_view> keys,
                 std::vector<std::string>& values, std::vector<char>& found) override;
  std::unique_ptr<Cursor> scan(Table table, std::string_view end = {}) override;
  void put(Table table, std::string_view key, std::string_view value) override {
    staged_.add(table, Staged::Kind::kPut, key, value);
  }
  void erase(Table table, std::string_view key) override {
    staged_.add(table, Staged::Kind::kErase, key, {});
  }
  void erase_single(Table table, std::string_view key) override { erase(table, key); }
  std::size_t staged() const override { return staged_.size(); }
  Status commit() override;
  Status sync() override { return {}; }
  Status checkpoint(const std::string& path) override;
  Status verify() override { return {}; }
  std::uint64_t bytes_on_disk() override { return 0; }

  // The next commit fails, as on a full disk.
  void fail_next_commit() { fail_next_commit_ = true; }
  // What was not committed is gone, as after a crash.
  void drop_staged() { staged_.clear(/*keep=*/true); }

  using Rows = std::pmr::map<std::string, std::string, std::less<>>;
  const Rows& rows(Table table) const { return tables_[static_cast<std::size_t>(table)]->rows(); }

 private:
  struct Hash {
    std::size_t operator()(std::string_view key) const { return hash64(key); }
  };
  // Rows, and where each stands by its key, which is the row's own.
  class Indexed {
   public:
    Indexed() = default;
    Indexed(const Indexed& other);
    Indexed& operator=(const Indexed&) = delete;
    const Rows& rows() const { return rows_; }
    const std::string* find(std::string_view key) const;
    void put(std::string_view key, std::string_view value);
    void erase(std::string_view key);

   private:
    std::pmr::unsynchronized_pool_resource memory_;
    Rows rows_{&memory_};
    std::pmr::unordered_map<std::string_view, Rows::iterator, Hash> by_key_{&memory_};
  };
  // Shared with cursors, which walk over the table as it was, and with copies of the store; one that is shared is copied
  // before it is changed.
  std::array<std::shared_ptr<Indexed>, kTableCount> tables_;
  Staged staged_;
  bool fail_next_commit_ = false;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_MEMORY_STORE_H_
