// SPDX-License-Identifier: Apache-2.0
// A store of bodies in packs: puts a page there, prints its entries as records (--list), or a body
// by its digest or URL (--cat).
#ifndef SPINNERET_TOOLS_FETCH_STORE_H_
#define SPINNERET_TOOLS_FETCH_STORE_H_

#include <string_view>

#include "base/result.h"
#include "cli/tool.h"
#include "fetch_settings.h"
#include "http/body_pack.h"
#include "http/fetch.h"

namespace spinneret {

// Puts the body of a page into the pack, with what readers must know of the answer.
Result<http::BodyPlace> pack_page(http::BodyPack& pack, std::string_view digest,
                                  std::string_view url, const http::FetchResult& result);

// Prints a record for each body in the packs of settings.store, oldest first, in the form in which
// fetch wrote it, so that extract-links reads it. Returns the exit status.
int list_store(cli::Tool& tool, const FetchSettings& settings);

// Prints the newest body of each of settings.cat, one after another. Each that is missing is a
// message, and makes the status 1.
int cat_store(cli::Tool& tool, const FetchSettings& settings);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_STORE_H_
