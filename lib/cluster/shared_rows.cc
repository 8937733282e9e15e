// SPDX-License-Identifier: Apache-2.0
#include "cluster/shared_rows.h"

#include "cluster/outbox_rows.h"

namespace spinneret::cluster {
namespace {

// A row that exceeds this is closed, and the next batch begins another.
constexpr std::size_t kMostBytes = std::size_t{256} << 10;

}  // namespace

bool for_each_shared(ChannelStore& store, std::uint64_t from_row,
                     const std::function<bool(std::uint64_t row, std::uint32_t destination,
                                              std::uint64_t batch, std::string_view lines)>& each) {
  bool sound = true;
  store.scan(ChannelTable::kOutbox, shared_row_key(from_row),
             [&](std::string_view key, std::string_view value) {
               frontier::Decoder name{key}, in{value};
               if (name.byte() != 'n') return false;
               const std::uint64_t row = name.big_endian(8);
               bool more = true;
               while (more && sound && !in.rest.empty()) {
                 const std::uint64_t destination = in.varint(), batch = in.varint();
                 const std::string_view lines = in.bytes();
                 sound = !name.bad && !in.bad && destination <= UINT32_MAX;
                 more = sound && each(row, static_cast<std::uint32_t>(destination), batch, lines);
               }
               return more && sound;
             });
  return sound;
}

bool SharedRows::open(const std::function<bool(std::uint32_t destination, std::uint64_t batch,
                                               std::uint64_t row)>& wanted) {
  wanted_.clear();
  return for_each_shared(store_, 0,
                         [&](std::uint64_t row, std::uint32_t to, std::uint64_t batch, auto) {
                           next_ = row + 1;
                           if (wanted(to, batch, row)) ++wanted_[row];
                           return true;
                         });
}

std::uint64_t SharedRows::add(std::uint32_t destination, std::uint64_t batch,
                              std::string_view lines) {
  if (adding_.size() > kMostBytes) stage();
  frontier::put_varint(adding_, destination);
  frontier::put_varint(adding_, batch);
  frontier::put_bytes(adding_, lines);
  ++wanted_[next_];
  return next_;
}

void SharedRows::stage() {
  if (adding_.empty()) return;
  store_.put(ChannelTable::kOutbox, shared_row_key(next_++), adding_);
  adding_.clear();
}

void SharedRows::release(std::uint64_t row) {
  const auto at = wanted_.find(row);
  if (at == wanted_.end() || --at->second != 0) return;
  store_.erase(ChannelTable::kOutbox, shared_row_key(row));
  wanted_.erase(at);
}

bool SharedRows::read(std::uint64_t row, std::uint32_t destination, std::uint64_t batch,
                      std::string& lines) {
  bool found = false;
  for_each_shared(
      store_, row,
      [&](std::uint64_t at, std::uint32_t to, std::uint64_t number, std::string_view text) {
        if (at != row) return false;
        found = to == destination && number == batch;
        if (found) lines = text;
        return !found;
      });
  return found;
}

}  // namespace spinneret::cluster
