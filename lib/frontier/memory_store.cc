// SPDX-License-Identifier: Apache-2.0
#include "frontier/memory_store.h"

#include <utility>

namespace spinneret::frontier {
namespace {

class MapCursor : public Cursor {
 public:
  MapCursor(std::shared_ptr<const MemoryStore::Rows> rows, std::string_view end)
      : rows_(std::move(rows)), end_(end), at_(rows_->end()) {}
  void seek(std::string_view key) override { at_ = rows_->lower_bound(key); }
  void next() override { ++at_; }
  bool valid() const override { return at_ != rows_->end() && (end_.empty() || at_->first < end_); }
  std::string_view key() const override { return at_->first; }
  std::string_view value() const override { return at_->second; }

 private:
  std::shared_ptr<const MemoryStore::Rows> rows_;
  std::string end_;
  MemoryStore::Rows::const_iterator at_;
};

}  // namespace

MemoryStore::MemoryStore() {
  for (std::shared_ptr<Rows>& table : tables_) table = std::make_shared<Rows>();
}

bool MemoryStore::get(Table table, std::string_view key, std::string& value) {
  const Rows& all = rows(table);
  const auto at = all.find(key);
  if (at == all.end()) return false;
  value = at->second;
  return true;
}

void MemoryStore::multi_get(Table table, std::span<const std::string_view> keys,
                            std::vector<std::string>& values, std::vector<char>& found) {
  values.resize(keys.size());
  found.assign(keys.size(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) found[i] = get(table, keys[i], values[i]) ? 1 : 0;
}

std::unique_ptr<Cursor> MemoryStore::scan(Table table, std::string_view end) {
  return std::make_unique<MapCursor>(tables_[static_cast<std::size_t>(table)], end);
}

void MemoryStore::put(Table table, std::string_view key, std::string_view value) {
  staged_.push_back({table, true, std::string(key), std::string(value)});
}

void MemoryStore::erase(Table table, std::string_view key) {
  staged_.push_back({table, false, std::string(key), {}});
}

Status MemoryStore::commit() {
  if (std::exchange(fail_next_commit_, false)) {
    status_ = Error{"cannot write the state: No space left on device"};
    return status_;
  }
  for (Change& change : staged_) {
    std::shared_ptr<Rows>& shared = tables_[static_cast<std::size_t>(change.table)];
    if (shared.use_count() > 1) shared = std::make_shared<Rows>(*shared);
    Rows& table = *shared;
    if (change.is_put) {
      table[std::move(change.key)] = std::move(change.value);
    } else {
      table.erase(change.key);
    }
  }
  staged_.clear();
  return {};
}

Status MemoryStore::checkpoint(const std::string& path) {
  return Error{"cannot write " + path + ": the state is in memory only"};
}

}  // namespace spinneret::frontier
