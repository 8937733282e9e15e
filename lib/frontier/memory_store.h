// SPDX-License-Identifier: Apache-2.0
// A Store in memory, for tests: nothing survives it. It has the rows of a table as they came, an
// index of them by the hash of the key, and their order (sorted_rows.h).
//
//   places  ... {hash, row} ...    open addressing, a power of two, at most half full
//
// A lookup reads one line of places, and then the row itself. Keys that come together are looked up
// together: first all their lines are prefetched, then all their rows.
#ifndef SPINNERET_FRONTIER_MEMORY_STORE_H_
#define SPINNERET_FRONTIER_MEMORY_STORE_H_

#include <array>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/huge_pages.h"
#include "frontier/sorted_rows.h"
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

  // Makes the next commit fail, as on a full disk.
  void fail_next_commit() { fail_next_commit_ = true; }
  // Drops what was not committed, as after a crash.
  void drop_staged() { staged_.clear(/*keep=*/true); }

  // A copy of a table.
  using Rows = std::map<std::string, std::string, std::less<>>;
  Rows rows(Table table) const;

 private:
  // Rows whose bytes stand in the pool of their table, too.
  using Pooled = std::pmr::list<SortedRows::Row>;

  // Rows, and the place of each by the hash of its key.
  class Indexed {
   public:
    Indexed() = default;
    Indexed(const Indexed& other);
    Indexed& operator=(const Indexed&) = delete;
    const SortedRows& rows() const { return sorted_; }
    // nullptr: there is none. `hash` is that of the key.
    const std::pmr::string* find(std::uint64_t hash, std::string_view key) const;
    void put(std::uint64_t hash, std::string_view key, std::string_view value);
    void erase(std::uint64_t hash, std::string_view key);
    // Prefetch what will be looked up: first the place of each key, then the row that stands there.
    void expect_place(std::uint64_t hash) const { __builtin_prefetch(&places_[hash & mask()]); }
    void expect_row(std::uint64_t hash) const;

   private:
    struct Place {
      std::uint64_t hash = 0;  // 0: free
      Pooled::iterator row;
    };
    std::size_t mask() const { return places_.size() - 1; }
    std::size_t place_of(std::uint64_t hash, std::string_view key) const;
    void index(std::uint64_t hash, Pooled::iterator row);

    std::pmr::unsynchronized_pool_resource memory_{huge_pages()};
    Pooled rows_{&memory_};
    SortedRows sorted_{&memory_};
    std::pmr::vector<Place> places_{16, huge_pages()};
  };
  void expect(const Indexed& rows) const;

  // Shared with cursors, which walk over the table as it was, and with copies of the store. A
  // shared one is copied before it is changed.
  std::array<std::shared_ptr<Indexed>, kTableCount> tables_;
  Staged staged_;
  std::vector<std::uint64_t> hashes_;  // hashes of the keys at hand
  bool fail_next_commit_ = false;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_MEMORY_STORE_H_
