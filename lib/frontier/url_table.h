// SPDX-License-Identifier: Apache-2.0
// The table kUrls by URL, in a state of any format that we know: from format 8 on by fingerprints,
// before that by the rest of the URL (keys.h). Whoever changes a state moves all rows to the new
// keys first; whoever only reads it reads both.
//
//   batch:   format 8, moving 7 | 5,000 rows: old keys erased, new ones put | ... | moving erased
//
// Each batch is atomic, and a URL has one row after each of them: if this is killed in between, the
// next to open the state goes on. An older program refuses the state from the first batch on.
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

// Looks up a URL. `key` becomes the key under which it stands.
bool get_url(Store& store, HostId host, std::string_view rest, std::string& key,
             std::string& bytes);
// Decodes a row by either kind of key, with the rest unless it is a stub. False where the bytes are
// no row, or key and row are not of one URL.
bool decode_url(std::string_view key, std::string_view bytes, std::string_view origin, UrlRow& row);

// Moves all rows to the new keys, where `meta` says that they may not be there yet. Commits, and
// with it what was staged. The caller does what else the state needs to be of our format, and then
// erases kMovingKey. `batch`: number of operations in a commit, two a row.
Status move_urls(Store& store, const Meta& meta, std::size_t batch = 10'000);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_URL_TABLE_H_
