// SPDX-License-Identifier: Apache-2.0
#include "frontier/meta.h"

#include <algorithm>
#include <map>

#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

constexpr std::size_t kMostRefusals = 100;
constexpr std::uint64_t kNoLanes = 3;  // more than each PolitenessKey

std::uint64_t number_of(Store& store, std::string_view key, std::uint64_t otherwise) {
  std::string bytes;
  if (!store.get(Table::kMeta, key, bytes)) return otherwise;
  return Decoder{bytes}.varint();
}

// A state whose first changes are lost (a manifest cut short) has rows, but no format.
bool has_rows(Store& store) {
  for (const Table table :
       {Table::kMeta, Table::kHosts, Table::kUrls, Table::kQueue, Table::kLater}) {
    const std::unique_ptr<Cursor> at = store.scan(table);
    at->seek({});
    if (at->valid()) return true;
  }
  return false;
}

}  // namespace

Result<Meta> read_meta(Store& store) {
  const std::uint64_t format = number_of(store, kFormatKey, 0);
  if (!store.status().ok()) return store.status().error();
  if (format == 0 && has_rows(store)) {
    return Error{"the state is damaged: there are rows, but its format is lost"};
  }
  if (format != 0 && (format < kOldestFormat || format > kFormat)) {
    return Error{"the state has format " + std::to_string(format) + ", and this program knows " +
                 std::to_string(kOldestFormat) + " to " + std::to_string(kFormat) +
                 " only: use the version that wrote it"};
  }
  if (format != kFormat) store.put(Table::kMeta, kFormatKey, encode_number(kFormat));
  Meta meta;
  if (format != 0) meta.format = number_of(store, kMovingKey, format);
  meta.run = static_cast<std::uint32_t>(number_of(store, kRunKey, 0));
  meta.max_host_pages = number_of(store, kHostPagesKey, 0);
  if (const std::uint64_t lanes = number_of(store, kLanesKey, kNoLanes); lanes < kNoLanes)
    meta.lanes = static_cast<PolitenessKey>(lanes);
  store.get(Table::kMeta, kPartitionKey, meta.partition);
  meta.arrivals_reserved = number_of(store, kArrivalsKey, 1);
  meta.clean = format == 0 || number_of(store, kCleanKey, 0) != 0;
  store.get(Table::kMeta, kRecrawlKey, meta.recrawl);
  std::string bytes;
  if (store.get(Table::kMeta, kOrderKey, bytes)) {
    meta.order = parse_order(std::string_view(bytes).substr(0, bytes.find(' ')));
    meta.ranks_stand = meta.order && stored_name(*meta.order) == bytes;
  }
  while (store.get(Table::kMeta, flying_key(meta.flying_rows), bytes)) {
    ++meta.flying_rows;
    Decoder from{bytes};
    while (!from.rest.empty()) meta.flying.push_back(static_cast<HostId>(from.varint()));
  }
  return meta;
}

Boot boot_now(Store& store, const Clock& clock) {
  Boot now{clock.boot_id(), 1, clock.boot_ns() / 1'000'000, clock.unix_ms()};
  std::string bytes;
  if (!store.get(Table::kMeta, kBootKey, bytes)) return now;
  Decoder from{bytes};
  const std::string_view id = from.bytes();
  now.number = from.varint() + 1;
  const std::int64_t boot_ms = from.milliseconds();
  const std::int64_t steady_ms = from.milliseconds();
  if (from.bad || id.empty() || id != now.id || boot_ms > now.boot_ms) return now;
  --now.number;
  now.steady_ms = steady_ms + now.boot_ms - boot_ms;
  return now;
}

std::string encode_boot(const Boot& boot) {
  std::string out;
  put_bytes(out, boot.id);
  put_varint(out, boot.number);
  put_varint(out, static_cast<std::uint64_t>(boot.boot_ms));
  put_varint(out, static_cast<std::uint64_t>(boot.steady_ms));
  return out;
}

RefusalCounts read_refusals(Store& store) {
  RefusalCounts out;
  std::string bytes;
  if (!store.get(Table::kMeta, kRefusedKey, bytes)) return out;
  Decoder from{bytes};
  while (!from.rest.empty() && !from.bad) {
    std::string rule(from.bytes());
    const std::uint64_t count = from.varint();
    if (!from.bad) out.emplace_back(std::move(rule), count);
  }
  return out;
}

RefusalCounts sum_of(const RefusalCounts& a, const RefusalCounts& b) {
  std::map<std::string, std::uint64_t> sums(a.begin(), a.end());
  for (const auto& [rule, count] : b) sums[rule] += count;
  RefusalCounts out(sums.begin(), sums.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& x, const auto& y) { return x.second > y.second; });
  if (out.size() > kMostRefusals) out.resize(kMostRefusals);
  return out;
}

std::string encode_refusals(const RefusalCounts& counts) {
  std::string out;
  for (const auto& [rule, count] : counts) {
    put_bytes(out, rule);
    put_varint(out, count);
  }
  return out;
}

std::string encode_number(std::uint64_t number) {
  std::string out;
  put_varint(out, number);
  return out;
}

std::string flying_key(std::uint64_t number) {
  return std::string(kFlyingKey) + std::to_string(number);
}

std::string encode_ids(std::span<const HostId> ids) {
  std::string out;
  for (const HostId id : ids) put_varint(out, id);
  return out;
}

}  // namespace spinneret::frontier
