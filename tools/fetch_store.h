// SPDX-License-Identifier: Apache-2.0
// What is done with a store of bodies without fetching: its entries as records (--list), a body by its digest or URL
// (--cat).
#ifndef SPINNERET_TOOLS_FETCH_STORE_H_
#define SPINNERET_TOOLS_FETCH_STORE_H_

#include "cli/tool.h"
#include "fetch_settings.h"

namespace spinneret {

// A record for each body that was put into the packs of settings.store, oldest first, as fetch wrote them: extract-links
// reads it. The exit status.
int list_store(cli::Tool& tool, const FetchSettings& settings);

// The newest body of each of settings.cat, one after another. What is not there is a message, and status 1.
int cat_store(cli::Tool& tool, const FetchSettings& settings);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_STORE_H_
