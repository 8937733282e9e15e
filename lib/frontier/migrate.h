// SPDX-License-Identifier: Apache-2.0
// Converts a state of an older format to the present one.
#ifndef SPINNERET_FRONTIER_MIGRATE_H_
#define SPINNERET_FRONTIER_MIGRATE_H_

#include "base/result.h"
#include "frontier/store.h"

namespace spinneret::frontier {

// Commits. After a crash in between it is done again, which does no harm. Cost: O(URLs), once;
// nothing for a state of this format.
Status migrate(Store& store);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_MIGRATE_H_
