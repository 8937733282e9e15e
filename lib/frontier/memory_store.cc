// SPDX-License-Identifier: Apache-2.0
#include "frontier/memory_store.h"

#include <utility>

#include "base/hash.h"

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

MemoryStore::Indexed::Indexed(const Indexed& other)
    : rows_(other.rows_), places_(other.places_.size()) {
  for (auto at = rows_.begin(); at != rows_.end(); ++at) {
    const std::uint64_t hash = hash64(at->first);
    places_[place_of(hash, at->first)] = {hash, true, at};
  }
}

// Of that key, or the free one where it belongs.
std::size_t MemoryStore::Indexed::place_of(std::uint64_t hash, std::string_view key) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = hash & mask;
  while (places_[place].taken &&
         (places_[place].hash != hash || places_[place].row->first != key)) {
    place = (place + 1) & mask;
  }
  return place;
}

void MemoryStore::Indexed::grow() {
  const std::vector<Place> old = std::exchange(places_, std::vector<Place>(places_.size() * 2));
  const std::size_t mask = places_.size() - 1;
  for (const Place& each : old) {
    if (!each.taken) continue;
    std::size_t place = each.hash & mask;
    while (places_[place].taken) place = (place + 1) & mask;
    places_[place] = each;
  }
}

const std::string* MemoryStore::Indexed::find(std::string_view key) const {
  const Place& place = places_[place_of(hash64(key), key)];
  return place.taken ? &place.row->second : nullptr;
}

void MemoryStore::Indexed::put(std::string key, std::string value) {
  const std::uint64_t hash = hash64(key);
  Place& place = places_[place_of(hash, key)];
  if (place.taken) {
    place.row->second = std::move(value);
    return;
  }
  place = {hash, true, rows_.emplace(std::move(key), std::move(value)).first};
  if (rows_.size() * 2 > places_.size()) grow();
}

// What stands behind it up to the next free place moves up, unless it is already where it belongs.
void MemoryStore::Indexed::erase(std::string_view key) {
  const std::size_t mask = places_.size() - 1;
  std::size_t hole = place_of(hash64(key), key);
  if (!places_[hole].taken) return;
  rows_.erase(places_[hole].row);
  for (std::size_t at = (hole + 1) & mask; places_[at].taken; at = (at + 1) & mask) {
    if (((at - places_[at].hash) & mask) < ((at - hole) & mask)) continue;
    places_[hole] = places_[at];
    hole = at;
  }
  places_[hole].taken = false;
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
    std::shared_ptr<Indexed>& shared = tables_[static_cast<std::size_t>(change.table)];
    if (shared.use_count() > 1) shared = std::make_shared<Indexed>(*shared);
    if (change.is_put) {
      shared->put(std::move(change.key), std::move(change.value));
    } else {
      shared->erase(change.key);
    }
  }
  staged_.clear();
  return {};
}

Status MemoryStore::checkpoint(const std::string& path) {
  return Error{"cannot write " + path + ": the state is in memory only"};
}

}  // namespace spinneret::frontier
