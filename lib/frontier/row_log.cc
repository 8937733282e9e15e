// SPDX-License-Identifier: Apache-2.0
#include "frontier/row_log.h"

#include <memory>

#include "frontier/encode.h"
#include "frontier/host_row.h"

namespace spinneret::frontier {
namespace {

constexpr std::string_view kRows = "rows:";
constexpr std::string_view kEnd = "rows;";

// False where the bytes are no rows, or end within one.
bool for_each_row(std::string_view bytes, const RowLog::Each& each) {
  Decoder from{bytes};
  while (!from.rest.empty()) {
    const std::uint64_t id = from.varint();
    const std::string_view row = from.bytes();
    if (from.bad || id >= kMostHosts) return false;
    each(static_cast<HostId>(id), row);
  }
  return true;
}

}  // namespace

bool is_of_row_log(std::string_view key) { return key.starts_with(kRows); }

void RowLog::make_key(Number batch) {
  key_ = kRows;
  put_big_endian(key_, batch, 8);
}

Status RowLog::read(const EachOf& each, const Problem& problem) {
  sizes_.clear();
  size_ = 0;
  const std::unique_ptr<Cursor> at = store_.scan(Table::kMeta, kEnd);
  for (at->seek(kRows); at->valid(); at->next(), ++next_) {
    Decoder from{at->key().substr(kRows.size())};
    const Number batch = from.big_endian(8);
    if (sizes_.empty()) next_ = batch;
    std::uint32_t rows = 0;
    const bool follows = !from.bad && from.rest.empty() && batch == next_;
    const bool whole =
        (follows || problem) && for_each_row(at->value(), [&](HostId id, std::string_view row) {
          each(batch, id, row);
          ++rows;
        });
    if (!follows || !whole) {
      const std::string what = follows ? "of batch " : "before batch ";
      if (!problem)
        return Error{"the state is damaged: rows of hosts " + what + std::to_string(batch)};
      problem("rows of hosts " + what + std::to_string(batch) + " are lost");
      next_ = batch;
    }
    sizes_.push_back(rows);
    size_ += rows;
  }
  return store_.status();
}

bool RowLog::get(Number batch, const Each& each) {
  make_key(batch);
  return store_.get(Table::kMeta, key_, bytes_) && for_each_row(bytes_, each);
}

void RowLog::add(HostId id, std::string_view row) {
  put_varint(batch_, id);
  put_bytes(batch_, row);
  ++added_;
}

void RowLog::stage() {
  if (added_ == 0) return;
  make_key(next_++);
  store_.put(Table::kMeta, key_, batch_);
  sizes_.push_back(added_);
  size_ += added_;
  batch_.clear();
  added_ = 0;
}

bool RowLog::take_oldest(const EachOf& each) {
  const Number oldest = next_ - sizes_.size();
  if (!get(oldest, [&](HostId id, std::string_view row) { each(oldest, id, row); })) return false;
  store_.erase_single(Table::kMeta, key_);
  size_ -= sizes_.front();
  sizes_.pop_front();
  return true;
}

void RowLog::clear() {
  const std::unique_ptr<Cursor> at = store_.scan(Table::kMeta, kEnd);
  for (at->seek(kRows); at->valid(); at->next()) store_.erase_single(Table::kMeta, at->key());
  sizes_.clear();
  size_ = 0;
}

Status LoggedRows::read(Store& store, const RowLog::Problem& problem) {
  HostRow read;
  return RowLog(store).read(
      [&](RowLog::Number, HostId id, std::string_view row) {
        // Some rows of a damaged batch may be none: an older row is better.
        if (problem && !(decode_host_row(row, read) && read.id == id)) return;
        rows_[id] = {bytes_.size(), row.size()};
        bytes_ += row;
      },
      problem);
}

std::string_view LoggedRows::of(HostId id, std::string_view row) const {
  const auto at = rows_.find(id);
  if (at == rows_.end()) return row;
  return std::string_view(bytes_).substr(at->second.begin, at->second.size);
}

}  // namespace spinneret::frontier
