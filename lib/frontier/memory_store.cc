// SPDX-License-Identifier: Apache-2.0
#include "frontier/memory_store.h"

#include <utility>

namespace spinneret::frontier {
namespace {

class MapCursor : public Cursor {
 public:
  explicit MapCursor(MemoryStore::Rows rows) : rows_(std::move(rows)), at_(rows_.end()) {}
  void seek(std::string_view key) override { at_ = rows_.lower_bound(key); }
  void next() override { ++at_; }
  bool valid() const override { return at_ != rows_.end(); }
  std::string_view key() const override { return at_->first; }
  std::string_view value() const override { return at_->second; }

 private:
  MemoryStore::Rows rows_;  // a copy: the walk is over the table as it was
  MemoryStore::Rows::const_iterator at_;
};

}  // namespace

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
  Rows copy = rows(table);
  if (!end.empty()) copy.erase(copy.lower_bound(end), copy.end());
  return std::make_unique<MapCursor>(std::move(copy));
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
    Rows& table = tables_[static_cast<std::size_t>(change.table)];
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
