// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_log.h"

#include <algorithm>
#include <array>
#include <memory>

#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

constexpr std::string_view kHead = "hosts:log";
constexpr std::string_view kPages = "hosts:p";
constexpr std::string_view kTurns = "hosts:t";
constexpr std::string_view kAll = "hosts:";
constexpr std::string_view kEnd = "hosts;";
// Number of rows that are erased at once.
constexpr std::size_t kBatch = 10'000;

// An older program ignores flags that it does not know; what it then writes of the host is without
// them.
enum Flag : std::uint8_t {
  kOrigin = 1,
  kHeard = 2,
  kStale = 4,
  kWait = 8,
  kLane = 16,
  kBlank = 32
};

void make_key(std::string& out, std::string_view prefix, std::uint64_t number, int bytes) {
  out = prefix;
  put_big_endian(out, number, bytes);
}

// False where `key` is none of that prefix.
bool number_of(std::string_view key, std::string_view prefix, int bytes, std::uint64_t& out) {
  if (!key.starts_with(prefix)) return false;
  Decoder from{key.substr(prefix.size())};
  out = from.big_endian(bytes);
  return !from.bad && from.rest.empty();
}

void put_time(std::string& out, BootTime time) {
  put_varint(out, time.boot);
  put_varint(out, static_cast<std::uint64_t>(time.ms));
}

BootTime get_time(Decoder& from) {
  const std::uint64_t boot = from.varint();
  return {boot, from.milliseconds()};
}

// What is left of a wait that began then, by the rules of wait_left_ms.
std::int64_t left_of(std::int64_t wait_ms, BootTime then, BootTime now) {
  if (then.boot == 0 || then.boot != now.boot) return wait_ms;
  return std::clamp<std::int64_t>(then.ms + wait_ms + 1 - now.ms, 0, wait_ms);
}

// Reads the next brief; ids count from `first`. False where the bytes are none.
bool get_brief(Decoder& from, HostId first, BootTime then, BootTime now, HostBrief& out) {
  const std::uint64_t id = from.varint() + first;
  if (id >= kMostHosts) return false;
  const std::uint8_t flags = from.byte();
  out.id = static_cast<HostId>(id);
  out.origin = (flags & kOrigin) != 0 ? from.bytes() : std::string_view();
  out.heard = (flags & kHeard) != 0;
  out.count_stale = (flags & kStale) != 0;
  out.blank = (flags & kBlank) != 0;
  out.waiting = static_cast<std::uint32_t>(from.varint());
  out.pages = static_cast<std::uint32_t>(from.varint());
  out.delay_ms = static_cast<std::uint32_t>(from.varint());
  out.wait_ms = (flags & kWait) != 0 ? left_of(from.milliseconds(), then, now) : 0;
  out.lane = (flags & kLane) != 0 ? from.big_endian(8) : 0;
  return !from.bad;
}

// Reads the rest of a row, several briefs at once. False: it is none, or `some` says so.
template <typename Some>
bool for_some(Decoder& from, HostId first, BootTime then, BootTime now, const Some& some) {
  std::array<HostBrief, 64> briefs;
  while (!from.bad && !from.rest.empty()) {
    std::size_t count = 0;
    for (; count < briefs.size() && !from.rest.empty(); ++count) {
      if (!get_brief(from, first, then, now, briefs[count])) return false;
    }
    if (!some(std::span<const HostBrief>(briefs.data(), count))) return false;
  }
  return !from.bad;
}

template <typename Each>
void each_count(HostCounts& counts, Each each) {
  for (std::uint64_t* const count : {&counts.waiting, &counts.done, &counts.error, &counts.blocked,
                                     &counts.pages, &counts.visits, &counts.bytes})
    each(*count);
}

}  // namespace

bool is_of_host_log(std::string_view key) { return key.starts_with(kAll); }

void forget_host_log(Store& store) { store.erase(Table::kMeta, kHead); }

// --- reading -------------------------------------------------------------------------------------

bool HostLog::read_head(std::uint64_t& oldest, std::uint64_t& id_end) {
  if (!store_.get(Table::kMeta, kHead, bytes_)) return false;
  Decoder from{bytes_};
  const std::uint64_t page = from.varint();
  oldest = from.varint();
  id_end = from.varint();
  const bool has_lanes = from.byte() != 0;
  return !from.bad && page == page_ && has_lanes == with_lanes_ && oldest != 0 &&
         id_end <= kMostHosts;
}

bool HostLog::read_pages(BootTime now, std::uint64_t oldest, const Reader& reader) {
  page_turns_.clear();
  const std::unique_ptr<Cursor> at = store_.scan(Table::kMeta, kTurns);
  for (at->seek(kPages); at->valid(); at->next()) {
    std::uint64_t number = 0;
    if (!number_of(at->key(), kPages, 4, number) || number >= kMostHosts / page_) return false;
    Decoder from{at->value()};
    const BootTime then = get_time(from);
    page_turns_.resize(std::max<std::size_t>(page_turns_.size(), number + 1), oldest - 1);
    page_turns_[number] = from.varint();
    const auto first = static_cast<HostId>(number * page_);
    if (!for_some(from, first, then, now, reader.some)) return false;
  }
  return true;
}

bool HostLog::read_turns(BootTime now, std::uint64_t oldest, const Reader& reader,
                         HostCounts& sums) {
  // All hosts of a page that was not written yet stand in turns.
  const auto some = [&](std::span<const HostBrief> briefs) {
    for (const HostBrief& brief : briefs) {
      const std::size_t page = brief.id / page_;
      if (page >= page_turns_.size()) page_turns_.resize(page + 1, oldest - 1);
    }
    since_page_ += briefs.size();
    return reader.some(briefs);
  };
  make_key(key_, kTurns, oldest, 8);
  const std::unique_ptr<Cursor> at = store_.scan(Table::kMeta, kEnd);
  next_turn_ = oldest;
  for (at->seek(key_); at->valid(); at->next(), ++next_turn_) {
    std::uint64_t number = 0;
    if (!number_of(at->key(), kTurns, 8, number) || number != next_turn_) return false;
    Decoder from{at->value()};
    const BootTime then = get_time(from);
    each_count(sums, [&](std::uint64_t& count) { count = from.varint(); });
    if (!for_some(from, 0, then, now, some)) return false;
  }
  return next_turn_ != oldest;
}

bool HostLog::read(BootTime now, bool with_lanes, const Reader& reader, HostCounts& sums) {
  with_lanes_ = with_lanes;
  std::uint64_t oldest = 0;
  std::uint64_t id_end = 0;
  if (!read_head(oldest, id_end)) return false;
  reader.hosts(id_end);
  if (!read_pages(now, oldest, reader) || !read_turns(now, oldest, reader, sums)) return false;
  oldest_ = oldest;
  since_page_ = std::min<std::uint64_t>(since_page_, page_);
  return std::all_of(page_turns_.begin(), page_turns_.end(),
                     [this](std::uint64_t turn) { return turn < next_turn_; });
}

// --- writing -------------------------------------------------------------------------------------

void HostLog::begin_turn(BootTime now, const HostCounts& sums) {
  bytes_.clear();
  first_ = 0;
  put_time(bytes_, now);
  HostCounts copy = sums;
  each_count(copy, [this](std::uint64_t& count) { put_varint(bytes_, count); });
}

void HostLog::add(const HostBrief& brief) {
  put_varint(bytes_, brief.id - first_);
  bytes_ += static_cast<char>((brief.origin.empty() ? 0 : kOrigin) | (brief.heard ? kHeard : 0) |
                              (brief.count_stale ? kStale : 0) | (brief.wait_ms > 0 ? kWait : 0) |
                              (brief.lane != 0 ? kLane : 0) | (brief.blank ? kBlank : 0));
  if (!brief.origin.empty()) put_bytes(bytes_, brief.origin);
  put_varint(bytes_, brief.waiting);
  put_varint(bytes_, brief.pages);
  put_varint(bytes_, brief.delay_ms);
  if (brief.wait_ms > 0) put_varint(bytes_, static_cast<std::uint64_t>(brief.wait_ms));
  if (brief.lane != 0) put_big_endian(bytes_, brief.lane, 8);
  ++since_page_;
}

void HostLog::end_turn(HostId id_end) {
  make_key(key_, kTurns, next_turn_, 8);
  store_.put(Table::kMeta, key_, bytes_);
  // Hosts of a new page stand in no turn before this one.
  while (page_turns_.size() * page_ < id_end) page_turns_.push_back(next_turn_ - 1);
  ++next_turn_;
}

std::size_t HostLog::oldest_page() const {
  return static_cast<std::size_t>(std::min_element(page_turns_.begin(), page_turns_.end()) -
                                  page_turns_.begin());
}

HostLog::Ids HostLog::begin_page(std::size_t page, BootTime now) {
  at_page_ = page;
  page_turns_[page] = next_turn_ - 1;
  first_ = static_cast<HostId>(page * page_);
  bytes_.clear();
  put_time(bytes_, now);
  put_varint(bytes_, page_turns_[page]);
  return {first_, first_ + page_};
}

void HostLog::end_page() {
  make_key(key_, kPages, at_page_, 4);
  store_.put(Table::kMeta, key_, bytes_);
  since_page_ = 0;
}

// The last turn stays in any case, for its sums.
std::uint64_t HostLog::oldest_turn() const {
  std::uint64_t oldest = next_turn_ - 1;
  for (const std::uint64_t turn : page_turns_) oldest = std::min(oldest, turn + 1);
  return oldest;
}

void HostLog::trim() {
  for (const std::uint64_t oldest = oldest_turn(); oldest_ < oldest; ++oldest_) {
    make_key(key_, kTurns, oldest_, 8);
    store_.erase(Table::kMeta, key_);
  }
  bytes_.clear();
  put_varint(bytes_, page_);
  put_varint(bytes_, oldest_);
  put_varint(bytes_, page_turns_.size() * page_);
  bytes_ += with_lanes_ ? '\1' : '\0';
  store_.put(Table::kMeta, kHead, bytes_);
}

Status HostLog::clear(HostId id_end) {
  const std::unique_ptr<Cursor> at = store_.scan(Table::kMeta, kEnd);
  for (at->seek(kAll); at->valid(); at->next()) {
    store_.erase(Table::kMeta, at->key());
    if (store_.staged() < kBatch) continue;
    if (const Status done = store_.commit(); !done.ok()) return done;
  }
  oldest_ = next_turn_ = 1;
  since_page_ = 0;
  page_turns_.assign((id_end + page_ - 1) / page_, 0);
  if (!store_.status().ok()) return store_.status();
  return store_.commit();
}

}  // namespace spinneret::frontier
