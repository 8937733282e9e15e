// SPDX-License-Identifier: Apache-2.0
#include "frontier/migrate.h"

#include "frontier/meta.h"
#include "frontier/upkeep.h"
#include "frontier/url_table.h"

namespace spinneret::frontier {

Status migrate(Store& store) {
  const Result<Meta> meta = read_meta(store);
  if (!meta.ok()) return meta.error();
  if (meta->format == kFormat) return {};
  if (const Status done = move_urls(store, *meta); !done.ok()) return done;
  // Before format 5 a run without --recrawl did not note that it had given its pages no places.
  if (meta->format < 5) store.put(Table::kMeta, kRecrawlKey, {});
  if (meta->format != 3) {
    store.erase(Table::kMeta, kMovingKey);
    return store.commit();
  }
  Result<Upkeep> upkeep = Upkeep::open(store);
  if (!upkeep.ok()) return upkeep.error();
  // This commits in batches, and must be done again unless the last of them is durable.
  if (const Status done = upkeep->revive_blocked(); !done.ok()) return done;
  store.erase(Table::kMeta, kMovingKey);
  return store.commit();
}

}  // namespace spinneret::frontier
