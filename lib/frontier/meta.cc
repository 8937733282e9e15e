// SPDX-License-Identifier: Apache-2.0
#include "frontier/meta.h"

#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

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
  if (format == 0) {
    store.put(Table::kMeta, kFormatKey, encode_number(kFormat));
  } else if (format != kFormat) {
    return Error{"the state has format " + std::to_string(format) + ", and this program knows " +
                 std::to_string(kFormat) + " only: use the version that wrote it"};
  }
  Meta meta;
  meta.run = static_cast<std::uint32_t>(number_of(store, kRunKey, 0));
  meta.max_host_pages = number_of(store, kHostPagesKey, 0);
  meta.arrivals_reserved = number_of(store, kArrivalsKey, 1);
  meta.clean = format == 0 || number_of(store, kCleanKey, 0) != 0;
  store.get(Table::kMeta, kRecrawlKey, meta.recrawl);
  std::string bytes;
  while (store.get(Table::kMeta, flying_key(meta.flying_rows), bytes)) {
    ++meta.flying_rows;
    Decoder from{bytes};
    while (!from.rest.empty()) meta.flying.push_back(static_cast<HostId>(from.varint()));
  }
  return meta;
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
