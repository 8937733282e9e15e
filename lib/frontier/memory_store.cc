// SPDX-License-Identifier: Apache-2.0
#include "frontier/memory_store.h"

#include <utility>

#include "base/hash.h"

namespace spinneret::frontier {
namespace {

class MemoryCursor : public Cursor {
 public:
  // `owner` keeps the rows as they are.
  MemoryCursor(std::shared_ptr<const void> owner, const SortedRows& rows, std::string_view end)
      : owner_(std::move(owner)), rows_(rows), end_(end), at_(rows_.end()) {}
  void seek(std::string_view key) override { at_ = rows_.lower_bound(key); }
  void next() override { at_ = rows_.next(at_); }
  bool valid() const override { return !rows_.is_end(at_) && (end_.empty() || key() < end_); }
  std::string_view key() const override { return rows_.row(at_).first; }
  std::string_view value() const override { return rows_.row(at_).second; }

 private:
  std::shared_ptr<const void> owner_;
  const SortedRows& rows_;
  std::string end_;
  SortedRows::At at_;
};

// No key has the hash of a free place.
std::uint64_t hash_of(std::string_view key) { return hash64(key) | std::uint64_t{1} << 63; }

}  // namespace

// --- by key --------------------------------------------------------------------------------------

MemoryStore::Indexed::Indexed(const Indexed& other) : rows_(other.rows_, &memory_) {
  for (auto at = rows_.begin(); at != rows_.end(); ++at) {
    index(hash_of(at->first), at);
    sorted_.insert(*at);
  }
}

std::size_t MemoryStore::Indexed::place_of(std::uint64_t hash, std::string_view key) const {
  std::size_t at = hash & mask();
  while (places_[at].hash != 0 && (places_[at].hash != hash || places_[at].row->first != key))
    at = (at + 1) & mask();
  return at;
}

// Gives a place to a row that has none yet.
void MemoryStore::Indexed::index(std::uint64_t hash, Pooled::iterator row) {
  if (rows_.size() * 2 > places_.size()) {
    std::pmr::vector<Place> old(places_.size() * 2, huge_pages());
    old.swap(places_);
    for (const Place& each : old) {
      if (each.hash != 0) places_[place_of(each.hash, each.row->first)] = each;
    }
  }
  places_[place_of(hash, row->first)] = {hash, row};
}

void MemoryStore::Indexed::expect_row(std::uint64_t hash) const {
  const Place& first = places_[hash & mask()];
  if (first.hash != 0) __builtin_prefetch(&*first.row);
}

const std::pmr::string* MemoryStore::Indexed::find(std::uint64_t hash, std::string_view key) const {
  const Place& found = places_[place_of(hash, key)];
  return found.hash == 0 ? nullptr : &found.row->second;
}

void MemoryStore::Indexed::put(std::uint64_t hash, std::string_view key, std::string_view value) {
  const Place& found = places_[place_of(hash, key)];
  if (found.hash != 0) {
    found.row->second = value;
  } else {
    index(hash, rows_.emplace(rows_.end(), key, value));
    sorted_.insert(rows_.back());
  }
}

// The places behind it move up, where they may.
void MemoryStore::Indexed::erase(std::uint64_t hash, std::string_view key) {
  std::size_t gap = place_of(hash, key);
  if (places_[gap].hash == 0) return;
  sorted_.erase(*places_[gap].row);
  rows_.erase(places_[gap].row);
  for (std::size_t at = (gap + 1) & mask(); places_[at].hash != 0; at = (at + 1) & mask()) {
    const std::size_t from_home = (at - places_[at].hash) & mask();
    if (from_home < ((at - gap) & mask())) continue;
    places_[gap] = places_[at];
    gap = at;
  }
  places_[gap] = {};
}

// --- tables --------------------------------------------------------------------------------------

MemoryStore::MemoryStore() {
  for (std::shared_ptr<Indexed>& table : tables_) table = std::make_shared<Indexed>();
}

MemoryStore::Rows MemoryStore::rows(Table table) const {
  const SortedRows& rows = tables_[static_cast<std::size_t>(table)]->rows();
  Rows copy;
  for (SortedRows::At at = rows.lower_bound({}); !rows.is_end(at); at = rows.next(at))
    copy.emplace_hint(copy.end(), rows.row(at));
  return copy;
}

bool MemoryStore::get(Table table, std::string_view key, std::string& value) {
  const std::pmr::string* const found =
      tables_[static_cast<std::size_t>(table)]->find(hash_of(key), key);
  if (found != nullptr) value = *found;
  return found != nullptr;
}

// Prefetches what all hashes_ will look at.
void MemoryStore::expect(const Indexed& rows) const {
  for (const std::uint64_t hash : hashes_) rows.expect_place(hash);
  for (const std::uint64_t hash : hashes_) rows.expect_row(hash);
}

void MemoryStore::multi_get(Table table, std::span<const std::string_view> keys,
                            std::vector<std::string>& values, std::vector<char>& found) {
  values.resize(keys.size());
  found.assign(keys.size(), 0);
  const Indexed& rows = *tables_[static_cast<std::size_t>(table)];
  hashes_.clear();
  for (const std::string_view key : keys) hashes_.push_back(hash_of(key));
  expect(rows);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::pmr::string* const value = rows.find(hashes_[i], keys[i]);
    if (value == nullptr) continue;
    values[i] = *value;
    found[i] = 1;
  }
}

std::unique_ptr<Cursor> MemoryStore::scan(Table table, std::string_view end) {
  const std::shared_ptr<Indexed>& rows = tables_[static_cast<std::size_t>(table)];
  return std::make_unique<MemoryCursor>(rows, rows->rows(), end);
}

Status MemoryStore::commit() {
  if (std::exchange(fail_next_commit_, false)) {
    status_ = Error{"cannot write the state: No space left on device"};
    return status_;
  }
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    std::shared_ptr<Indexed>& shared = tables_[table];
    hashes_.clear();
    staged_.for_each(static_cast<Table>(table),
                     [this](Staged::Kind, std::string_view key, std::string_view) {
                       hashes_.push_back(hash_of(key));
                     });
    if (hashes_.empty()) continue;
    if (shared.use_count() > 1) shared = std::make_shared<Indexed>(*shared);
    expect(*shared);
    std::size_t i = 0;
    staged_.for_each(static_cast<Table>(table),
                     [&](Staged::Kind kind, std::string_view key, std::string_view value) {
                       const std::uint64_t hash = hashes_[i++];
                       if (kind == Staged::Kind::kPut) {
                         shared->put(hash, key, value);
                       } else {
                         shared->erase(hash, key);
                       }
                     });
  }
  staged_.clear(/*keep=*/true);
  return {};
}

Status MemoryStore::checkpoint(const std::string& path) {
  return Error{"cannot write " + path + ": the state is in memory only"};
}

}  // namespace spinneret::frontier
