// SPDX-License-Identifier: Apache-2.0
// Copies of a state, made again and again in a folder that the user names. Nothing in that folder
// is removed except an older copy: a mistyped name (`--checkpoint=/`, `=.`, `=~`) may be a folder
// with all of the user's files.
#ifndef SPINNERET_LOOP_CHECKPOINT_H_
#define SPINNERET_LOOP_CHECKPOINT_H_

#include <string>

#include "base/result.h"
#include "frontier/store.h"

namespace spinneret::loop {

// Whether a copy may be put at `path`: nothing is there, or an empty folder, or a copy that
// write_checkpoint() made and no crawl has used since (a crawl leaves locks in it). An Error names
// what is in the way.
Status may_hold_checkpoint(const std::string& path);

// Writes a copy of the state to the folder `path`, which can then be used as a state folder. The
// copy is made in `path`.new and exchanges names with an older copy in one step (renameat2,
// RENAME_EXCHANGE), so that there is a complete copy at `path` at any time. On a file system that
// cannot do this the older copy is called `path`.old between two renames; after a crash in between,
// the next write_checkpoint() moves it back.
Status write_checkpoint(frontier::Store& store, const std::string& path);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_CHECKPOINT_H_
