// SPDX-License-Identifier: Apache-2.0
// The table kUrls by URL, in a state of any format that we know: from format 8 on by fingerprints, before by the rest of
// the URL (keys.h). Who changes a state moves all rows to the new keys first; who only looks reads both kinds.
//
//   batch:   format 8, moving 7 | 5,000 rows: old keys erased, new ones put | ... | 5,000 rows | moving erased
//
// Each batch is atomic, and a URL has one row after each of them: killed in between, the next to open it goes on. An older
// program refuses the state from the first batch on.
#ifndef SPINNERET_FRONTIER_URL_TABLE_H_
#define SPINNERET_FRONTIER_URL_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frontier/keys.h"
#include "frontier/meta.h"
#include "frontier/store.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

// Looks a URL up. `key` becomes that which it stands by.
bool get_url(Store& store, HostId host, std::string_view rest, std::string& key,
             std::string& bytes);
// A row by either kind of key, with the rest unless it is a stub. False where the bytes are no row, or key and row are not
// of one URL.
bool decode_url(std::string_view key, std::string_view bytes, std::string_view origin, UrlRow& row);

// Moves all rows to the new keys, where `meta` says that they may not be there yet. Commits, and with it what was staged.
// What else the state needs before it is one of our format is up to the caller, who then erases kMovingKey.
// `batch` operations go together, two a row.
Status move_urls(Store& store, const Meta& meta, std::size_t batch = 10'000);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_URL_TABLE_H_
