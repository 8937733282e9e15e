// SPDX-License-Identifier: Apache-2.0
#include "frontier/memory_store.h"

#include <utility>

namespace spinneret::frontier {
namespace {

class MapCursor : public Cursor {
 public:
  // `owner` keeps the rows as they are.
  MapCursor(std::shared_ptr<const void> owner, const MemoryStore::Rows& rows, std::string_view end)
      : owner_(std::move(owner)), rows_(rows), end_(end), at_(rows_.end()) {}
  void seek(std::string_view key) override { at_ = rows_.lower_bound(key); }
  void next() override { ++at_; }
  bool valid() const override { return at_ != rows_.end() && (end_.empty() || at_->first < end_); }
  std::string_view key() const override { return at_->first; }
  std::string_view value() const override { return at_->second; }

 private:
  std::shared_ptr<const void> owner_;
  const MemoryStore::Rows& rows_;
  std::string end_;
  MemoryStore::Rows::const_iterator at_;
};

}  // namespace

// --- by key ---------------------------------------------------------------------------------------

MemoryStore::Indexed::Indexed(const Indexed& other) : rows_(other.rows_, &memory_) {
  by_key_.reserve(rows_.size());
  for (auto at = rows_.begin(); at != rows_.end(); ++at) by_key_.emplace(at->first, at);
}

const std::string* MemoryStore::Indexed::find(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &found->second->second;
}

void MemoryStore::Indexed::put(std::string_view key, std::string_view value) {
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    found->second->second = value;
    return;
  }
  const Rows::iterator made = rows_.emplace(key, value).first;
  by_key_.emplace(made->first, made);
}

void MemoryStore::Indexed::erase(std::string_view key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  const Rows::iterator row = found->second;
  by_key_.erase(found);
  rows_.erase(row);
}

// --- tables ---------------------------------------------------------------------------------------

MemoryStore::MemoryStore() {
  for (std::shared_ptr<Indexed>& table : tables_) table = std::make_shared<Indexed>();
}

bool MemoryStore::get(Table table, std::string_view key, std::string& value) {
  const std::string* const found = tables_[static_cast<std::size_t>(table)]->find(key);
  if (found != nullptr) value = *found;
  return found != nullptr;
}

void MemoryStore::multi_get(Table table, std::span<const std::string_view> keys,
                            std::vector<std::string>& values, std::vector<char>& found) {
  values.resize(keys.size());
  found.assign(keys.size(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) found[i] = get(table, keys[i], values[i]) ? 1 : 0;
}

std::unique_ptr<Cursor> MemoryStore::scan(Table table, std::string_view end) {
  const std::shared_ptr<Indexed>& rows = tables_[static_cast<std::size_t>(table)];
  return std::make_unique<MapCursor>(rows, rows->rows(), end);
}

Status MemoryStore::commit() {
  if (std::exchange(fail_next_commit_, false)) {
    status_ = Error{"cannot write the state: No space left on device"};
    return status_;
  }
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    std::shared_ptr<Indexed>& shared = tables_[table];
    staged_.for_each(static_cast<Table>(table),
                     [&shared](Staged::Kind kind, std::string_view key, std::string_view value) {
                       if (shared.use_count() > 1) shared = std::make_shared<Indexed>(*shared);
                       if (kind == Staged::Kind::kPut) {
                         shared->put(key, value);
                       } else {
                         shared->erase(key);
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
