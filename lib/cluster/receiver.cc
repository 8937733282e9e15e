// SPDX-License-Identifier: Apache-2.0
// Rows of the inbox:
//   's' source  -> epoch, last sequence number, when it was used (unix ms)
//   'j'         -> when it was used; then source, epoch, last sequence number of some partitions
// Of a source with both rows the newer one holds, by epoch and number, which never fall.
#include <algorithm>
#include <utility>

#include "cluster/channel.h"
#include "frontier/encode.h"

namespace spinneret::cluster {
namespace {

constexpr std::int64_t kForgetMs = std::int64_t{30} * 24 * 3600 * 1000;

constexpr std::size_t kMostCopies = 8;

// A row costs, beside the bytes of its numbers, as much as the numbers of this many sources.
constexpr std::size_t kWorthARow = 16;

// Whether the source is "p" and digits: such a source comes back as long as the crawl lives.
bool is_partition(std::string_view source) {
  return source.size() > 1 && source.front() == 'p' &&
         source.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::uint64_t unsigned_ms(std::int64_t unix_ms) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(unix_ms, 0));
}

}  // namespace

Receiver::Receiver(ChannelStore& store, const ReceiverSettings& settings)
    : store_(store), settings_(settings) {}

Status Receiver::open(std::uint64_t epoch) {
  epoch_ = epoch;
  bool damaged = false;
  store_.scan(ChannelTable::kInbox, "j", [&](std::string_view key, std::string_view value) {
    frontier::Decoder in{value};
    if (key != "j") return false;
    const auto used_ms = static_cast<std::int64_t>(in.varint());
    while (!in.bad && !in.rest.empty()) {
      const std::string_view name = in.bytes();
      const std::uint64_t its_epoch = in.varint(), last = in.varint();
      if (in.bad || name.empty()) break;
      read_row(name, its_epoch, last, used_ms);
      Inbox::value_type& entry = *inbox_.find(name);
      if (!std::exchange(entry.second.in_one_row, true)) in_one_row_.push_back(&entry);
    }
    damaged = in.bad || !in.rest.empty();
    return false;
  });
  store_.scan(ChannelTable::kInbox, "s", [&](std::string_view key, std::string_view value) {
    frontier::Decoder in{value};
    const std::uint64_t its_epoch = in.varint(), last = in.varint();
    const auto used_ms = static_cast<std::int64_t>(in.varint());
    damaged = damaged || in.bad || key.size() < 2;
    if (!damaged) read_row(key.substr(1), its_epoch, last, used_ms);
    return !damaged;
  });
  if (damaged) return Error{"a row of the inbox is damaged"};
  acks_lost();
  return {};
}

void Receiver::read_row(std::string_view name, std::uint64_t epoch, std::uint64_t last,
                        std::int64_t used_ms) {
  Source& source = inbox_[std::string(name)];
  if (std::pair(epoch, last) < std::pair(source.epoch, source.last)) return;
  source.epoch = source.durable_epoch = epoch;
  source.last = source.durable = last;
  source.used_ms = used_ms;
}

void Receiver::make_due(Inbox::value_type& entry) {
  if (!std::exchange(entry.second.due, true)) due_.push_back(&entry);
}

void Receiver::set_epoch(std::uint64_t epoch) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  acks_lost();
}

std::uint64_t Receiver::highest_epoch() const {
  std::uint64_t highest = 0;
  for (const auto& [name, source] : inbox_) highest = std::max(highest, source.epoch);
  return highest;
}

Take Receiver::take(const Frame& frame, std::int64_t unix_ms) {
  if (frame.destination != settings_.partition || frame.source.empty()) return Take::kForeign;
  auto found = inbox_.find(frame.source);
  if (found == inbox_.end()) {
    if (inbox_.size() >= settings_.most_sources) return Take::kForeign;
    found = inbox_.try_emplace(std::string(frame.source)).first;
  }
  Source& source = found->second;
  make_due(*found);  // even for a repeat: its ack may have been lost
  if (frame.epoch < source.epoch) return Take::kRefused;
  const bool risen = frame.epoch > source.epoch;
  const std::uint64_t last = risen ? 0 : source.last;
  const bool next = frame.sequence == last + 1;
  if (!risen && !next) return frame.sequence > last ? Take::kGap : Take::kRepeat;
  source.epoch = frame.epoch;
  source.last = next ? last + 1 : 0;
  source.used_ms = unix_ms;
  if (!source.staged) touched_.push_back(&*found);
  source.staged = true;
  return next ? Take::kAdmit : Take::kGap;
}

void Receiver::stage() {
  const auto partitions = static_cast<std::size_t>(
      std::count_if(touched_.begin(), touched_.end(),
                    [](const auto* entry) { return is_partition(entry->first); }));
  const bool one_row =
      settings_.one_row && partitions > 1 && in_one_row_.size() <= kWorthARow * partitions;
  std::string row;
  for (Inbox::value_type* const entry : touched_) {
    Source& source = entry->second;
    if (one_row && is_partition(entry->first)) {
      if (!std::exchange(source.in_one_row, true)) in_one_row_.push_back(entry);
      continue;
    }
    row.clear();
    frontier::put_varint(row, source.epoch);
    frontier::put_varint(row, source.last);
    frontier::put_varint(row, unsigned_ms(source.used_ms));
    store_.put(ChannelTable::kInbox, "s" + entry->first, row);
  }
  if (one_row) put_one_row();
}

void Receiver::put_one_row() {
  std::string row;
  std::int64_t used_ms = 0;
  for (const auto* const entry : touched_) used_ms = std::max(used_ms, entry->second.used_ms);
  frontier::put_varint(row, unsigned_ms(used_ms));
  for (const auto* const entry : in_one_row_) {
    frontier::put_bytes(row, entry->first);
    frontier::put_varint(row, entry->second.epoch);
    frontier::put_varint(row, entry->second.last);
  }
  store_.put(ChannelTable::kInbox, "j", row);
}

void Receiver::committed() {
  for (Inbox::value_type* const entry : touched_) {
    Source& source = entry->second;
    source.durable_epoch = source.epoch;
    source.durable = source.last;
    make_due(*entry);
    source.staged = false;
  }
  touched_.clear();
}

void Receiver::copy_begins(std::uint64_t copy) {
  Copy one;
  one.number = copy;
  for (const auto& [name, source] : inbox_) {
    one.rows.emplace(name, std::pair(source.durable_epoch, source.durable));
  }
  copies_.push_back(std::move(one));
  // Copies that never arrived are given up, the oldest first.
  if (copies_.size() <= kMostCopies) return;
  const auto stale =
      std::find_if(copies_.begin(), copies_.end(), [](const Copy& c) { return !c.shipped; });
  if (stale != copies_.end()) copies_.erase(stale);
}

void Receiver::copy_shipped(std::uint64_t copy) {
  for (Copy& one : copies_) one.shipped = one.shipped || one.number == copy;
  // Copies before the one that counts are of no more use.
  const Copy* const counts = kept_copy();
  while (counts != nullptr && &copies_.front() != counts) copies_.pop_front();
  acks_lost();
}

const Receiver::Copy* Receiver::kept_copy() const {
  std::size_t newer = 0;
  for (auto one = copies_.rbegin(); one != copies_.rend(); ++one) {
    if (one->shipped && newer++ == settings_.copies_behind) return &*one;
  }
  return nullptr;
}

std::uint64_t Receiver::kept(const std::string& name, const Source& source) const {
  if (!settings_.copies) return source.durable;
  const Copy* const copy = kept_copy();
  if (copy == nullptr) return 0;
  const auto row = copy->rows.find(name);
  return row != copy->rows.end() && row->second.first == source.durable_epoch ? row->second.second
                                                                              : 0;
}

bool Receiver::wants_copies() const {
  return settings_.copies && std::any_of(inbox_.begin(), inbox_.end(), [this](const auto& entry) {
           return kept(entry.first, entry.second) < entry.second.durable;
         });
}

std::vector<std::pair<std::string, Ack>> Receiver::changed_acks(const Wanted& wanted) {
  std::vector<std::pair<std::string, Ack>> changed;
  std::erase_if(due_, [&](Inbox::value_type* entry) {
    auto& [name, source] = *entry;
    if (source.staged || (wanted && !wanted(name))) return false;
    source.due = false;
    changed.emplace_back(name,
                         Ack{source.durable_epoch, source.durable, kept(name, source), epoch_});
    return true;
  });
  return changed;
}

void Receiver::acks_lost() {
  for (Inbox::value_type& entry : inbox_) make_due(entry);
}

void Receiver::expire(std::int64_t unix_ms) {
  for (auto at = inbox_.begin(); at != inbox_.end();) {
    const auto& [name, source] = *at;
    if (is_partition(name) || source.staged || unix_ms - source.used_ms < kForgetMs) {
      ++at;
      continue;
    }
    store_.erase(ChannelTable::kInbox, "s" + name);
    std::erase(due_, &*at);
    at = inbox_.erase(at);
  }
}

}  // namespace spinneret::cluster
