// SPDX-License-Identifier: Apache-2.0
// Runs --paragraphs of dedupe(1).
#ifndef SPINNERET_TOOLS_DEDUPE_PARAGRAPHS_H_
#define SPINNERET_TOOLS_DEDUPE_PARAGRAPHS_H_

#include <functional>
#include <string_view>

#include "cli/tool.h"

namespace spinneret::dedupe_tool {

// Returns the exit status. `next_run` gives lines as Tool::next_run does.
int run_paragraphs(cli::Tool& tool, const std::function<bool(std::string_view& run)>& next_run);

}  // namespace spinneret::dedupe_tool

#endif  // SPINNERET_TOOLS_DEDUPE_PARAGRAPHS_H_
