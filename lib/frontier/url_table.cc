// SPDX-License-Identifier: Apache-2.0
#include "frontier/url_table.h"

#include <memory>
#include <unordered_map>

#include "frontier/encode.h"
#include "frontier/inspect.h"

namespace spinneret::frontier {

bool get_url(Store& store, HostId host, std::string_view rest, std::string& key,
             std::string& bytes) {
  make_url_key(key, host, rest);
  if (store.get(Table::kUrls, key, bytes)) return true;
  make_old_url_key(key, host, rest);
  return store.get(Table::kUrls, key, bytes);
}

bool decode_url(std::string_view key, std::string_view bytes, std::string_view origin,
                UrlRow& row) {
  if (is_old_url_key(key)) return decode_old_url_row(bytes, origin, key.substr(4), row);
  HostId host = 0;
  if (!split_url_key(key, host) || !decode_url_row(bytes, origin, row)) return false;
  std::string own;
  if (!row.is_stub) make_url_key(own, host, row.rest);
  return row.is_stub || own == key;
}

Status move_urls(Store& store, const Meta& meta, std::size_t batch) {
  if (meta.format >= kFingerprintFormat) return {};
  store.put(Table::kMeta, kFormatKey, encode_number(kFormat));
  store.put(Table::kMeta, kMovingKey, encode_number(meta.format));
  if (const Status done = store.commit(); !done.ok()) return done;
  std::unordered_map<HostId, std::string> origins;
  const Status read = for_each_host(store, [&](const HostEntry& host) {
    origins.emplace(host.row.id, host.origin);
    return true;
  });
  if (!read.ok()) return read;
  std::string key;
  std::string bytes;
  const std::unique_ptr<Cursor> at = store.scan(Table::kUrls);
  for (at->seek({}); at->valid(); at->next()) {
    if (!is_old_url_key(at->key())) continue;
    Decoder from{at->key()};
    const auto host = static_cast<HostId>(from.big_endian(4));
    const auto origin = origins.find(host);
    UrlRow row;
    // What cannot be read is left for a search for damage.
    if (origin == origins.end() || !decode_url(at->key(), at->value(), origin->second, row))
      continue;
    make_url_key(key, host, from.rest);
    encode_url_row(bytes, row, origin->second);
    store.erase(Table::kUrls, at->key());
    store.put(Table::kUrls, key, bytes);
    if (store.staged() < batch) continue;
    if (const Status done = store.commit(); !done.ok()) return done;
  }
  if (!store.status().ok()) return store.status();
  return store.commit();
}

}  // namespace spinneret::frontier
