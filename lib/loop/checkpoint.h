// SPDX-License-Identifier: Apache-2.0
// Copies of a state in a folder that the user names, made again and again. Of what is in such a folder only an
// older copy is ever removed: a slip of the pen (`--checkpoint=/`, `=.`, `=~`) names all that its owner has.
#ifndef SPINNERET_LOOP_CHECKPOINT_H_
#define SPINNERET_LOOP_CHECKPOINT_H_

#include <string>

#include "base/result.h"
#include "frontier/store.h"

namespace spinneret::loop {

// Whether a copy may be put at `path`: nothing is there, or an empty folder, or a copy that write_checkpoint() made
// and that no crawl has used since (such a one has locks in it). An Error says what stands in the way.
Status may_hold_checkpoint(const std::string& path);

// A copy of the state in the folder `path`, which becomes a state folder itself. It grows in the folder beside it,
// `path`.new, and trades names with an older copy in one step (renameat2, RENAME_EXCHANGE): whatever happens, there is a
// whole one at `path`. A file system that cannot do that calls the older copy `path`.old for the time between two
// renames; a crash there leaves it so, and the next write_checkpoint() takes it from there.
Status write_checkpoint(frontier::Store& store, const std::string& path);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_CHECKPOINT_H_
