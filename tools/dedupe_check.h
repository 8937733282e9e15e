// SPDX-License-Identifier: Apache-2.0
// Checks which options of dedupe(1) go together.
#ifndef SPINNERET_TOOLS_DEDUPE_CHECK_H_
#define SPINNERET_TOOLS_DEDUPE_CHECK_H_

#include "cli/tool.h"

namespace spinneret::dedupe_tool {

// Reports options that do not go together as a usage error. Sets the table, where rows are read.
void check(cli::Tool& tool);

}  // namespace spinneret::dedupe_tool

#endif  // SPINNERET_TOOLS_DEDUPE_CHECK_H_
